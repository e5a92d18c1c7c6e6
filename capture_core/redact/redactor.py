"""Masks secrets in a stream of text: nothing of a value is ever given out, nothing else is held."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from capture_core.decode import weight
from capture_core.limits import LOOK_BACK_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capture_core.redact.engine import Scanner
    from capture_core.redact.exact import Exact, Form, Undecided, Value

OMITTED = b"[omitted: undecidable fragment]"
"""What stands in the text for a fragment that was dropped because it could not be decided."""


class _Searching(NamedTuple):
    """Outside of any value; ``undecided`` may be the beginning of one."""

    undecided: bytes = b""
    begun: Form | None = None


class _Gathering(NamedTuple):
    """In a value, all of which is held; ``value`` grows."""

    form: Form
    value: bytearray


class _Omitting(NamedTuple):
    """In a value that grew too long; nothing of it is held."""

    form: Form


class Redactor:
    """Takes whole code points without terminal control; gives back what is decided, values replaced.

    What is given out depends on what was fed, never on how it was cut.  All byte counters are raw bytes.
    """

    def __init__(self, exact: Exact, scanner: Scanner, *, pending_bytes: int) -> None:
        self.accepted = 0
        """Raw bytes given out, or masked."""
        self.discarded = 0
        """Raw bytes of omitted fragments."""
        self.omitted = 0
        """Omitted fragments."""
        self.redactions: Counter[str] = Counter()
        """Masked values by rule."""
        self._exact = exact
        self._scanner = scanner
        self._pending_bytes = pending_bytes
        self._behind = b""
        """The end of what was decided, unmasked: openings look back at it."""
        self._state: _Searching | _Gathering | _Omitting = _Searching()

    @property
    def held(self) -> int:
        """Raw bytes that are not decided, at most ``pending_bytes``."""
        match self._state:
            case _Searching(undecided):
                return weight(undecided)
            case _Gathering(_, value):
                return weight(value)
            case _Omitting():
                return 0

    def feed(self, text: bytes) -> bytes:
        """Return the text that is decided now."""
        match self._state:
            case _Searching(undecided):
                return self._search(undecided + text)
            case _Gathering(form, value):
                return self._gather(form, value, text)
            case _Omitting(form):
                return self._omit(form, text)

    def finish(self, *, eof: bool) -> bytes:
        """Settle what is held, as if a value that has begun were whole.

        Other held text is given out when the stream truly ended (``eof``), and omitted when more was to come.
        """
        out: list[bytes] = []
        while isinstance(self._state, _Gathering):
            form, value = self._state.form, bytes(self._state.value)
            self._state = _Searching()
            out.append(self._search(value, 1) if form.spares(value) else self._replaced(form, value))
        if isinstance(self._state, _Searching):
            out.append(self._ended(self._state, eof=eof))
        self._state = _Searching()
        return b"".join(out)

    def _ended(self, state: _Searching, *, eof: bool) -> bytes:
        if state.begun:
            return self._replaced(state.begun, state.undecided)
        if eof or not state.undecided:
            return self._passed(state.undecided)
        return self._omitted(state.undecided)

    def _search(self, text: bytes, floor: int = 0) -> bytes:
        """Take text that is outside of any value, and in which none begins before ``floor``."""
        candidates = self._scanner.candidates(self._behind, text)
        if not candidates and len(text) > self._exact.reach:
            return self._rest(text, 0, self._exact.undecided(text, 0))
        start = len(self._behind)
        text = self._behind + text
        return self._mask(text, start, self._exact.values(text, candidates, start + floor))

    def _mask(self, text: bytes, done: int, values: Iterable[Value]) -> bytes:
        """Take ``text[done:]`` and the values in it."""
        out: list[bytes] = []
        undecided = self._exact.undecided(text, done)
        for form, start, end in values:
            if start > undecided.start:
                break
            out.append(self._passed(text[done:start]))
            if end is None:
                self._look_back(text, start)
                out.append(self._hold(form, bytearray(text[start:])))
                return b"".join(out)
            out.append(self._replaced(form, text[start:end]))
            done = end
            if undecided.start < done:
                undecided = self._exact.undecided(text, done)
        out.append(self._rest(text, done, undecided))
        return b"".join(out)

    def _rest(self, text: bytes, done: int, undecided: Undecided) -> bytes:
        """Take ``text[done:]``, in which no value begins but perhaps an undecided one."""
        self._look_back(text, undecided.start)
        self._state = _Searching(text[undecided.start :], undecided.begun)
        return self._passed(text[done : undecided.start])

    def _gather(self, form: Form, value: bytearray, text: bytes) -> bytes:
        searched = len(value)
        value += text
        ends = form.ends.search(value, searched)
        if ends is None:
            return self._hold(form, value)
        whole, rest = bytes(value[: ends.start()]), bytes(value[ends.start() :])
        if form.spares(whole):
            return self._search(whole + rest, 1)
        replaced = self._replaced(form, whole)
        self._look_back(self._behind + whole, len(self._behind) + len(whole))
        return replaced + self._search(rest)

    def _hold(self, form: Form, value: bytearray) -> bytes:
        """Hold a value that goes on, or give it up."""
        if len(value) <= self._pending_bytes:
            self._state = _Gathering(form, value)
            return b""
        self._state = _Omitting(form)
        self._look_back(self._behind + value, len(self._behind) + len(value))
        return self._omitted(value)

    def _omit(self, form: Form, text: bytes) -> bytes:
        text, start = self._behind + text, len(self._behind)
        ends = form.ends.search(text, start)
        end = ends.start() if ends else len(text)
        self.discarded += weight(text[start:end])
        self._look_back(text, end)
        return self._search(text[end:]) if ends else b""

    def _look_back(self, text: bytes, end: int) -> None:
        self._behind = text[max(0, end - LOOK_BACK_BYTES) : end]

    def _passed(self, text: bytes) -> bytes:
        self.accepted += weight(text)
        return text

    def _replaced(self, form: Form, value: bytes) -> bytes:
        if len(value) > self._pending_bytes:
            return self._omitted(value)
        self.accepted += weight(value)
        self.redactions[form.name] += 1
        return form.marker

    def _omitted(self, fragment: bytes | bytearray) -> bytes:
        self.discarded += weight(fragment)
        self.omitted += 1
        return OMITTED
