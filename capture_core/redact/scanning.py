"""What the sanitiser asks of an engine, whichever it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from capture_core.redact.exact import Exact


Candidate = tuple[int, int, int]
"""What a scanner found: the number of a pattern, and where in the text it matches: start and end.

Of matches that end together it may tell only the one that begins first.  A plain tuple, since there may be many.
"""


class Scanner(Protocol):
    """Scans for one stream, in one thread at a time."""

    def candidates(self, before: bytes, text: bytes) -> list[Candidate]:
        """Return where :attr:`Exact.plain` match: in ``text``, as ``before`` precedes it, or in ``before``.

        And where :attr:`Exact.joined` do, also where lines are broken in them.
        """

    def tails(self, text: bytes) -> list[Candidate]:
        """Return which of :attr:`Exact.tails` the text ends with, when its lines are joined, and where each begins."""

    def has_control(self, text: bytes) -> bool:
        """Tell whether the text holds what :data:`~capture_core.strip.CONTROL` matches."""

    def is_plain(self, raw: bytes) -> bool:
        """Tell whether these bytes hold nothing that :data:`~capture_core.strip.NOT_PLAIN` matches."""


class Engine(Protocol):
    """All rules, ready to be looked for; immutable, one for all streams."""

    @property
    def exact(self) -> Exact:
        """The rules' exact patterns."""

    def scanner(self) -> Scanner:
        """Return a scanner for one stream."""
