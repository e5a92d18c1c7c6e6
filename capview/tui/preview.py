"""The beginning and the end of a stream in a few lines, read through the same window as the whole log."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from capview.pager.document import Document
from capview.present import Tone, state
from capview.tui.ending import extent
from capview.tui.layout import Layout
from capview.tui.widgets.job_preview import Preview

if TYPE_CHECKING:
    from capture_core.source import Entry, Source


def main_stream(entry: Entry) -> str | None:
    """The stream that tells most: stderr of what failed, else stdout, or the only one; ``None``: there is none."""
    lengths = {status.name: status.committed or 0 for status in entry.streams}
    order = ("stderr", "stdout") if state(entry).tone is Tone.BAD else ("stdout", "stderr")
    filled = [name for name in (*order, *lengths) if lengths.get(name)]
    return next((name for name in (*filled, *order, *lengths) if name in lengths), None)


async def preview(source: Source, entry: Entry, rows: int) -> Preview:
    """What fits on ``rows`` lines: all, or the beginning and a longer end."""
    stream = main_stream(entry)
    if stream is None or rows <= 0:
        return Preview()
    cut = entry.receipt.preview.get(stream)
    last = ""
    if cut is not None and cut.tail_text is not None:  # listings leave the text itself out
        whole = (await source.receipt(entry.address)).receipt.preview.get(stream)
        last = (whole.tail_text if whole else None) or ""
    document = Document(partial(source.range, entry.address, stream))
    now = extent(entry, stream, last=last)
    document.take(now.committed, now.trailer)
    end = await document.pages.run(Layout(document.rows(), height=rows, width=None).at_end())
    if end.start == 0:
        return Preview(stream=stream, tail=tuple(line.text for line in end.lines))
    first = max(1, rows // 4)
    head = await document.pages.run(Layout(document.rows(), height=first, width=None).at(0))
    tail = end.lines[first + 1 :]
    return Preview(
        stream=stream,
        head=tuple(line.text for line in head.lines),
        omitted=(tail[0].start if tail else document.length) - head.end,
        tail=tuple(line.text for line in tail),
    )
