"""The scanner for all rules at once, on hyperscan: compiled, or loaded from what an earlier one serialised."""

from __future__ import annotations

import functools
import os
import zlib
from typing import TYPE_CHECKING, Any

from capture_core.errors import EngineUnavailable
from capture_core.redact.exact import Candidate, Exact
from capture_core.redact.rules import RULES
from capture_core.strip import CONTROL

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from hyperscan import Database

    from capture_core.redact.rule import Rule

_DIGEST_BYTES = 4
_LENGTH_BYTES = 8


class Engine:
    """The compiled rules, immutable: one for all streams, with a :meth:`scanner` for each."""

    def __init__(self, exact: Exact, candidates: Database, controls: Database) -> None:
        self.exact = exact
        self._candidates = candidates
        self._controls = controls

    @classmethod
    def compile(cls, rules: Sequence[Rule] = RULES) -> Engine:
        """Compile the rules, in tens of milliseconds.  Raises :exc:`EngineUnavailable`."""
        hs, exact = _hyperscan(), Exact(rules)
        return cls(
            exact,
            # Vectored, so that what came before a block need not be put together with it, which is a copy of both.
            _compiled(hs, exact.candidates, hs.HS_MODE_VECTORED, hs.HS_FLAG_SOM_LEFTMOST),
            _compiled(hs, (CONTROL,), hs.HS_MODE_BLOCK, hs.HS_FLAG_SINGLEMATCH),
        )

    @classmethod
    def load(cls, serialised: bytes, rules: Sequence[Rule] = RULES) -> Engine | None:
        """Return the engine that :meth:`serialise` wrote, in about a millisecond.

        ``None`` when the bytes are not whole, or not of these rules, this version and this kind of machine.
        Raises :exc:`EngineUnavailable`.
        """
        hs, exact = _hyperscan(), Exact(rules)
        body = serialised[_DIGEST_BYTES:]
        if serialised[:_DIGEST_BYTES] != _digest(hs, exact, body):
            return None
        split = _LENGTH_BYTES + int.from_bytes(body[:_LENGTH_BYTES], "big")
        try:
            candidates = hs.loadb(body[_LENGTH_BYTES:split], hs.HS_MODE_VECTORED)
            engine = cls(exact, candidates, hs.loadb(body[split:], hs.HS_MODE_BLOCK))
            engine.scanner()
        except hs.error:  # the same kind of machine, but without an instruction that the other had
            return None
        return engine

    def serialise(self) -> bytes:
        """Return what :meth:`load` takes: a digest that proves it whole and fitting, and the databases."""
        hs = _hyperscan()
        candidates: bytes = hs.dumpb(self._candidates)
        controls: bytes = hs.dumpb(self._controls)
        body = len(candidates).to_bytes(_LENGTH_BYTES, "big") + candidates + controls
        return _digest(hs, self.exact, body) + body

    def scanner(self) -> Scanner:
        """Return a scanner for one stream."""
        return Scanner(self._candidates, self._controls)


class Scanner:
    """Scans for one stream, in one thread at a time: hyperscan wants scratch space for each scan that runs."""

    def __init__(self, candidates: Database, controls: Database) -> None:
        scratch = _hyperscan().Scratch
        self._candidates, self._candidates_scratch = candidates, scratch(candidates)
        self._controls, self._controls_scratch = controls, scratch(controls)

    def candidates(self, before: bytes, text: bytes) -> list[Candidate]:
        """Return the candidates that end in ``text``, as ``before`` precedes it, or in ``before``."""
        found: list[Candidate] = []
        parts: Any = [before, text]  # which the stub does not know
        self._candidates.scan(parts, _note, context=found, scratch=self._candidates_scratch)
        return found

    def has_control(self, text: bytes) -> bool:
        """Tell whether the text holds what :data:`~capture_core.strip.CONTROL` matches."""
        found: list[Candidate] = []
        self._controls.scan(text, _note, context=found, scratch=self._controls_scratch)
        return bool(found)


@functools.cache
def shared_engine() -> Engine:
    """Return the engine of the built-in rules, compiled once a process."""
    return Engine.compile()


def _note(pattern: int, start: int, _end: int, _flags: int, found: Any) -> None:  # noqa: ANN401
    found.append(Candidate(pattern, start))


def _compiled(hs: ModuleType, patterns: Sequence[bytes], mode: int, flags: int) -> Database:
    database: Database = hs.Database(mode=mode)
    try:
        database.compile(expressions=patterns, ids=range(len(patterns)), flags=[flags] * len(patterns))
    except hs.error as error:
        raise EngineUnavailable(f"hyperscan cannot compile the redaction rules: {error}") from error
    return database


def _digest(hs: ModuleType, exact: Exact, body: bytes) -> bytes:
    made_for = (hs.__version__, os.uname().machine, CONTROL, exact.candidates)
    # Against a file that is cut or stale, not against an enemy: who may write it may do anything else as well.
    return zlib.crc32(repr(made_for).encode() + body).to_bytes(_DIGEST_BYTES, "big")


def _hyperscan() -> ModuleType:
    # Imported when first needed: the import takes longer than the start of many a child.
    try:
        import hyperscan
    except ImportError as error:
        raise EngineUnavailable(
            f"hyperscan, which finds secrets in the output, cannot be loaded: {error}; nothing is captured unmasked"
        ) from error
    return hyperscan
