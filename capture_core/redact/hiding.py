"""Known values made ready to be hidden: compiled once, a stage for each stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.limits import SHORTEST_KNOWN_BYTES
from capture_core.redact.heads import CompiledScanners, Heads
from capture_core.redact.known import GROUPS
from capture_core.redact.literals import LiteralFinder
from capture_core.redact.veils import Veils

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capture_core.redact.heads import Scanners
    from capture_core.redact.known import KnownValues


class Hiding:
    """Makes the stages that hide known values.  Immutable but for what is compiled with the first stage."""

    def __init__(self, known: KnownValues, compiled: Callable[[Sequence[bytes]], Scanners] = CompiledScanners) -> None:
        self.skipped = known.skipped
        """Names of values that are not looked for."""
        self._known = known
        self._compiled = compiled
        self._ready: tuple[Heads, Scanners] | None = None

    def veils(self) -> Veils:
        """A stage for one stream.  Raises :exc:`~capture_core.errors.EngineUnavailable`."""
        if not self._known.literals:
            return Veils((), ())
        if self._ready is None:
            heads = Heads(self._known.literals)
            self._ready = heads, self._compiled(heads.texts)
        heads, scanners = self._ready
        return Veils([LiteralFinder(heads, scanners.scanner())], GROUPS)

    def may_be_in(self, text: bytes) -> bool:
        """Tell, without an engine, whether a short text may hold a known value."""
        return len(text) >= SHORTEST_KNOWN_BYTES and any(literal.text in text for literal in self._known.literals)
