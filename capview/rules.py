"""The user's own redaction rules, read from the tables ``[[redact.rules]]`` of a settings file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.errors import Refused
from capture_core.limits import USER_RULES
from capture_core.user_rule import UserRule, why_no_name

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE: Final = "redact"
_LIST: Final = "rules"
_KEYS: Final = {"name": str, "pattern": str, "ignore_case": bool}
_WORDS: Final = {str: "a text", bool: "true or false"}


class BadRule(Refused):
    """A table is not a rule; the line says which, and why."""


def rules_of(settings: Mapping[str, object]) -> tuple[UserRule, ...]:
    """The rules in a settings file's tables, in order; raises :class:`BadRule`, one clear line without the file."""
    table = settings.get(TABLE, {})
    if not isinstance(table, dict):
        raise BadRule(f"{TABLE} must be a table with rules: [[{TABLE}.{_LIST}]]")
    unknown = sorted(table.keys() - {_LIST})
    if unknown:
        raise BadRule(f"{TABLE} has no {unknown[0]!r}; it has [[{TABLE}.{_LIST}]]")
    listed = table.get(_LIST, [])
    if not isinstance(listed, list):
        raise BadRule(f"{TABLE}.{_LIST} must be tables: [[{TABLE}.{_LIST}]]")
    if len(listed) > USER_RULES:
        raise BadRule(f"{len(listed)} rules; at most {USER_RULES} are taken")
    return _distinct([_rule(number, entry) for number, entry in enumerate(listed, 1)])


def _rule(number: int, entry: object) -> UserRule:
    if not isinstance(entry, dict):
        raise _bad(number, f"must be a table: [[{TABLE}.{_LIST}]]")
    for key, value in entry.items():
        if key not in _KEYS:
            raise _bad(number, f"has no {key!r}; it has {', '.join(_KEYS)}")
        if not isinstance(value, _KEYS[key]):
            raise _bad(number, f"{key} must be {_WORDS[_KEYS[key]]}")
    for key in ("name", "pattern"):
        if not entry.get(key):
            raise _bad(number, f"needs a {key}")
    if why := why_no_name(entry["name"]):
        raise _bad(number, f"name {entry['name'][:80]!r}: {why}")
    return UserRule(**entry)


def _distinct(rules: list[UserRule]) -> tuple[UserRule, ...]:
    taken = _built_in() if rules else {}
    for number, rule in enumerate(rules, 1):
        if rule.name in taken:
            raise _bad(number, f"name {rule.name!r}: {taken[rule.name]} has it; choose another")
        taken[rule.name] = f"rule {number}"
    return tuple(rules)


def _built_in() -> dict[str, str]:
    # Loaded only for whoever has rules: it takes longer than many a command.
    from capture_core.redact.rules import RULES

    return {rule.name: "a built-in rule" for rule in RULES}


def _bad(number: int, words: str) -> BadRule:
    return BadRule(f"{TABLE}.{_LIST}, rule {number}: {words}")
