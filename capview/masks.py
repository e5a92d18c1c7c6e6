"""What is to be masked beside the rules, read from the table ``[mask]`` of a settings file and from the environment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from capture_core.errors import Refused
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TABLE: Final = "mask"
ENV: Final = "env"
FILES: Final = "files"
VARIABLES: Final = {ENV: "CAPVIEW_MASK_ENV", FILES: "CAPVIEW_MASK_FILES"}
"""The environment variable of each key; several values have ``:`` between them, as in PATH."""


class BadMask(Refused):
    """The table is not of its form; the line says why."""


class Mask(NamedTuple):
    """One glob of environment variables, or one file of values, and where it was asked for."""

    key: str
    value: str
    origin: str

    @property
    def setting(self) -> str:
        """The setting's name."""
        return f"{TABLE}.{self.key}"


def masks_of(settings: Mapping[str, object], path: str) -> Iterator[Mask]:
    """What the settings file ``path`` asks for; its files are relative to it.  Raises :class:`BadMask`."""
    table = settings.get(TABLE, {})
    if not isinstance(table, dict):
        raise BadMask(f"{TABLE} must be a table: [{TABLE}]")
    for key, listed in table.items():
        if key not in VARIABLES:
            raise BadMask(f"{TABLE} has no {key!r}; it has {' and '.join(VARIABLES)}")
        if not isinstance(listed, list) or not all(isinstance(value, str) and value for value in listed):
            raise BadMask(f"{TABLE}.{key} must be a list of texts")
        for value in listed:
            yield Mask(key, _beside(path, value) if key == FILES else value, path)


def masks_in(environ: Mapping[str, str]) -> Iterator[Mask]:
    """What the environment asks for."""
    for key, variable in VARIABLES.items():
        for value in filter(None, environ.get(variable, "").split(os.pathsep)):
            yield Mask(key, value, f"environment {variable}")


def _beside(path: str, name: str) -> str:
    return os.path.join(os.path.dirname(path), os.path.expanduser(name))
