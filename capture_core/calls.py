"""What a host may say of a command that it wants run, each with its default; looked at, then as the owner takes it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final, TypedDict

from capture_core import checked
from capture_core.facts import Producer, StreamName
from capture_core.identity import Ground, Identity
from capture_core.launch import Command
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PRODUCER: Final = Producer(adapter="library", version="1", source="process")


class CallOptions(TypedDict, total=False):
    """What :meth:`capture_core.Conversation.start` and ``run`` take by name, beside the command."""

    tool: str
    """Whose output this is: the folder below ``tool-outputs/``; ``shell`` when not given."""
    call_id: str | None
    """The caller's name for the call, kept in the receipt."""
    label: str | None
    """One line to call it by, masked; the command line when not given."""
    cwd: str | None
    env: Mapping[str, str] | None
    """As of ``subprocess``."""
    merge: bool
    """One pipe for both streams, so that their order is known."""
    timeout: float | None
    """Seconds, then TERM and KILL."""
    nice: int
    """Added to the command's niceness, within -20 and 19."""
    memory_limit: int | None
    """Bytes; when all its processes together have more, they are killed."""
    max_output: int | None
    """Bytes; at so much output, of all streams together, TERM and KILL."""
    raw_binary: bool
    """Keep the exact bytes of the streams, unmasked."""
    mask_env: Sequence[str]
    """Globs of environment variables whose values are masked, beside those whose names look secret."""
    mask_files: Sequence[str]
    """Files whose contents, and whose lines, are masked."""


class Call(NamedTuple):
    """One call with all that was said of it, as it was given: its fields are those of :class:`CallOptions`."""

    argv: Sequence[str]
    tool: str = "shell"
    call_id: str | None = None
    label: str | None = None
    cwd: str | None = None
    env: Mapping[str, str] | None = None
    merge: bool = False
    timeout: float | None = None
    nice: int = 0
    memory_limit: int | None = None
    max_output: int | None = None
    raw_binary: bool = False
    mask_env: Sequence[str] = ()
    mask_files: Sequence[str] = ()

    def checked(self) -> Call:
        """The same with every value of its type and range.  Raises ``BadInput``."""
        words = checked.argv(self.argv)
        return self._replace(
            argv=words,
            tool=checked.text("tool", self.tool),
            call_id=checked.text_or_none("call_id", self.call_id),
            label=shlex.join(words) if self.label is None else checked.text("label", self.label),
            cwd=None if self.cwd is None else checked.path("cwd", self.cwd),
            env=checked.environment(self.env),
            timeout=checked.seconds("timeout", self.timeout),
            nice=checked.niceness("nice", self.nice),
            memory_limit=checked.size_or_none("memory_limit", self.memory_limit),
            max_output=checked.size_or_none("max_output", self.max_output),
        )

    def identity(self, conversation: str, ground: Ground) -> Identity:
        """Which capture this makes in ``conversation``, and who waits for it."""
        streams = (StreamName.OUTPUT,) if self.merge else (StreamName.STDOUT, StreamName.STDERR)
        return Identity(
            conversation=conversation,
            tool=self.tool,
            streams=streams,
            producer=PRODUCER,
            call_id=self.call_id,
            ground=ground,
        )

    def command(self) -> Command:
        """What is run, reading nothing."""
        return Command(
            argv=self.argv,
            cwd=self.cwd,
            env=self.env,
            stdin=None,
            timeout_seconds=self.timeout,
            nice=self.nice,
            memory_limit_bytes=self.memory_limit,
            max_output_bytes=self.max_output,
        )
