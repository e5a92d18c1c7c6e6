"""Which test a line is about, told from the ways in which test runners name them."""

from __future__ import annotations

import re
from typing import Final

from capture_core.failures.pattern import Subject

_TITLE: Final = re.compile(rb"^_+ (?:ERROR (?:at \w+ of|collecting) )?(.*?) _+$")
_NODE: Final = re.compile(
    rb"^(?:\[gw\d+\] \[ *\d+%\] )?(?:(?:FAILED|ERROR) )?(\S.*?)(?: - .*| (?:FAILED|ERROR) +\[.*)?\s*$"
)
_CARGO: Final = re.compile(rb"^(?:----|test) (\S.*?)(?: - should panic)? (?:stdout ----|\.\.\. FAILED)$")


def subject(kind: Subject, line: bytes) -> bytes:
    """Return the name of the test that ``line`` tells of, the same for every form of one runner; empty: none."""
    match kind:
        case Subject.NONE:
            return b""
        case Subject.PYTEST_TITLE:
            return _first(_TITLE, line)
        case Subject.PYTEST_NODE:
            return _after_file(_first(_NODE, line))
        case Subject.CARGO:
            return _first(_CARGO, line)


def _first(form: re.Pattern[bytes], line: bytes) -> bytes:
    found = form.match(line)
    return found[1] if found else b""


def _after_file(node: bytes) -> bytes:
    """``test_shop.py::TestCart::test_long`` as a title names it; a file that could not be collected is its own name."""
    file, _, names = node.partition(b"::")
    if not names:
        return file
    names, bracket, parameters = names.partition(b"[")
    return names.replace(b"::", b".") + bracket + parameters
