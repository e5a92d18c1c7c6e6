"""The settings, each with where it comes from: option, environment, conversation, user, default."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from capture_core.errors import Refused, system_words
from capture_core.limits import FOR_PEOPLE, SETTINGS_FILE_BYTES, Limits
from capture_core.record import NamedTuple
from capview import masks, rules
from capview.folders import settings_folder
from capview.units import parse_duration, parse_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capture_core.user_rule import UserRule
    from capview.masks import Mask

CONVERSATION_FILE: Final = "capview.toml"
"""In a conversation's folder."""

USER_FILE: Final = "config.toml"
"""In the user's settings folder."""

# Not by dataclasses.fields: that module's import takes 10 ms that the child of `capview run` would wait for.
NAMES: Final = tuple(Limits.__annotations__)
"""Every setting, in the order of :class:`Limits`."""

_TABLE: Final = "limits"
_PREFIX: Final = "CAPVIEW_"


class BadSetting(Refused):
    """A setting is unknown or its value is none; the line names where it stands."""


class Settings(NamedTuple):
    """What holds for one run, and for each field of :class:`Limits` where its value comes from, in words."""

    limits: Limits
    origins: Mapping[str, str]
    rules: tuple[UserRule, ...] = ()
    """The user's own redaction rules; where each comes from stands in ``origins`` under :func:`rule_setting`."""
    masks: tuple[Mask, ...] = ()
    """What is masked beside: all that any layer asks for."""

    def masked(self, key: str) -> tuple[str, ...]:
        """The values of one key of the table ``[mask]``."""
        return tuple(mask.value for mask in self.masks if mask.key == key)


def load(
    overrides: Mapping[str, float | None] | None = None,
    *,
    defaults: Limits = FOR_PEOPLE,
    conversation: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Settings of options over environment over conversation over user over ``defaults``.

    ``overrides`` has values by field name; ``None`` was not given.  Raises :class:`BadSetting`, one clear line.
    """
    values: dict[str, float] = {}
    origins = dict.fromkeys(NAMES, "default")
    paths = files_of(conversation)
    files = {path: _tables(path) for path in paths}
    environ = os.environ if environ is None else environ
    asked = (*(mask for path, tables in files.items() for mask in _masks(tables, path)), *masks.masks_in(environ))
    own = {rule.name: (rule, path) for path, tables in files.items() for rule in _rules(tables, path)}
    layers = (
        *(_limits(tables, path) for path, tables in files.items()),
        _environment(environ),
        {name: (value, "option") for name, value in (overrides or {}).items() if value is not None},
    )
    for layer in layers:
        for name, (value, origin) in layer.items():
            values[name] = value
            origins[name] = origin
    origins.update((rule_setting(name), path) for name, (_, path) in own.items())
    return Settings(_with(defaults, values), origins, tuple(rule for rule, _ in own.values()), asked)


def files_of(conversation: str | None) -> list[str]:
    """The settings files that may be there, the stronger last."""
    own = settings_folder()
    paths = [] if own is None else [os.path.join(own, USER_FILE)]
    return paths if conversation is None else [*paths, os.path.join(conversation, CONVERSATION_FILE)]


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return _PREFIX + name.upper()


def rule_setting(name: str) -> str:
    """The setting that a user's redaction rule is."""
    return f"{rules.TABLE}.{name}"


def parse(name: str, text: str) -> float:
    """The value of the setting ``name`` as a person writes it; raises ``ValueError``."""
    if name.endswith("_bytes"):
        return parse_size(text)
    if name.endswith("_seconds"):
        return parse_duration(text)
    if text.strip().isascii() and text.strip().isdigit():
        return int(text)
    raise ValueError(f"{text[:40]!r} is no whole number")


def _with(defaults: Limits, values: Mapping[str, float]) -> Limits:
    typed = {name: getattr(defaults, name) for name in NAMES}
    for name, value in values.items():
        typed[name] = type(typed[name])(value)
    return Limits(**typed)


def _environment(environ: Mapping[str, str]) -> dict[str, tuple[float, str]]:
    found = {}
    for name in NAMES:
        if text := environ.get(variable(name)):
            found[name] = _parsed(name, text, variable(name)), f"environment {variable(name)}"
    return found


def _tables(path: str) -> dict[str, object]:
    text = _read(path)
    if text is None:
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"{path!r}: not TOML: {error}") from error


def _rules(tables: Mapping[str, object], path: str) -> tuple[UserRule, ...]:
    try:
        return rules.rules_of(tables)
    except rules.BadRule as error:
        raise BadSetting(f"{path!r}: {error}") from error


def _masks(tables: Mapping[str, object], path: str) -> tuple[Mask, ...]:
    try:
        return tuple(masks.masks_of(tables, path))
    except masks.BadMask as error:
        raise BadSetting(f"{path!r}: {error}") from error


def _limits(tables: Mapping[str, object], path: str) -> dict[str, tuple[float, str]]:
    table = tables.get(_TABLE, {})
    if not isinstance(table, dict):
        raise BadSetting(f"{path!r}: {_TABLE} must be a table: [{_TABLE}]")
    return {name: (_from_toml(name, value, path), path) for name, value in table.items()}


def _from_toml(name: str, value: object, path: str) -> float:
    if name not in NAMES:
        raise BadSetting(f"{path!r}: no setting is called {name!r}; capview config lists them")
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadSetting(f"{path!r}: {name} must be a number, or a text such as '64MiB' or '5m'")
    return _parsed(name, str(value), path)


def _parsed(name: str, text: str, where: str) -> float:
    try:
        return parse(name, text)
    except ValueError as error:
        raise BadSetting(f"{where!r}: {name}: {error}") from error


def _read(path: str) -> str | None:
    try:
        # Without O_NONBLOCK a FIFO that stands there would hold the command that is to be started.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadSetting(f"{path!r}: {system_words(error)}; {_mend(path)}") from error
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise BadSetting(f"{path!r}: not a regular file; {_mend(path)}")
        data = os.read(fd, SETTINGS_FILE_BYTES + 1)
    finally:
        os.close(fd)
    if len(data) > SETTINGS_FILE_BYTES:
        raise BadSetting(f"{path!r}: larger than {SETTINGS_FILE_BYTES} bytes")
    return _text(data, path)


def _mend(path: str) -> str:
    if os.path.basename(path) == CONVERSATION_FILE:
        return "make it a file that you can read, or name another --conversation"
    return "make it a file that you can read, or set HOME or XDG_CONFIG_HOME to a folder of yours"


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadSetting(f"{path!r}: not UTF-8") from error
