"""An entry as plain data for scripts: the receipt, with the states as derived now and what the files themselves say."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from capture_core import names

if TYPE_CHECKING:
    from capture_core.source import Entry


def record(entry: Entry, conversation: str) -> dict[str, Any]:
    """The receipt's fields; ``process`` and ``capture`` derived, ``liveness``, each stream's ``committed`` length.

    ``conversation`` is the conversation's path; ``directory`` is where the streams' files lie on this machine.
    """
    plain: dict[str, Any] = msgspec.to_builtins(entry.receipt, enc_hook=_default)
    plain["process"] = msgspec.to_builtins(entry.process)
    plain["capture"] = msgspec.to_builtins(entry.capture)
    plain["liveness"] = str(entry.liveness)
    plain["directory"] = str(Path(conversation).absolute() / names.TOOL_OUTPUTS / entry.receipt.tool)
    for stream in entry.streams:
        plain["streams"][stream.name]["committed"] = stream.committed
    return plain


def _default(value: object) -> object:
    """Defaults of fields that a receipt does not have: mappings that cannot be changed."""
    if isinstance(value, MappingProxyType):
        return dict(value)
    # As msgspec's documentation wants it of a hook for a type that it does not know either.
    raise NotImplementedError(type(value).__name__)
