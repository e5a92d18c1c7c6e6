"""All patterns, in the order in which they are tried: whoever knows most of a line comes first."""

from __future__ import annotations

from typing import Final

from capture_core.failures.builders import BUILDERS
from capture_core.failures.commands import COMMANDS
from capture_core.failures.compilers import COMPILERS
from capture_core.failures.crashes import CRASHES
from capture_core.failures.linkers import LINKERS
from capture_core.failures.messages import MESSAGES
from capture_core.failures.other_tests import CARGO_END, OTHER_TESTS
from capture_core.failures.python_tests import PYTEST_END, PYTHON_TESTS
from capture_core.failures.traces import TRACES

PATTERNS: Final = (
    *LINKERS,
    *COMPILERS,
    *PYTHON_TESTS,
    *OTHER_TESTS,
    *BUILDERS,
    *TRACES,
    *CRASHES,
    *COMMANDS,
    *MESSAGES,
)

RUN_ENDS: Final = (PYTEST_END, CARGO_END)
"""Whatever runs tests by name, and tells of one in more than one place."""
