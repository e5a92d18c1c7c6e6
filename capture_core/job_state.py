"""The states that a job goes through, one after the other, and what may come of asking that it be promoted.  Pure."""

from __future__ import annotations

from enum import StrEnum


class JobState(StrEnum):
    """Where a job stands.  They come in this order; any but the last may be skipped, and none comes back."""

    RUNNING = "running"
    """The child runs."""
    ENDING = "ending"
    """Somebody, or a limit, ended it: it was told to end, and will be killed after the grace."""
    DRAINING = "draining"
    """It has ended; a stream of its has not, or is not passed on yet."""
    FINISHING = "finishing"
    """Its streams are over; what is left of them is written, and the receipt published."""
    OVER = "over"
    """There is a final receipt, or a reason why there is none."""


class Promotion(StrEnum):
    """What came of asking that a job be promoted."""

    PROMOTED = "promoted"
    """It has gone to the background: nobody waits for it in the foreground any more, and its capture goes on."""
    BACKGROUND = "background"
    """It was there already, from its start or since it was promoted: nothing was done."""
    ENDED = "ended"
    """It has ended in the foreground, so that there is nothing to promote: nothing was done."""


def state_of(*, is_ending: bool, has_exited: bool, are_streams_over: bool, is_written: bool) -> JobState:
    """The state that follows from what was heard of the child, its streams and their writer."""
    if not has_exited:
        return JobState.ENDING if is_ending else JobState.RUNNING
    if not are_streams_over:
        return JobState.DRAINING
    return JobState.OVER if is_written else JobState.FINISHING
