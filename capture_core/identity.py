"""What is known of a capture before it starts, and whether it may."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from capture_core import names
from capture_core.errors import BadName
from capture_core.facts import ProcessState
from capture_core.limits import LimitFrom
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.facts import Producer, StreamName, Upstream
    from capture_core.stage import Masking


class Ground(StrEnum):
    """Who waits for a job that is started, and so when others must see its capture."""

    BACKGROUND = "background"
    """Nobody: it can be found from its launch on."""
    FOREGROUND = "foreground"
    """Whoever started it; it can be found from its launch on."""
    INLINE = "inline"
    """Whoever started it; a text that fits the preview is given back, and no file has it."""


class Identity(NamedTuple):
    """What is known of a capture before it starts."""

    conversation: str
    tool: str
    streams: tuple[StreamName, ...]
    producer: Producer
    call_id: str | None = None
    job_id: str | None = None
    limit_from: LimitFrom = LimitFrom.DEFAULT
    process: ProcessState = ProcessState.RUNNING
    ground: Ground = Ground.FOREGROUND
    upstream: Upstream | None = None
    """What is said of a given text."""


def admit(tool: str, masking: Masking) -> None:
    """Raise ``Refused`` for a name of which no folder may be made, and where there is nothing that masks."""
    masking.require()
    names.new_tool_name(tool)
    if not masking.is_plain(tool) and masking.line(tool) != tool:
        raise BadName("the tool's name holds a secret, and would name a folder; choose another for it")
