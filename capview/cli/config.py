"""``capview config``: every setting, its value, and where it comes from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple

from capview import present
from capview.cli import place
from capview.cli.words import put_json
from capview.escaping import safe
from capview.folders import NoHome, settings_folder
from capview.settings import CONVERSATION_FILE, NAMES, USER_FILE, load, rule_setting, variable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

EXAMPLE: Final = """\
examples:
  capview config
  CAPVIEW_CAPTURE_BYTES=1GiB capview config
  capview config --json | jq -r 'select(.origin != "default")'

Each setting is, in this order: an option, an environment variable, a value in the table [limits] of capview.toml in
the conversation's folder, one of config.toml in the user's settings folder, or the default.  Redaction rules of your
own, tables [[redact.rules]] with a name and a pattern in either file, are listed as redact.NAME.
"""


class _Setting(NamedTuple):
    name: str
    value: float | str | None
    shown: str
    origin: str
    variable: str | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``config``."""
    parser.add_argument("--json", action="store_true", help="one setting a line: name, value, origin, variable")


def run(arguments: argparse.Namespace) -> int:
    """Print the settings."""
    settings = list(_settings(arguments.conversation))
    if arguments.json:
        for item in settings:
            plain = {"name": item.name, "value": item.value, "origin": item.origin, "variable": item.variable}
            put_json(plain)
        return 0
    names = max(len(item.name) for item in settings)
    values = max(len(item.shown) for item in settings if item.variable != place.VARIABLE and item.variable)
    for item in settings:
        print(f"{item.name:<{names}}  {item.shown:<{values}}  {safe(item.origin)}")
    return 0


def _settings(option: str | None) -> Iterator[_Setting]:
    conversation = place.chosen(option)
    settings = load(conversation=conversation)
    for name in NAMES:
        value = getattr(settings.limits, name)
        yield _Setting(name, value, _shown(name, value), settings.origins[name], variable(name))
    for rule in settings.rules:
        origin = settings.origins[rule_setting(rule.name)]
        yield _Setting(rule_setting(rule.name), rule.pattern, safe(rule.pattern), origin, None)
    for mask in settings.masks:
        yield _Setting(mask.setting, mask.value, safe(mask.value), mask.origin, None)
    yield _place("conversation", conversation, place.origin(option), place.VARIABLE)
    yield _place("conversation_settings", os.path.join(conversation, CONVERSATION_FILE), "conversation", None)
    own = settings_folder()
    yield _place("user_settings", own and os.path.join(own, USER_FILE), "user's settings folder", None)
    yield _place("default_root", _default_root(), "user's data folder", None)


def _default_root() -> str | None:
    try:
        return place.default_root()
    except NoHome:
        return None


def _place(name: str, path: str | None, origin: str, variable_name: str | None) -> _Setting:
    if path is None:
        return _Setting(name, None, "none", "no home folder is known", variable_name)
    return _Setting(name, path, safe(path), origin, variable_name)


def _shown(name: str, value: float) -> str:
    if name.endswith("_bytes"):
        return present.size(int(value))
    return f"{value:g} s" if name.endswith("_seconds") else f"{value:g}"
