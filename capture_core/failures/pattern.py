"""How one kind of failure looks: a record of expressions, with examples of what it finds and of what it must not.

Expressions are matched line by line, in the language that hyperscan and RE2 share, against a line without its newline
and without what carriage returns have overwritten: ASCII classes, no look-around, no back-references.  A blank line
matches none of them.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.failures.finding import Kind, Severity


class Subject(Enum):
    """How to tell which test a failure is about, so that two reports of one failure are told once."""

    NONE = auto()
    PYTEST_TITLE = auto()
    """``____ TestCart.test_long ____``."""
    PYTEST_NODE = auto()
    """``FAILED test_shop.py::TestCart::test_long - …``, in whichever order."""
    CARGO = auto()
    """``---- tests::adds stdout ----`` and ``test tests::adds ... FAILED``."""


class Section(NamedTuple):
    """A part of an output in which lines mean what they mean nowhere else; ``signs``: as a pattern's."""

    opens: str
    closes: str
    signs: tuple[str, ...]


class RunEnd(NamedTuple):
    """A line that ends a run of tests: those of the next may have the same names, what was only listed is told."""

    expression: str
    signs: tuple[str, ...]


class Block(NamedTuple):
    """Which lines after the first belong to a failure.

    ``lines`` of them, whatever they say; then each that matches ``body``, and blank lines between these if ``blank``.
    A line that matches ``stop`` ends the block before it; any other one ends it too, but if it matches ``last`` it is
    its last line.  Behind that, and behind blank lines, a line that matches ``again`` announces that its body goes on.
    """

    lines: int = 0
    body: str = ""
    blank: bool = False
    stop: str = ""
    last: str = ""
    again: str = ""


class Pattern(NamedTuple):
    """One kind of failure.

    ``signs`` are texts of which every line that matches ``expression`` or ``lead`` holds one, ``^``: at its start;
    large texts are passed over by them.

    A line that matches ``expression`` and not ``unless`` opens it; where there is ``then``, only if the line that comes
    ``then_at`` lines later matches that.  Lines directly before it that match ``lead`` belong to it.  ``within``: it is
    looked for in that section only.  ``indented``: all of its lines may begin with the blanks, bars and signs that its
    first one begins with.  The headline is the last line that matches the first of ``headline`` that any matches, else
    the line ``headline_at`` after the first.

    ``held``: the line only lists what a report tells more of later; it is told at the end, and only if none came.
    ``found``: examples, each of which is one failure as a whole; ``spared``: texts in which nothing fails.  ``source``:
    where the examples, and what is known of the form, come from.
    """

    name: str
    tool: str
    kind: Kind
    severity: Severity
    signs: tuple[str, ...]
    expression: str
    source: str
    found: tuple[str, ...]
    spared: tuple[str, ...]
    unless: str = ""
    then: str = ""
    then_at: int = 1
    lead: str = ""
    within: Section | None = None
    indented: bool = False
    block: Block = Block()
    headline: tuple[str, ...] = ()
    headline_at: int = 0
    subject: Subject = Subject.NONE
    held: bool = False
