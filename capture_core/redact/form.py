"""A rule ready to be applied: where it opens a value, where that ends, and what of it is secret."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from capture_core.limits.sanitising import JUDGED_VALUE_BYTES, LOOK_BACK_BYTES
from capture_core.redact.breaks import is_text, secret_from
from capture_core.redact.veil import VEIL_CLASS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from capture_core.redact.rule import Rule

Opening = tuple[int, int, int]
"""Where it is, where the value begins that it opens, and where it ends."""

_MASKED = re.compile(f"[{VEIL_CLASS}]+[),;:\\]}}\"'&]*".encode())


class Form:
    """One rule, ready to be applied.  Few are in any one stream, so patterns are compiled when first needed."""

    def __init__(self, rule: Rule, order: int) -> None:
        self.order = order
        """Of two rules that are known at once, the one that comes first masks."""
        self.name = rule.name
        self.marker = f"[redacted:{rule.name}]".encode()
        """What takes the place of a value."""
        self.marker_bytes = len(self.marker)
        self._rule = rule
        self.is_token = rule.token is not None
        """Whether lines may be broken in its values."""
        self._has_no_judge = rule.token is not None and rule.spared is None and rule.within is None

    @cached_property
    def opening(self) -> re.Pattern[bytes]:
        """Tried where a candidate begins."""
        return _compiled(token_shape().opening(self._rule.token) if self._rule.token else self._rule.opening)

    @cached_property
    def ends(self) -> re.Pattern[bytes]:
        """What is beyond the value."""
        return _compiled(token_shape().ends(self._rule.token) if self._rule.token else self._rule.ends)

    @cached_property
    def unfinished(self) -> re.Pattern[bytes]:
        """A token that is not whole, at the end of a text; the group ``begun`` is what follows its introducer."""
        assert self._rule.token is not None, "only tokens are held before they open"  # noqa: S101 — a fault of ours
        return _compiled(token_shape().unfinished(self._rule.token))

    @cached_property
    def _lead(self) -> re.Pattern[bytes] | None:
        """What a token begins with: looked for within a candidate, since a search for all of it would look beyond."""
        return _compiled(token_shape().lead(self._rule.token)) if self._rule.token else None

    @cached_property
    def bytes_each(self) -> int | None:
        """How long what a scanner looks for is, without breaks of lines; ``None`` where that varies."""
        return token_shape().candidate_bytes(self._rule.token) if self._rule.token else None

    @cached_property
    def _spared(self) -> re.Pattern[bytes] | None:
        return None if self._rule.spared is None else _compiled(self._rule.spared)

    @cached_property
    def _within(self) -> re.Pattern[bytes] | None:
        return None if self._rule.within is None else _compiled(self._rule.within)

    def first(self, text: bytes, start: int, end: int) -> Opening | None:
        """Return the first value that opens where a candidate is; of what is no token: where one begins."""
        found = self.opening.match(text, start)
        placed = found and self._placed(text, found)
        return placed or (self.following(text, start, end, 0) if self.is_token else None)

    def following(self, text: bytes, start: int, end: int, floor: int) -> Opening | None:
        """Return the first value that opens behind ``start`` where a candidate is, and begins at ``floor`` or later."""
        placed = (self._placed(text, found) for found in self._openings(text, start + 1, end))
        return next((opening for opening in placed if opening and opening[1] >= floor), None)

    def _openings(self, text: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
        if self._lead is not None:
            for lead in self._lead.finditer(text, start, end):
                if found := self.opening.match(text, lead.start()):
                    yield found
            return
        while (found := self.opening.search(text, start, end + LOOK_BACK_BYTES)) and found.start() < end:
            yield found
            start = found.start() + 1

    def _placed(self, text: bytes, found: re.Match[bytes]) -> Opening | None:
        value = found.start("value")
        if self.is_token and (broken := found["broken"]) is not None:
            if is_text(broken):
                return None
            value = secret_from(text, value, found.end())
        return found.start(), value, found.end()

    def secret(self, value: bytes) -> tuple[int, int] | None:
        """Return which part of a whole value is secret; ``None`` when nothing is."""
        if self._has_no_judge and value.isascii():
            return 0, len(value)
        if self.spares(value):
            return None
        if self._within is None:
            return 0, len(value)
        found = self._within.fullmatch(value)
        return found and found.span("secret")

    def spares(self, value: bytes) -> bool:
        """Tell whether a value is no secret after all: nothing, what the rule spares, or masked already."""
        if not value:
            return True
        if len(value) <= JUDGED_VALUE_BYTES and self._spared is not None and self._spared.fullmatch(value):
            return True
        if value.isascii():
            return False
        found = self._within and self._within.fullmatch(value)
        return _MASKED.fullmatch(found["secret"] if found else value) is not None


def token_shape() -> ModuleType:
    """Return the module that makes a token's expressions."""
    # Loaded when a token is met: taking patterns apart is nothing for the start of a stream.
    from capture_core.redact import shape

    return shape


def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())
