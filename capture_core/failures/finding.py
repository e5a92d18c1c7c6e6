"""What is said of a likely failure: what it looks like, where it stands, and the one line that tells most of it."""

from __future__ import annotations

from enum import StrEnum

from capture_core.record import NamedTuple


class Kind(StrEnum):
    """What seems to have failed."""

    COMPILER = "compiler"
    LINKER = "linker"
    TEST = "test"
    BUILD = "build"
    TRACEBACK = "traceback"
    CRASH = "crash"
    COMMAND = "command"
    """A command that was not found, or could not do what it was asked for."""
    MESSAGE = "message"
    """A line that calls itself an error, whoever wrote it."""


class Severity(StrEnum):
    """How much a failure means."""

    FATAL = "fatal"
    """A process came to its end by it."""
    ERROR = "error"
    CONSEQUENCE = "consequence"
    """It tells that something failed, which stands elsewhere, most often before."""


class Finding(NamedTuple):
    """One likely failure: bytes ``start:end`` of the stream, without the last line's newline.

    ``headline`` is the line at ``at`` that tells most of it, cut to ``FAILURE_HEADLINE_BYTES``.  ``first_line`` and
    ``last_line`` count from 1, both included; ``None``: lines were not counted.
    """

    pattern: str
    tool: str
    kind: Kind
    severity: Severity
    start: int
    end: int
    at: int
    headline: bytes
    first_line: int | None
    last_line: int | None
