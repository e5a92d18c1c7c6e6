"""The beginnings of known values, by which a scanner looks for all of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from capture_core.errors import EngineUnavailable
from capture_core.limits.sanitising import KNOWN_HEAD_BYTES
from capture_core.redact.library import hyperscan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hyperscan import Database

    from capture_core.redact.known import Literal


Hit = tuple[int, int]
"""A head that a scanner found: its index, and where in the text it ends.  Bare, since there may be one a byte."""


class HeadScanner(Protocol):
    """Finds every occurrence of every head, overlapping ones too; for one stream."""

    def __call__(self, before: bytes, text: bytes, /) -> Iterable[Hit]:
        """Return those that end in ``text``, as ``before`` precedes it, and perhaps some that end in ``before``.

        In any order; ends are counted from where ``before`` begins.
        """


class Scanners(Protocol):
    """What finds heads, made once for all streams."""

    def scanner(self) -> HeadScanner:
        """Return a scanner for one stream."""


class Heads:
    """What is looked for first: immutable, one for all streams."""

    def __init__(self, literals: Iterable[Literal]) -> None:
        by_head: dict[bytes, list[Literal]] = {}
        for literal in sorted(literals, key=lambda literal: -literal.group):
            by_head.setdefault(literal.text[:KNOWN_HEAD_BYTES], []).append(literal)
        self.texts = tuple(by_head)
        """What a scanner is to look for."""
        self.literals = tuple(map(tuple, by_head.values()))
        """The known values that begin with each of them."""
        self.begun = {
            head[:length]: literals[-1].group for head, literals in by_head.items() for length in range(1, len(head))
        }
        """Every beginning of a head that is not all of it, with the index of a name that it may stand for."""


class PlainScanners:
    """Scanners without an engine; slow when there are many heads."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._texts = texts

    def scanner(self) -> HeadScanner:
        """Return a scanner for one stream."""
        return self._scan

    def _scan(self, before: bytes, text: bytes) -> list[Hit]:
        text, hits = before + text, []
        for head, sought in enumerate(self._texts):
            start = text.find(sought)
            while start >= 0:
                hits.append((head, start + len(sought)))
                start = text.find(sought, start + 1)
        return hits


class CompiledScanners:
    """Scanners on hyperscan, compiled once for all streams, in less than a millisecond for twenty heads."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        """Compile; raises :exc:`EngineUnavailable`."""
        self._hyperscan = hs = hyperscan()
        self._database = hs.Database(mode=hs.HS_MODE_VECTORED)
        try:
            self._database.compile(expressions=texts, ids=range(len(texts)), flags=[0] * len(texts), literal=True)
        except hs.error as error:
            raise EngineUnavailable(f"hyperscan cannot compile the known values: {error}") from error

    def scanner(self) -> HeadScanner:
        """Return a scanner for one stream, with the scratch space that each scan wants for itself."""
        return _scan_with(self._database, self._hyperscan.Scratch(self._database))


def _scan_with(database: Database, scratch: Any) -> HeadScanner:  # noqa: ANN401 — hyperscan's stub lacks it
    def scan(before: bytes, text: bytes) -> list[Hit]:
        hits: list[Hit] = []
        parts: Any = [before, text]  # so that they need not be put together, which is a copy of both
        database.scan(parts, _note, context=hits, scratch=scratch)
        return hits

    return scan


def _note(head: int, _start: int, end: int, _flags: int, hits: Any) -> None:  # noqa: ANN401
    hits.append((head, end))
