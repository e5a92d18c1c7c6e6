"""The library that finds what is looked for; nothing else in the package imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.errors import EngineUnavailable

if TYPE_CHECKING:
    from types import ModuleType


def hyperscan() -> ModuleType:
    """Return hyperscan, imported when first needed: that takes longer than the start of many a child.

    Raises :exc:`EngineUnavailable`.
    """
    try:
        import hyperscan as library
    except ImportError as error:
        raise EngineUnavailable(
            f"hyperscan, which finds secrets in the output, cannot be loaded: {error}; nothing is captured unmasked"
        ) from error
    return library
