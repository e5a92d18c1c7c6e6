"""What running jobs seem to be doing, in words; and the reading of it for who has a path and may wait for the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.activity import (
    NOT_ASKED,
    Said,
    Waits,
    is_active,
    is_to_be_asked,
    judge,
    newest_first,
    read_end,
    together,
)
from capture_core.errors import CaptureError
from capture_core.reader import StreamReader
from capview import present
from capview.limits import PROGRESS_TAIL_BYTES
from capview.present import Tone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.activity import Activity, Asked
    from capture_core.source import Entry


def look(path: str, entry: Entry, now: float) -> Activity | None:
    """See what the job seems to be doing; ``None``: it is over, or its owner is not known to live."""
    if not is_active(entry):
        return None
    said, silent = together(tuple(_ends(path, entry))), silent_seconds(entry, now)
    return judge(entry, said, silent, ask(entry) if is_to_be_asked(said, silent) else NOT_ASKED)


def silent_seconds(entry: Entry, now: float) -> float:
    """How long nothing was printed, by the files' own times: they are made when the job starts."""
    last = max((status.modified for status in entry.streams if status.modified is not None), default=now)
    return max(0.0, now - last)


def ask(entry: Entry) -> Asked:
    """What the OS says of its processes."""
    from capture_core import listening

    return listening.ask(entry)


def _ends(path: str, entry: Entry) -> Iterator[Said]:
    for status in newest_first(entry):
        try:
            with StreamReader(path, entry, status.name) as reader:
                end = reader.committed
                start = max(0, end - PROGRESS_TAIL_BYTES)
                yield read_end(reader.read(start, end), is_cut=start > 0)
        except CaptureError:
            # It went away meanwhile: there is nothing to tell of it.
            continue


def short(activity: Activity) -> Iterator[str]:
    """The facts in the fewest words: ``61%``, ``input?``, ``silent 40 s``, ``buffering?``."""
    if activity.waits is not None:
        yield "input?"
    if activity.progress is not None:
        yield activity.progress.words
    if activity.silent_seconds is not None:
        yield f"silent {present.age(0.0, activity.silent_seconds)}"
    if activity.may_be_buffering:
        yield "buffering?"


def words(activity: Activity) -> str:
    """All of it for a person; what is a guess is worded as one."""
    return ", ".join(_parts(activity))


def _parts(activity: Activity) -> Iterator[str]:
    if activity.progress is not None:
        yield f"says {activity.progress.words}"
    match activity.waits:
        case Waits.READS:
            yield "seems to wait for input: it reads its terminal"
        case Waits.ASKS:
            yield "perhaps waits for input: its last line looks like a question"
        case None:
            pass
    if activity.silent_seconds is not None:
        yield f"silent for {present.age(0.0, activity.silent_seconds)}"
    if activity.may_be_buffering:
        yield "may be buffering, as it prints on a pipe"


def tone(activity: Activity) -> Tone:
    """What it means to somebody who looks over many jobs."""
    if activity.waits is not None:
        return Tone.DOUBTFUL
    return Tone.BUSY if activity.progress is not None else Tone.QUIET


def record(activity: Activity) -> dict[str, object]:
    """The same for a script; every key is always there."""
    progress = activity.progress
    return {
        "progress": None if progress is None else {**progress._asdict(), "percent": round(progress.percent, 2)},
        "silent_seconds": None if activity.silent_seconds is None else round(activity.silent_seconds, 1),
        "waits_for_input": None if activity.waits is None else str(activity.waits),
        "may_be_buffering": activity.may_be_buffering,
    }
