"""The scanner for all rules at once, on hyperscan: compiled, or loaded from what an earlier one serialised."""

from __future__ import annotations

import functools
import os
import zlib
from typing import TYPE_CHECKING, Any

from capture_core.errors import EngineUnavailable
from capture_core.limits.sanitising import LOOK_BACK_BYTES
from capture_core.record import NamedTuple
from capture_core.redact.breaks import placed, without_breaks
from capture_core.redact.exact import Exact
from capture_core.redact.library import hyperscan
from capture_core.redact.rules import RULES
from capture_core.strip import CONTROL, NOT_PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

    from hyperscan import Database

    from capture_core.redact.rule import Rule
    from capture_core.redact.scanning import Candidate

_DIGEST_BYTES = 4
_LENGTH_BYTES = 8
_END_BYTES = 128
_MAKERS = (
    "breaks.py",
    "engine.py",
    "exact.py",
    "form.py",
    "pattern.py",
    "rule.py",
    "shape.py",
    "veil.py",
    "../limits/sanitising.py",
)
_RETURN = b"\r"


class Engine:
    """The compiled rules, immutable: one for all streams, with a :meth:`scanner` for each."""

    def __init__(self, exact: Exact, databases: _Databases) -> None:
        self.exact = exact
        self._databases = databases

    @classmethod
    def compile(cls, rules: Sequence[Rule] = RULES) -> Engine:
        """Compile the rules, in most of a second.  Raises :exc:`EngineUnavailable`."""
        hs, exact = hyperscan(), Exact(rules)
        leftmost = hs.HS_FLAG_SOM_LEFTMOST
        databases = _Databases(
            on_lines=_compiled(hs, [*exact.plain, *exact.on_lines], leftmost),
            joined=_compiled(hs, exact.joined, leftmost),
            tails=_compiled(hs, exact.tails, leftmost),
            controls=_compiled(hs, [(0, CONTROL)], hs.HS_FLAG_SINGLEMATCH),
            not_plain=_compiled(hs, [(0, NOT_PLAIN)], hs.HS_FLAG_SINGLEMATCH),
        )
        return cls(exact, databases)

    @classmethod
    def load(cls, serialised: bytes, rules: Sequence[Rule] = RULES) -> Engine | None:
        """Return the engine that :meth:`serialise` wrote, in about a millisecond.

        ``None`` when the bytes are not whole, or not of these rules, this version and this kind of machine.
        Raises :exc:`EngineUnavailable`.
        """
        hs = hyperscan()
        reach = serialised[_DIGEST_BYTES : _DIGEST_BYTES + _LENGTH_BYTES]
        parts = list(_parts(serialised, _DIGEST_BYTES + _LENGTH_BYTES))
        if serialised[:_DIGEST_BYTES] != _digest(hs, rules, reach, parts):
            return None
        try:
            loaded = [hs.loadb(part, hs.HS_MODE_BLOCK) for part in parts]
            engine = cls(Exact(rules, int.from_bytes(reach, "big")), _Databases(*loaded))
            engine.scanner()
        except hs.error:  # the same kind of machine, but without an instruction that the other had
            return None
        return engine

    def serialise(self) -> bytes:
        """Return what :meth:`load` takes: a digest that proves it whole and fitting, and the databases."""
        hs = hyperscan()
        parts = [hs.dumpb(database) for database in self._databases]
        reach = self.exact.reach.to_bytes(_LENGTH_BYTES, "big")
        numbered = b"".join(len(part).to_bytes(_LENGTH_BYTES, "big") + part for part in parts)
        return _digest(hs, self.exact.rules, reach, parts) + reach + numbered

    def scanner(self) -> Scanner:
        """Return a scanner for one stream."""
        return Scanner(self._databases, max(self.exact.reach, LOOK_BACK_BYTES))


class _Databases(NamedTuple):
    """What hyperscan made of the patterns."""

    on_lines: Database
    """All candidates, for a text as it is: one pass over it takes two thirds of the time of two."""
    joined: Database
    tails: Database
    controls: Database
    not_plain: Database


class Scanner:
    """Scans for one stream, in one thread at a time: hyperscan wants scratch space for each scan that runs."""

    def __init__(self, databases: _Databases, across_bytes: int) -> None:
        """``across_bytes``: of what begins in one block, no more is in the next."""
        scratch = hyperscan().Scratch
        self._on_lines, self._joined, self._tails, self._controls, self._not_plain = (
            functools.partial(database.scan, scratch=scratch(database)) for database in databases
        )
        self._across_bytes = across_bytes

    def candidates(self, before: bytes, text: bytes) -> list[Candidate]:
        """Return the candidates in ``text``, as ``before`` precedes it, and in ``before``."""
        found = self._across(functools.partial(_found, self._on_lines), before, text)
        if _RETURN in before or _RETURN in text:
            found += self._across(self._found_joined, before, text)
        return found

    def _across(self, find: Callable[[bytes], list[Candidate]], before: bytes, text: bytes) -> list[Candidate]:
        """Find in the text, and in what is around its beginning.

        Scanning both as one without putting them together is what hyperscan calls vectored.  In that mode it misses
        some matches that lie across, and is slower.
        """
        if not before:
            return find(text)
        length = len(before)
        found = find(before + text[: self._across_bytes])
        return found + [(pattern, start + length, end + length) for pattern, start, end in find(text)]

    def _found_joined(self, text: bytes) -> list[Candidate]:
        found = _found(self._joined, without_breaks(text))
        return placed(found, text) if found else found

    def tails(self, text: bytes) -> list[Candidate]:
        """Return which of the tails the text ends with, when its lines are joined, and where each begins."""
        joined = without_breaks(text)
        return placed(_found(self._tails, joined), text) if joined else []

    def has_control(self, text: bytes) -> bool:
        """Tell whether the text holds what :data:`~capture_core.strip.CONTROL` matches."""
        return bool(_found(self._controls, text))

    def is_plain(self, raw: bytes) -> bool:
        """Tell whether these bytes hold nothing that :data:`~capture_core.strip.NOT_PLAIN` matches."""
        return not _found(self._not_plain, raw)


def _found(scan: Callable[..., object], text: bytes) -> list[Candidate]:
    found: list[Candidate] = []
    scan(text, _note, context=found)
    return found


def _parts(serialised: bytes, position: int) -> Iterator[bytes]:
    while position < len(serialised):
        start = position + _LENGTH_BYTES
        position = start + int.from_bytes(serialised[position:start], "big")
        yield serialised[start:position]


@functools.cache
def shared_engine() -> Engine:
    """Return the engine of the built-in rules, compiled once a process."""
    return Engine.compile()


def _note(pattern: int, start: int, end: int, _flags: int, found: Any) -> None:  # noqa: ANN401
    found.append((pattern, start, end))


def _compiled(hs: ModuleType, patterns: Sequence[tuple[int, bytes]], flags: int) -> Database:
    """Compile numbered patterns; several may have one number."""
    database: Database = hs.Database(mode=hs.HS_MODE_BLOCK)
    numbers, expressions = zip(*patterns, strict=True)
    try:
        database.compile(expressions=expressions, ids=numbers, flags=[flags] * len(patterns))
    except hs.error as error:
        raise EngineUnavailable(f"hyperscan cannot compile the redaction rules: {error}") from error
    return database


def _digest(hs: ModuleType, rules: Sequence[Rule], reach: bytes, parts: Sequence[bytes]) -> bytes:
    """Return what tells that databases are whole, and of these rules, this version and this kind of machine.

    Against a file that is cut or stale, not against an enemy: who may write it may do anything else as well.  But for
    its ends each database is within a checksum of its own, which hyperscan looks at.
    """
    looked_for = "\0".join(
        part for rule in rules for part in (*rule.candidates, *(map(str, rule.token) if rule.token else ()))
    )
    made_for = (hs.__version__, os.uname().machine, CONTROL, NOT_PLAIN, looked_for, _sources())
    ends = [(len(part), part[:_END_BYTES], part[-_END_BYTES:]) for part in parts]
    return zlib.crc32(repr((made_for, reach, ends)).encode()).to_bytes(_DIGEST_BYTES, "big")


def _sources() -> list[tuple[int, int]]:
    """Return what tells that patterns were made from the rules in another way: the state of the modules that do it."""
    folder = os.path.dirname(__file__)
    found = [os.stat(os.path.join(folder, name)) for name in _MAKERS]
    return [(status.st_size, status.st_mtime_ns) for status in found]
