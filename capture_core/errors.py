"""Errors, each named for what the caller may conclude; the words for people are in ``str(error)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capture_core.facts import Receipt


class CaptureError(Exception):
    """The root of all errors that this package raises on purpose; one clear line each."""


class Refused(CaptureError):
    """Nothing was written and no child was started: the input or the place is not acceptable."""


def system_words(error: OSError | ValueError) -> str:
    """What the system says of it, in lower case, as it stands within a line: ``no space left on device``."""
    strerror = error.strerror if isinstance(error, OSError) else None
    return (strerror or str(error)).lower()


def no_thread(error: RuntimeError) -> Refused:
    """What is to be said where Python could start no thread."""
    return Refused(f"no thread can be started ({error}): a limit of memory or of processes")


class BadInput(Refused):
    """What was given to read cannot be read."""


class BadName(Refused):
    """A tool name, capture id or stream name is not of its form."""


class PlaceRefused(Refused):
    """A conversation, or a step on the way to a capture, is missing, not ours, or not what it must be."""


class Unsupported(Refused):
    """This platform or file system lacks a call without which the promise cannot be kept."""


class PlaceGone(CaptureError):
    """Somebody removed the folder of a capture while it was written: nothing of it is left."""


class ConsumerBusy(Refused):
    """Another process has this consumer's turn, and did not give it back in time."""


class Unmarked(CaptureError):
    """What was handed over cannot be marked as delivered: it comes again, with the same id or offsets."""


class CursorStale(CaptureError):
    """What a consumer was given of a stream is not what stands there now; it begins anew by :meth:`Cursor.restart`.

    The bytes were replaced by another generation, or are fewer than were given.
    """

    def __init__(self, message: str, stream: str) -> None:
        super().__init__(message)
        self.stream = stream


class NameTaken(PlaceRefused):
    """A file already stands at one of our names; it was not touched."""


class EngineUnavailable(Refused):
    """The redaction engine cannot be loaded; capture refuses rather than run unmasked."""


class SpawnFailed(CaptureError):
    """The child was not started.  ``errno`` tells why, as ``execve`` reported it."""

    def __init__(self, program: str, errno: int, words: str) -> None:
        super().__init__(f"{program}: {words}")
        self.program = program
        self.errno = errno


class SourceFailed(CaptureError):
    """What was to be saved broke off; ``__cause__`` tells how.

    ``receipt`` is that of the capture which holds what came before, partial; ``None``: nothing came, and nothing
    stays behind.
    """

    def __init__(self, message: str, receipt: Receipt | None) -> None:
        super().__init__(message)
        self.receipt = receipt


class RefError(CaptureError):
    """A REF names no capture, or more than one."""


class UnknownRef(RefError):
    """No capture matches."""


class AmbiguousRef(RefError):
    """Several captures match; ``candidates`` holds their refs, newest first."""

    def __init__(self, message: str, candidates: tuple[str, ...]) -> None:
        super().__init__(message)
        self.candidates = candidates


class ReceiptError(CaptureError):
    """A receipt cannot be believed: not JSON, of an unknown major schema, or naming what is not its own."""


class StreamGone(CaptureError):
    """A stream's file vanished or was replaced while it was read."""


class StreamUnreadable(StreamGone):
    """A stream's file is there, and the system does not give its bytes: a broken disk, a server that went away."""
