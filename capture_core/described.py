"""What is said of one stream's text beside it: written to its sidecars, or kept until the files may have names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from capture_core.facts import SidecarFacts
    from capture_core.marks import Marks
    from capture_core.sidecar_file import Sidecars


class _Note(NamedTuple):
    """What is known of the text ``start:end``."""

    start: int
    end: int
    styles: Marks
    arrived: int | None


class Description:
    """For the thread that writes the stream, alone."""

    def __init__(
        self,
        make_sidecars: Callable[[], Sidecars] | None,
        at_disk: Callable[[], AbstractContextManager[None]],
        *,
        waits: bool,
    ) -> None:
        """``make_sidecars`` is called when there is a first thing to write, and ``None`` where nothing ever is.

        ``waits``: nothing is written before :meth:`begin`.
        """
        self._make_sidecars = make_sidecars
        self._at_disk = at_disk
        self._sidecars: Sidecars | None = None
        self._waiting: list[_Note] | None = [] if waits else None

    def append(self, start: int, end: int, styles: Marks, arrived: int | None) -> None:
        """Say what is known of the text ``start:end``, which has just been committed."""
        if self._waiting is not None:
            self._waiting.append(_Note(start, end, styles, arrived))
        elif self._make_sidecars is not None:
            with self._at_disk():
                if self._sidecars is None:
                    self._sidecars = self._make_sidecars()
                self._sidecars.append(start, end, styles, arrived)

    def begin(self, length: int) -> None:
        """The text, so long by now, has its name: what was to be said of it is written, and what comes at once."""
        waiting, self._waiting = self._waiting or [], None
        for note in waiting:
            if note.start < length:
                self.append(note.start, min(note.end, length), note.styles, note.arrived)

    def facts(self) -> dict[str, SidecarFacts]:
        """What there is in files."""
        return {} if self._sidecars is None else self._sidecars.facts()

    def seal(self) -> None:
        """Make it durable, and take the right to write from the files."""
        if self._sidecars is not None:
            self._sidecars.seal()

    def kept(self) -> int:
        """Bytes that the files have now."""
        return 0 if self._sidecars is None else self._sidecars.kept()

    def discard(self) -> None:
        """Close the files; what was published stays."""
        if self._sidecars is not None:
            self._sidecars.discard()
