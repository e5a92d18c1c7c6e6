"""Masks secrets in a stream of text: nothing of a value is ever given out, nothing else is held."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from capture_core.decode import weight
from capture_core.limits.sanitising import ENDS_BYTES, HARMLESS_BYTES, LOOK_BACK_BYTES, UNJUDGED_VALUE_BYTES
from capture_core.record import NamedTuple
from capture_core.redact.breaks import BREAKS, is_text
from capture_core.redact.exact import Undecided
from capture_core.redact.veil import VEIL_MORE, VEIL_PART, apart, index_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capture_core.redact.exact import Exact, Value
    from capture_core.redact.form import Form
    from capture_core.redact.scanning import Scanner

OMITTED = b"[omitted: undecidable fragment]"
"""What stands in the text for a fragment that was dropped because it could not be decided."""

_FOREIGN = b"\n\x00"
_WORD = re.compile(rb"(?s:.{0,%d})|[A-Z]?[a-z]+|[A-Z]+" % HARMLESS_BYTES)
"""Behind an introducer and at the end of a line, what is no token that was cut, but text."""

Edit = tuple[int, int, int]
"""A stretch of what was fed that is not given out as it was: where it began, its length, that of what is."""


class _Searching(NamedTuple):
    """Outside of any value; ``undecided`` may be the beginning of one."""

    undecided: bytes = b""
    begun: Form | None = None
    body: bytes = b""
    """What follows the introducer, once that is complete."""


class _Gathering(NamedTuple):
    """In a value, all of which is held; ``value`` grows."""

    form: Form
    value: bytearray
    opened: int
    """How much of the value opened it: its end is not looked for before."""
    start: int
    """How much of it comes before what is secret."""


class _Omitting(NamedTuple):
    """In a value that grew too long; of it, only so much is held as may be a part of what ends it."""

    form: Form
    recent: bytes


class Redactor:
    """Takes whole code points without terminal control; gives back what is decided, values replaced.

    What is given out depends on what was fed, never on how it was cut.  All byte counters are raw bytes.
    """

    def __init__(self, exact: Exact, scanner: Scanner, *, pending_bytes: int, veil_names: Sequence[str] = ()) -> None:
        """``veil_names``: the names of what an earlier stage has masked, by the index that its veils bear."""
        self.accepted = 0
        """Raw bytes given out, or masked."""
        self.discarded = 0
        """Raw bytes of omitted fragments."""
        self.omitted = 0
        """Omitted fragments."""
        self.redactions: Counter[str] = Counter()
        """Masked values by rule."""
        self.edits: list[Edit] = []
        """What was masked or omitted so far, in order; whoever uses these takes them out."""
        self._exact = exact
        self._scanner = scanner
        self._pending_bytes = max(pending_bytes, exact.reach + ENDS_BYTES)
        # What is given up before its end is known cannot be judged by all of it.
        self._judged_bytes = min(UNJUDGED_VALUE_BYTES, self._pending_bytes)
        self._veil_names = veil_names
        self._settled = 0
        """How much of what was fed is decided."""
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
            case _Omitting(_, recent):
                return weight(recent)

    def feed(self, text: bytes) -> bytes:
        """Return the text that is decided now."""
        match self._state:
            case _Searching(undecided):
                return self._search(undecided + text)
            case _Gathering() as state:
                return self._gather(state, text)
            case _Omitting(form, recent):
                return self._omit(form, recent + text)

    def finish(self, *, eof: bool) -> bytes:
        """Settle what is held, as if a value that has begun were whole.

        Other held text is given out when the stream truly ended (``eof``), and omitted when more was to come.
        """
        out: list[bytes] = []
        while self._state != _Searching():
            match self._state:
                case _Gathering() as state:
                    out.append(self._end_value(state, eof=eof))
                case _Searching() as state:
                    out.append(self._end_rest(state, eof=eof))
                case _Omitting(_, recent):
                    self._state = _Searching()
                    self._drop(recent)
        return b"".join(out)

    def _end_value(self, state: _Gathering, *, eof: bool) -> bytes:
        form, value = state.form, bytes(state.value)
        self._state = _Searching()
        # More was to come without an end: then a beginning that looks harmless may be one of what is not.
        if form.spares(value) and (eof or len(value) <= HARMLESS_BYTES):
            return self._search(value, 1, is_last=eof)
        # The end of a stream ends a value as the end of a line and any foreign character do.
        ends = form.ends.search(value + _FOREIGN, state.opened) if eof else None
        whole = value[state.start : ends.start()] if ends else value[state.start :]
        judged = form.secret(whole) if len(whole) <= self._judged_bytes else None
        start, end = judged or (0, len(whole))
        start, end = start + state.start, end + state.start
        out = self._passed(value[:start]) + self._replaced(form, value[start:end])
        self._look_back(self._behind + value, len(self._behind) + end)
        return out + self._search(value[end:])

    def _end_rest(self, state: _Searching, *, eof: bool) -> bytes:
        self._state = _Searching()
        value = state.undecided.rstrip(BREAKS) if eof else state.undecided
        ended = len(value) < len(state.undecided)
        if state.begun and not (ended and (_WORD.fullmatch(state.body.rstrip(BREAKS)) or is_text(value, breaks=1))):
            return self._replaced(state.begun, value) + self._passed(state.undecided[len(value) :])
        if not eof:
            return self._omitted(state.undecided)
        return self._search(state.undecided, is_last=True)

    def _search(self, text: bytes, floor: int = 0, *, is_last: bool = False) -> bytes:
        """Take text that is outside of any value, and in which none begins before ``floor``.

        The last of all: nothing comes that could make a token of its end.
        """
        candidates = self._scanner.candidates(self._behind, text)
        if not candidates and len(text) > self._exact.reach:
            return self._rest(text, 0, self._undecided(text, 0))
        text, start = self._behind + text, len(self._behind)
        values = self._exact.values(text, candidates, start + floor, judged_bytes=self._judged_bytes)
        return self._mask(text, start, values, Undecided(len(text)) if is_last else self._undecided(text, start))

    def _undecided(self, text: bytes, start: int) -> Undecided:
        return self._exact.undecided(text, start, self._scanner.tails)

    def _mask(self, text: bytes, done: int, values: Iterable[Value], undecided: Undecided) -> bytes:
        """Take ``text[done:]`` and the values in it."""
        out: list[bytes] = []
        is_plain = not self._veil_names or text.isascii()
        weighed = done
        for form, begin, start, opened, end in values:
            if start > undecided.start:
                break
            if end is None:
                self.accepted += weight(text[weighed:done])
                out.append(self._passed(text[done:begin]))
                self._look_back(text, begin)
                out.append(self._hold(_Gathering(form, bytearray(text[begin:]), opened - begin, start - begin)))
                return b"".join(out)
            if undecided.start < end and len(text) - begin <= UNJUDGED_VALUE_BYTES:
                # A token may have begun within the value, and go on behind its end.
                undecided = undecided._replace(start=begin)
                break
            if is_plain and end - start <= self._pending_bytes:
                # As below, but all are weighed at once: there may be thousands.
                out += text[done:start], form.marker
                self.redactions[form.name] += 1
                self.edits.append((self._settled + start - done, end - start, form.marker_bytes))
                self._settled += end - done
            else:
                self.accepted += weight(text[weighed:done])
                out += self._passed(text[done:start]), self._replaced(form, text[start:end])
                weighed = end
            done = end
        self.accepted += weight(text[weighed:done])
        out.append(self._rest(text, done, undecided))
        return b"".join(out)

    def _rest(self, text: bytes, done: int, undecided: Undecided) -> bytes:
        """Take ``text[done:]``, in which no value begins but perhaps an undecided one."""
        self._look_back(text, undecided.start)
        self._state = _Searching(text[undecided.start :], undecided.begun, undecided.body)
        return self._passed(text[done : undecided.start])

    def _gather(self, state: _Gathering, text: bytes) -> bytes:
        # What ends it may have begun in what was held.
        searched = max(state.opened, len(state.value) - ENDS_BYTES)
        state.value.extend(text)
        if not state.form.ends.search(state.value, searched):
            return self._hold(state)
        # It is found again, with all that begins in it.
        self._state = _Searching()
        return self._search(bytes(state.value))

    def _hold(self, state: _Gathering) -> bytes:
        """Hold a value that goes on, or give it up."""
        value = state.value
        if len(value) <= self._pending_bytes:
            self._state = state
            return b""
        kept = len(value) - ENDS_BYTES
        self._look_back(self._behind + value, len(self._behind) + kept)
        self._state = _Omitting(state.form, bytes(value[kept:]))
        return self._passed(bytes(value[: state.start])) + self._omitted(value[state.start : kept])

    def _omit(self, form: Form, text: bytes) -> bytes:
        start = len(self._behind)
        seen = self._behind + text
        ends = form.ends.search(seen, start)
        end = ends.start() if ends else max(start, len(seen) - ENDS_BYTES)
        self._drop(seen[start:end])
        self._look_back(seen, end)
        if ends:
            self._state = _Searching()
            return self._search(seen[end:])
        self._state = _Omitting(form, seen[end:])
        return b""

    def _drop(self, text: bytes) -> None:
        """Take more of an omitted fragment."""
        self.discarded += weight(text)
        self._note(len(text), 0)

    def _look_back(self, text: bytes, end: int) -> None:
        self._behind = text[max(0, end - LOOK_BACK_BYTES) : end]

    def _passed(self, text: bytes) -> bytes:
        self.accepted += weight(text)
        if self._veil_names and not text.isascii():
            return self._unveiled(text)
        self._settled += len(text)
        return text

    def _unveiled(self, text: bytes) -> bytes:
        """Give the veils in a text the form that readers see."""
        out: list[bytes] = []
        done = 0
        for found in VEIL_PART.finditer(text):
            out.append(text[done : found.start()])
            self._settled += found.start() - done
            done = found.end()
            if found[0][:1] == VEIL_MORE:
                self._note(len(found[0]), 0)
                continue
            name = self._veil_names[index_of(found[0])]
            self.redactions[name] += 1
            out.append(self._put(found[0], f"[redacted:{name}]".encode()))
        self._settled += len(text) - done
        return b"".join([*out, text[done:]])

    def _replaced(self, form: Form, value: bytes) -> bytes:
        if len(value) > self._pending_bytes:
            return self._omitted(value)
        if form.is_token and self._veil_names and not value.isascii():
            return b"".join(self._passed(part) if kept else self._marked(form, part) for kept, part in apart(value))
        return self._marked(form, value)

    def _marked(self, form: Form, value: bytes) -> bytes:
        self.accepted += weight(value)
        self.redactions[form.name] += 1
        return self._put(value, form.marker)

    def _omitted(self, fragment: bytes | bytearray) -> bytes:
        self.discarded += weight(fragment)
        self.omitted += 1
        return self._put(fragment, OMITTED)

    def _put(self, instead_of: bytes | bytearray, text: bytes) -> bytes:
        self._note(len(instead_of), len(text))
        return text

    def _note(self, removed: int, put: int) -> None:
        self.edits.append((self._settled, removed, put))
        self._settled += removed
