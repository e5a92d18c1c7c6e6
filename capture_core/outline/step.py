"""What is said of one step of a build: where its text is, what it lies in, and between which places its time passed."""

from __future__ import annotations

from capture_core.record import NamedTuple


class Step(NamedTuple):
    """Bytes ``start:end`` of the stream, its last newline included; lines count from 1, both included.

    ``parent`` is the place in the outline of the step that it lies in; ``depth`` counts those.  It took the time
    between the arrivals of the bytes at ``since`` and ``until``.  ``told_seconds``: what the tool says of that.
    ``has_ended`` is false where the text ends first: it may go on, or the build was broken off.
    """

    form: str
    title: str
    depth: int
    parent: int | None
    start: int
    end: int
    first_line: int
    last_line: int
    since: int
    until: int
    told_seconds: float | None
    has_ended: bool


class Outline(NamedTuple):
    """Steps in the order in which they were told of; ``more`` were too many to keep.  ``end``: bytes looked at."""

    steps: tuple[Step, ...]
    more: int
    end: int
