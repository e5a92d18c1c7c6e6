"""When the text of a stream arrived, by its sidecar of times; where that says nothing, it is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from capture_core.clock import moment
from capture_core.facts import Liveness, SidecarKind
from capture_core.sidecar_reader import SidecarReader

if TYPE_CHECKING:
    from types import TracebackType

    from capture_core.source import Entry

_NANOSECONDS: Final = 1_000_000_000


class Arrivals:
    """Answers for one stream of one capture, whose text was looked at up to ``end``.

    Close it, or use it as a context manager.
    """

    def __init__(self, conversation: str, entry: Entry, stream: str, end: int) -> None:
        """Open it, in the conversation at this path; :class:`StreamGone` when the capture has no such stream."""
        self._reader = SidecarReader(conversation, entry.receipt, stream, SidecarKind.TIMES)
        facts = entry.receipt.streams[stream].sidecars.get(SidecarKind.TIMES.value)
        self.known_to = None if facts is None else facts.end
        """The offset from which on nothing is known, though something is before it; ``None``: there is none."""
        self._end = end
        ended = moment(entry.receipt.times.ended) if entry.liveness is Liveness.FINAL else None
        self._ended = None if ended is None else int(ended * _NANOSECONDS)

    def at(self, offset: int) -> int | None:
        """When the byte at ``offset`` arrived, in nanoseconds since 1970; of the end of an ended text, when it ended.

        ``None``: not known.  Text may be later by ``SIDECAR_TIME_NANOSECONDS``: times are kept no closer.
        """
        if offset >= self._end and self._ended is not None:
            # Of a command that prints nothing any more, no byte tells how long it went on.
            return self._ended if self.any else None
        if self.known_to is not None and offset >= self.known_to:
            return None
        mark = self._reader.at(offset)
        return None if mark is None else mark.value

    @property
    def any(self) -> bool:
        """Whether anything is known."""
        return self._reader.first_at(0) is not None

    def close(self) -> None:
        """Give the descriptor back."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
