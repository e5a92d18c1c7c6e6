"""What an owner says where something went wrong: an exit code, and one line without a secret in it."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from capture_core.errors import BadInput, EngineUnavailable, PlaceGone, Refused, SpawnFailed
from capture_core.exit_codes import NOT_EXECUTABLE, NOT_FOUND, NOT_STARTED, USAGE
from capture_core.hearing import CalledOff
from capture_core.link import NotStarted

if TYPE_CHECKING:
    from capture_core.capture import Capture
    from capture_core.job import Outcome
    from capture_core.masking import EngineMasking

_NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM})


def not_started(error: CalledOff | Refused | SpawnFailed | OSError, masking: EngineMasking) -> NotStarted:
    """What the front is told where no command was started."""
    if isinstance(error, CalledOff):
        return error.as_told()
    # The one error that cannot be masked: it repeats nothing that the user gave.
    words = str(error) if isinstance(error, EngineUnavailable) else masking.message(str(error))
    if isinstance(error, BadInput):
        return NotStarted(code=USAGE, words=words)
    if isinstance(error, SpawnFailed):
        return NotStarted(code=_code(error.errno), words=words)
    return NotStarted(code=NOT_STARTED, words=f"{words}; or run it with --no-capture")


def _code(number: int) -> int:
    """The shell's: whether the command is not there, cannot be run, or was not even tried."""
    if number in _NO_ROOM:
        return NOT_STARTED
    return NOT_FOUND if number == errno.ENOENT else NOT_EXECUTABLE


def words_of(outcome: Outcome, capture: Capture, masking: EngineMasking) -> str:
    """What went wrong with the capture of a command that ran, in one line, or nothing."""
    if isinstance(outcome.failure, PlaceGone):
        return f"the capture is gone: {outcome.failure}"
    if outcome.failure is not None:
        what = f"{capture.ref} is a leftover" if capture.is_seen else "nothing is kept"
        return f"the capture could not be finished ({_why(outcome.failure, masking)}); {what}"
    if outcome.not_passed_on is not None:
        return f"output could not be passed on to its end ({outcome.not_passed_on}); the capture has it"
    return outcome.mishap or ""


def _why(failure: BaseException, masking: EngineMasking) -> str:
    if isinstance(failure, EngineUnavailable):
        return str(failure)
    words = (failure.strerror or "").lower() if isinstance(failure, OSError) else masking.message(str(failure))
    return words or type(failure).__name__
