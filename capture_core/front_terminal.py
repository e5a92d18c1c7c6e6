"""The front's terminal as the owner knows it: a front that was killed leaves it raw, and it alone had the settings."""

from __future__ import annotations

import contextlib
import os
import termios
from typing import TYPE_CHECKING

from capture_core.link import Lent, Returned
from capture_core.tty_settings import apply, are_alike

if TYPE_CHECKING:
    from capture_core.tty_settings import Attributes


class FrontTerminal:
    """What is known of it; used by one thread."""

    def __init__(self, fd: int, lent: Lent | None) -> None:
        """``fd``: the terminal's, owned from here on; ``lent``: how it is set already."""
        self._fd = fd
        self._saved: Attributes | None = None
        self._applied: list[Attributes] = []
        if lent is not None:
            self.heard(lent)

    def heard(self, word: Lent | Returned) -> None:
        """Take notice of how the front sets it."""
        match word:
            case Lent(saved, applied):
                self._saved = saved
                self._applied.append(applied)
            case Returned():
                self._saved = None
                self._applied.clear()

    def give_back(self) -> None:
        """The front is gone: restore what it did not, unless somebody else has set the terminal since; let go of it."""
        saved = self._saved
        with contextlib.suppress(OSError, termios.error):
            if saved is not None and self._is_as_set():
                apply(self._fd, saved)
                # A ^S may hold it.
                termios.tcflow(self._fd, termios.TCOON)
        os.close(self._fd)

    def _is_as_set(self) -> bool:
        attributes = termios.tcgetattr(self._fd)
        return any(are_alike(attributes, applied) for applied in self._applied)
