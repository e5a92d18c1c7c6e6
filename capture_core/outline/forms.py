"""The table of forms, and what it is compiled to."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from capture_core.outline.forms_build import BUILD_FORMS
from capture_core.outline.forms_scripts import SCRIPT_FORMS
from capture_core.outline.forms_tests import TEST_FORMS
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.outline.form import Form

FORMS: Final = (*SCRIPT_FORMS, *BUILD_FORMS, *TEST_FORMS)


class Compiled(NamedTuple):
    """A form, and its expressions."""

    form: Form
    opens: re.Pattern[bytes]
    closes: re.Pattern[bytes] | None


@cache
def compiled() -> tuple[Compiled, ...]:
    """The forms in the order in which a line is offered to them."""
    return tuple(Compiled(form, _of(form.opens), _of(form.closes) if form.closes else None) for form in FORMS)


@cache
def heads() -> re.Pattern[bytes]:
    """What a line begins with that may open or close a step, behind the newline before it.

    The newline is part of it, since a search for a literal first byte is ten times as fast as one for a line's start.
    """
    return _of("\n(?:" + "|".join(dict.fromkeys(form.head for form in FORMS)) + ")")


def _of(expression: str) -> re.Pattern[bytes]:
    return re.compile(expression.encode())
