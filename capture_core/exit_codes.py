"""The exit codes of every command, as a shell's script reads them."""

from __future__ import annotations

import signal

NO = 1
"""Nothing found, not all kept, or not what was asked for; where an end was to be told: nobody saw it."""
USAGE = 2
"""Bad input, or a place that takes nothing: nothing was done."""
TIMED_OUT = 124
"""As timeout(1): a time limit is over, or what was waited for is not."""
NOT_STARTED = 125
"""capview itself could not do it."""
NOT_EXECUTABLE = 126
NOT_FOUND = 127
_SIGNALLED = 128
HIGHEST = 255
"""The last exit code that there is."""


def of_signal(number: int) -> int:
    """The shell's form of an end by signal ``number``."""
    return _SIGNALLED + number


INTERRUPTED = of_signal(signal.SIGINT)
TERMINATED = of_signal(signal.SIGTERM)
BROKEN_PIPE = of_signal(13)
"""As the shell sees a program that SIGPIPE ended, which has no name everywhere."""
