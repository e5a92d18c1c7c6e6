"""Reading at any size: a first page of 10 GiB, the line index of 1 GiB, any window of a line of 300 MB.

Targets: head or tail of 10 GiB within 20 ms and 64 MiB; the index at 1.5 GB/s and a byte a line, both of its questions
within 10 ms; a window of the long line within 20 ms.  Each part is a process of its own, for its peak memory.

The files are written in full, a pattern again and again: of a sparse one nearly nothing would be read.  A folder with
12 GiB of room may be given.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from capture_core import lines
from capture_core.catalog import Catalogue
from capture_core.limits.reading import LINE_BLOCK_BYTES
from capture_core.line_cache import LineCache
from capture_core.line_index import LineIndex
from capture_core.line_places import LinePlaces
from capture_core.local import LocalSource
from capture_core.reader import StreamReader
from capture_core.source import Address, Entry
from capview.pager.document import Document
from capview.tui.layout import Layout
from tests.bench.capture import corpus
from tests.bench.measuring import MIB, Sample, interleaved, median, ratios, timed
from tests.captures import Owner

if TYPE_CHECKING:
    from collections.abc import Callable

    from capview.pager.pages import Reading
    from capview.tui.layout import Window

HUGE = 10 * 2**30
LARGE = 2**30
LONG = 300_000_000
COUNTED = "bytes.count of the same blocks"
ROWS = 50
ASKED = 200


def main() -> None:
    """Make each file, run its part on it, remove it."""
    if len(sys.argv) == 3 and sys.argv[1] in PARTS:
        PARTS[sys.argv[1]](sys.argv[2])
        return
    for part, make in FILES.items():
        with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
            make(Path(folder))
            subprocess.run([sys.executable, __file__, part, folder], check=True)


def first_pages(folder: str) -> None:
    """Head and tail of 10 GiB, read as ``capview read`` does and as the first screen does."""
    asyncio.run(_screen(folder, 0))  # what is loaded at the first call of a process is loaded while the UI starts
    for name, page in (("head", _head), ("tail", _tail)):
        _print(f"10 GiB, {name}, {ROWS} lines", [_seconds(partial(_with_reader, folder, page)) for _ in range(20)], 20)
    for name, at in (("head", 0), ("tail", HUGE)):
        _print(f"10 GiB, {name}, a screen", [asyncio.run(_screen(folder, at)) for _ in range(20)], 20)
    print(f"{'peak memory of all that':34} {_peak_mib():7.1f} MiB (to reach: 64)")


def index(folder: str) -> None:
    """The index of 1 GiB, beside counting alone and ``wc -l``; then its questions."""
    runs: dict[str, Callable[[], Sample]] = {
        "index": partial(_timed, partial(_with_reader, folder, _catch_up)),
        COUNTED: partial(_timed, partial(_with_reader, folder, _count)),
        "wc -l, whole process": partial(timed, ("wc", "-l", *map(str, Path(folder).rglob("*.txt")))),
    }
    samples = interleaved(5, runs)
    for name, taken in samples.items():
        goal = " (to reach: 1.5)" if name == "index" else ""
        print(f"1 GiB, {name:34} {LARGE / median(taken) / 1e9:5.2f} GB/s{goal}")
    speed = statistics.median(ratios(samples[COUNTED], samples["index"]))
    print(f"{'index':41} {speed:5.2f} x as fast as {COUNTED}")
    with _reader(folder) as reader:
        cache = LineCache(folder)
        last = LinePlaces(reader, cache).line_of(LARGE)
        places, choice = LinePlaces(reader, cache), random.Random(1)
        starts = [_seconds(partial(places.start_of, choice.randrange(1, last))) for _ in range(ASKED)]
        numbers = [_seconds(partial(places.line_of, choice.randrange(LARGE))) for _ in range(ASKED)]
        held = LineIndex()
        reader.catch_up(held, LARGE)
    _print("where a line begins, kept index", starts, 10)
    _print("which line a byte is in", numbers, 10)
    print(f"{'memory of the index':34} {len(held.counts) * 8 / held.lines:7.3f} bytes a line (to reach: 1)")
    _whole_processes(folder)


def _whole_processes(folder: str) -> None:
    capview, cache = str(Path(sys.executable).with_name("capview")), Path(folder, "own-cache")
    os.environ["XDG_CACHE_HOME"] = str(cache)
    read = (capview, "read", "@last", "--conversation", folder)
    for name in ("counted and kept", "from the kept index"):
        print(f"capview read, last line, {name:20} {timed((*read, '--lines', '999999999:')).seconds * 1000:6.0f} ms")
    print(f"capview read --head 1 {'':24} {timed((*read, '--head', '1')).seconds * 1000:6.0f} ms")


def long_line(folder: str) -> None:
    """Windows of one line, read as ranges and laid out as a screen."""
    asyncio.run(_screen(folder, 0))
    choice = random.Random(1)
    offsets = [choice.randrange(LONG) for _ in range(ASKED)]
    with _reader(folder) as reader:
        _print("300 MB line, 64 KiB of text", [_seconds(partial(_text, reader, at)) for at in offsets], 20)
        _print("300 MB line, around a byte", [_seconds(partial(_around, reader, at)) for at in offsets], 20)
    _print("300 MB line, a screen", [asyncio.run(_screen(folder, at)) for at in offsets[:50]], 20)
    print(f"{'peak memory of all that':34} {_peak_mib():7.1f} MiB (to reach: 64)")


def _head(reader: StreamReader) -> bytes:
    return reader.read(0, lines.after_lines(reader.read, 0, reader.committed, ROWS))


def _tail(reader: StreamReader) -> bytes:
    end = reader.committed
    return reader.read(lines.before_lines(reader.read, 0, end, ROWS), end)


def _text(reader: StreamReader, at: int) -> bytes:
    return reader.read(*lines.text_edges(reader.read, LONG, at, min(at + 64 * 1024, LONG)))


def _around(reader: StreamReader, at: int) -> bytes:
    return reader.read(*lines.around(reader.read, LONG, at, 16 * 1024))


def _catch_up(reader: StreamReader) -> None:
    reader.catch_up(LineIndex(), LARGE)


def _count(reader: StreamReader) -> None:
    buffer, at = bytearray(LINE_BLOCK_BYTES), 0
    while read := os.preadv(reader.fileno(), [buffer], at):
        buffer.count(b"\n")
        at += read


async def _screen(folder: str, at: int) -> float:
    """Seconds from a source that nobody asked anything to a screen that is laid out."""
    address = Address(Path(folder).name, _entry(folder).address.ref)
    source = LocalSource([folder])
    start = time.perf_counter()
    document = Document(partial(source.range, address, "stdout"))
    page = await source.range(address, "stdout", 0, 0)
    document.take(page.committed)
    layout = Layout(document.rows(), height=ROWS, width=200)
    window: Reading[Window] = layout.at(at) if at < page.committed else layout.at_end()
    shown = await document.pages.run(window)
    seconds = time.perf_counter() - start
    assert shown.lines
    await source.aclose()
    return seconds


def _with_reader(folder: str, use: Callable[[StreamReader], object]) -> None:
    with _reader(folder) as reader:
        use(reader)


def _reader(folder: str) -> StreamReader:
    return StreamReader(folder, _entry(folder), "stdout")


def _entry(folder: str) -> Entry:
    catalogue = Catalogue(folder)
    (name,) = catalogue.names()
    entry = catalogue.fresh(name)
    assert isinstance(entry, Entry)
    return entry


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _timed(work: Callable[[], object]) -> Sample:
    return Sample(seconds=_seconds(work))


def _print(name: str, seconds: list[float], goal_ms: float) -> None:
    middle, worst = statistics.median(seconds) * 1000, max(seconds) * 1000
    print(f"{name:34} {middle:7.2f} ms, at worst {worst:7.2f} ms (to reach: {goal_ms:g})")


def _peak_mib() -> float:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) * 1024 / MIB


def _huge(folder: Path) -> None:
    _capture(folder, HUGE, _log(folder))


def _large(folder: Path) -> None:
    _capture(folder, LARGE, _log(folder))


def _long(folder: Path) -> None:
    _capture(folder, LONG, ("progress é " * 90_000).encode())


def _log(folder: Path) -> bytes:
    path = folder / "log"
    corpus(path, 8 * MIB)
    data = path.read_bytes()
    path.unlink()
    return data


def _capture(folder: Path, size: int, pattern: bytes) -> None:
    owner = Owner(folder, streams=("stdout",), has_digest=size == LARGE)
    for written in range(0, size, len(pattern)):
        owner.append("stdout", pattern[: size - written])
    owner.finish()


PARTS = {"first_pages": first_pages, "index": index, "long_line": long_line}
FILES = {"first_pages": _huge, "index": _large, "long_line": _long}

if __name__ == "__main__":
    main()
