"""A rule that a user adds to the built-in ones: as it was written, checked for its form only."""

from __future__ import annotations

import re
from typing import Final

from capture_core.limits import USER_RULE_NAME_CHARS
from capture_core.record import NamedTuple

_NAME: Final = r"[a-z0-9-]+"


class UserRule(NamedTuple):
    """Values that ``pattern`` matches are masked as ``[redacted:NAME]``."""

    name: str
    pattern: str
    ignore_case: bool = False


def why_no_name(name: str) -> str | None:
    """Why ``name`` cannot stand in a mark; ``None``: it can."""
    if len(name) > USER_RULE_NAME_CHARS:
        return f"longer than {USER_RULE_NAME_CHARS} characters"
    return None if re.fullmatch(_NAME, name) else "must be of a-z 0-9 -"
