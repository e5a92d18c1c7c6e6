"""How one kind of step looks, as data: expressions, with examples of what they find and of what they must not.

Expressions are Python's, matched from the start of one line, without its newline; what is printed behind a carriage
return is a line, too.  What they name: ``title``; ``key``, by which the line that ends a step is known for its own;
``level``, of steps that nest in others of their form; ``done`` and ``total``, a count that must be one; ``seconds`` or
``milliseconds``, what the tool itself says that the step took.
"""

from __future__ import annotations

from enum import Enum, auto

from capture_core.record import NamedTuple


class Shape(Enum):
    """When a step ends."""

    SCOPE = auto()
    """With a line of its own; several may be open side by side."""
    SERIES = auto()
    """With the next one of its form, or whatever ends what it lies in."""


class Told(Enum):
    """When the line that tells of a step is printed."""

    BEFORE = auto()
    """As the step begins: it took the time from there on."""
    AFTER = auto()
    """When the step has ended: it took the time since what was told before it."""


class Example(NamedTuple):
    """A text, and the titles of its steps: one more blank before those within another."""

    text: str
    titles: tuple[str, ...]


class Form(NamedTuple):
    """One kind of step.

    ``head``: an expression that each line begins with which ``opens`` or ``closes`` a step; large texts are passed over
    by it.  ``rank``: how broad it is; a step lies in one of a smaller rank, and a new one of a series ends those of the
    same or larger ranks before it.  ``within``: the form whose step must be open.  ``source``: where the examples, and
    what is known of the form, come from.
    """

    name: str
    rank: int
    shape: Shape
    head: str
    opens: str
    found: tuple[Example, ...]
    spared: tuple[str, ...]
    source: str
    closes: str = ""
    within: str = ""
    told: Told = Told.BEFORE
