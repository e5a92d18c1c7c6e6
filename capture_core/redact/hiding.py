"""What the user alone knows to be secret, made ready to be hidden: compiled once, stages for each stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.limits import KIB
from capture_core.limits.sanitising import SHORTEST_KNOWN_BYTES
from capture_core.redact.chain import Chain
from capture_core.redact.heads import CompiledScanners, Heads
from capture_core.redact.known import GROUPS
from capture_core.redact.literals import LiteralFinder
from capture_core.redact.veils import Veils

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capture_core.redact.chain import Hider
    from capture_core.redact.heads import Scanners
    from capture_core.redact.known import KnownValues
    from capture_core.redact.user_rules import CompiledRules


class Hiding:
    """Makes the stages that hide known values and what the user's rules match.

    Immutable but for what is compiled with the first stage.
    """

    def __init__(
        self,
        known: KnownValues,
        compiled: Callable[[Sequence[bytes]], Scanners] = CompiledScanners,
        *,
        rules: CompiledRules | None = None,
        pending_bytes: int = 64 * KIB,
    ) -> None:
        """``pending_bytes``: beyond it, what may become a match of a rule is hidden with all of its line."""
        self.skipped = known.skipped
        """Names of values that are not looked for."""
        self._known = known
        self._compiled = compiled
        self._ready: tuple[Heads, Scanners] | None = None
        self._rules = rules
        self._pending_bytes = pending_bytes

    def veils(self) -> Chain:
        """Stages for one stream.  Raises :exc:`~capture_core.errors.EngineUnavailable`."""
        stages: list[Hider] = []
        if self._known.literals:
            stages.append(self._known_values())
        if self._rules is None:
            return Chain(stages, GROUPS if stages else ())
        stages.append(self._rules.stage(first_name=len(GROUPS), pending_bytes=self._pending_bytes))
        return Chain(stages, (*GROUPS, *self._rules.names))

    def _known_values(self) -> Veils:
        if self._ready is None:
            heads = Heads(self._known.literals)
            self._ready = heads, self._compiled(heads.texts)
        heads, scanners = self._ready
        return Veils([LiteralFinder(heads, scanners.scanner())], GROUPS)

    def may_be_in(self, text: bytes) -> bool:
        """Tell, without an engine, whether a short text may hold a known value."""
        return len(text) >= SHORTEST_KNOWN_BYTES and any(literal.text in text for literal in self._known.literals)
