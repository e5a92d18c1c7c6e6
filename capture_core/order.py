"""What a front hands to its owner: one job to run under capture."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from capture_core.errors import BadInput, system_words
from capture_core.facts import StreamName
from capture_core.limits import LimitFrom
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture_core.facts import Producer
    from capture_core.limits import Limits
    from capture_core.user_rule import UserRule


class Order(NamedTuple):
    """One job: what to run, where its capture goes, and what the terminal sees of it."""

    argv: Sequence[str]
    conversation: str
    tool: str
    producer: Producer
    limits: Limits
    limit_from: LimitFrom = LimitFrom.DEFAULT
    merge: bool = False
    """One pipe for both streams, so that their order is known."""
    pty: bool = False
    """A pseudo-terminal instead of pipes: one stream, and a command that behaves as at a desk."""
    pass_through: bool = True
    detach: bool = False
    inline: bool = False
    """Give the texts of a result that fits a preview back, and leave no file of it."""
    stdin: str | int | None = 0
    """What the child reads: a file by its name, our own stdin (0), or nothing."""
    timeout_seconds: float | None = None
    promote_after_seconds: float | None = None
    """How long the front waits; then the job goes on without it."""
    nice: int = 0
    """Added to the command's niceness, within -20 and 19."""
    memory_limit_bytes: int | None = None
    """More memory than this, of all its processes together, ends the job."""
    max_output_bytes: int | None = None
    """So much output, of all streams together, ends it."""
    label: str | None = None
    """``None``: the command line, masked."""
    with_label: bool = True
    call_id: str | None = None
    user_rules: tuple[UserRule, ...] = ()
    """Redaction rules of the user's own."""
    slow_engine: bool = False
    """Find secrets without hyperscan."""
    raw_binary: bool = False
    """Keep the streams' exact bytes."""
    mask_env: tuple[str, ...] = ()
    """Globs of environment variables whose values are masked, beside those whose names look secret."""
    mask_files: tuple[str, ...] = ()
    """Files whose contents, and whose lines, are masked."""
    on_complete: str | None = None
    """What the owner runs by ``sh -c`` when the final receipt is readable."""
    engine_folder: str | None = None
    """Where the compiled redaction engine is kept between runs."""

    @property
    def streams(self) -> tuple[StreamName, ...]:
        """The streams that the capture will have."""
        return (StreamName.OUTPUT,) if self.merge or self.pty else (StreamName.STDOUT, StreamName.STDERR)


def open_stdin(name: str) -> int:
    """Open the file that the child is to read.  Raises ``BadInput``."""
    try:
        return os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise BadInput(f"{name!r}: {system_words(error)}; name a file for --stdin") from error
