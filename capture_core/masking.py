"""The sanitiser as captures use it: one engine for all, loaded with the first text that needs it, kept on disk.

The sanitiser's own modules are loaded as late: a command that prints nothing does not wait for them.
"""

from __future__ import annotations

import contextlib
import functools
import os
import stat
import threading
from collections import Counter
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from capture_core import names
from capture_core.directory import open_own
from capture_core.durable import replace
from capture_core.errors import BadInput, EngineUnavailable, PlaceRefused
from capture_core.facts import RepresentationFacts
from capture_core.known_sources import NOTHING_KNOWN
from capture_core.limits import LABEL_CHARS, MESSAGE_CHARS
from capture_core.limits.sanitising import ENGINE_FILE_BYTES, SHORTEST_KNOWN_BYTES, SHORTEST_SECRET_BYTES, SKIPPED_NAMES
from capture_core.names import raw_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.known_sources import KnownSources
    from capture_core.limits import Limits
    from capture_core.redact.chain import Chain
    from capture_core.redact.hiding import Hiding
    from capture_core.redact.scanning import Engine
    from capture_core.redact.user_rules import CompiledRules
    from capture_core.stage import TextStage
    from capture_core.text_only import TextOnly
    from capture_core.user_rule import UserRule

_ENGINE_FILE: Final = "redaction-engine"
_TRANSFORMS: Final = ("utf-8-replaced", "control-stripped", "redacted")
_ONE_LINE: Final = dict.fromkeys(map(ord, "\t\n\r"), " ")
_engine_lock: Final = threading.Lock()


class EngineMasking:
    """Sanitisers that share one engine.  Thread-safe."""

    is_raw: Final = False

    def __init__(
        self,
        limits: Limits,
        *,
        engine_folder: str | None = None,
        user_rules: Sequence[UserRule] = (),
        known: KnownSources = NOTHING_KNOWN,
        slow: bool = False,
    ) -> None:
        """``engine_folder``: a private folder of the user's where the compiled engine is kept, or none.

        ``known``: where values come from that are masked in every form; they are collected when first needed.
        ``slow``: use the engine that needs no hyperscan.
        """
        self._slow = slow
        self._compiled_rules: CompiledRules | None = None
        self._known = known
        self._hiding: Hiding | None = None
        self._skipped: tuple[str, ...] | None = None
        self._user_rules = tuple(user_rules)
        self._pending_bytes = limits.pending_fragment_bytes
        self._engine_folder = engine_folder

    def require(self) -> None:
        """Look for the engine without loading it; raises ``EngineUnavailable`` where none is installed.

        Rules of the user's own are compiled, in milliseconds: raises ``BadInput`` for one that cannot be.
        """
        if self._slow and self._user_rules:
            raise BadInput("the slow engine runs no redaction rules of your own; leave out --engine slow, or the rules")
        if not self._slow and find_spec("hyperscan") is None:
            raise EngineUnavailable(
                "hyperscan, which finds secrets in the output, is not installed; install it, or use --engine slow"
            )
        self._rules()

    def stage(self) -> TextOnly:
        """A new sanitiser for one stream, which leaves out what is binary."""
        from capture_core.sanitise import Sanitiser
        from capture_core.text_only import TextOnly

        return TextOnly(Sanitiser(pending_bytes=self._pending_bytes, engine=self._engine, veils=self._veils))

    def line(self, text: str, *, at_most_chars: int = LABEL_CHARS) -> str:
        """``text`` as one bounded line, sanitised like a stream."""
        # Lone surrogates stand for bytes of a command line that are not UTF-8: they become what such bytes become.
        raw = raw_text(text)
        if self._is_harmless(raw):
            return raw.decode().strip()
        from capture_core.sanitise import sanitised

        masked = sanitised(raw, pending_bytes=self._pending_bytes, engine=self._engine, veils=self._veils)
        line = masked.decode().translate(_ONE_LINE).strip()
        return line if len(line) <= at_most_chars else line[: at_most_chars - 1] + "…"

    def is_plain(self, name: str) -> bool:
        """Tell at once, without loading anything, that there is nothing to mask in a name; ``False``: there may be."""
        raw = raw_text(name)
        values = self._known.environ.values()
        return (
            names.tells_no_secret(name)
            and not self._user_rules
            and not self._known.files
            and not any(len(value) >= SHORTEST_KNOWN_BYTES and value in raw for value in values)
        )

    def message(self, text: str) -> str:
        """``text``, which may repeat what the user gave, as a line for the user's eyes; nothing where none masks it."""
        try:
            return self.line(text, at_most_chars=MESSAGE_CHARS)
        except EngineUnavailable:
            return "what went wrong is not told: without the engine that finds secrets it may hold one"

    def _is_harmless(self, raw: bytes) -> bool:
        """Tell, without loading the engine, whether a text is too short to hold a secret or a control."""
        if self._user_rules or len(raw) >= SHORTEST_SECRET_BYTES or not raw.isascii() or not raw.decode().isprintable():
            return False
        return len(raw) < SHORTEST_KNOWN_BYTES or not self._collected().may_be_in(raw)

    def facts(self, stages: Sequence[TextStage]) -> RepresentationFacts:
        """What was done to the text of ``stages``, together."""
        counts = [stage.counts() for stage in stages]
        redactions: Counter[str] = Counter()
        for count in counts:
            redactions.update(count.redactions)
        return RepresentationFacts(
            transforms=_TRANSFORMS,
            redactions=dict(redactions),
            replaced_bytes=sum(count.replaced_bytes for count in counts),
            stripped_bytes=sum(count.stripped_bytes for count in counts),
            omitted_fragments=sum(count.omitted_fragments for count in counts),
            unmasked_values=self._names_skipped(),
        )

    def _names_skipped(self) -> tuple[str, ...]:
        """The names of values that were not looked for; none before anything was."""
        if self._hiding is None:
            return ()
        if self._skipped is None:
            names = self._hiding.skipped
            self._skipped = tuple(map(self.line, names[:SKIPPED_NAMES]))
            if len(names) > SKIPPED_NAMES:
                self._skipped += (f"and {len(names) - SKIPPED_NAMES} more",)
        return self._skipped

    def _rules(self) -> CompiledRules | None:
        if self._user_rules and self._compiled_rules is None:
            from capture_core.redact.user_rules import CompiledRules

            self._compiled_rules = CompiledRules(self._user_rules)
        return self._compiled_rules

    def _collected(self) -> Hiding:
        from capture_core.redact.heads import CompiledScanners, PlainScanners
        from capture_core.redact.hiding import Hiding

        rules: CompiledRules | None = None
        # A rule that cannot be compiled is told of by who asks for it; until then there are messages to be masked.
        with contextlib.suppress(BadInput):
            rules = self._rules()
        with _engine_lock:
            if self._hiding is None:
                self._hiding = Hiding(
                    self._known.collect(),
                    PlainScanners if self._slow else CompiledScanners,
                    rules=rules,
                    pending_bytes=self._pending_bytes,
                )
            return self._hiding

    def _veils(self) -> Chain:
        return self._collected().veils()

    def _engine(self) -> Engine:
        with _engine_lock:
            return _slow_engine() if self._slow else engine_from(self._engine_folder)


@functools.cache
def _slow_engine() -> Engine:
    from capture_core.redact.slow import SlowEngine

    return SlowEngine()


@functools.cache
def engine_from(folder: str | None) -> Engine:
    """The engine of the built-in rules: as an earlier process left it in ``folder``, else compiled, and left there.

    Compiling takes most of a second, loading about a millisecond.  A file that is not ours alone is not believed: it
    is machine code's equal.
    """
    from capture_core.redact.engine import Engine

    if folder is None:
        return Engine.compile()
    engine = Engine.load(_stored(folder))
    if engine is None:
        engine = Engine.compile()
        # No place to keep it means compiling again next time, and nothing else.
        with contextlib.suppress(OSError, PlaceRefused):
            _store(folder, engine.serialise())
    return engine


def _stored(folder: str) -> bytes:
    try:
        fd = os.open(os.path.join(folder, _ENGINE_FILE), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return b""
    with open(fd, "rb") as file:
        status = os.fstat(fd)
        ours = status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not ours or not stat.S_ISREG(status.st_mode) or status.st_size > ENGINE_FILE_BYTES:
            return b""
        return file.read(ENGINE_FILE_BYTES)


def _store(folder: str, data: bytes) -> None:
    directory, _ = open_own(folder)
    try:
        replace(directory, f".{os.getpid()}-{os.urandom(8).hex()}", directory, _ENGINE_FILE, data)
    finally:
        directory.close()
