"""capture_core: capture what a process or tool prints, sanitised before the first byte is committed.

The public names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capture_core.conversation import Conversation, RunningJob
    from capture_core.facts import Receipt
    from capture_core.limits import Limits
    from capture_core.user_rule import UserRule

__all__ = ["Conversation", "Limits", "Receipt", "RunningJob", "UserRule"]

_HOMES = {
    "Conversation": "conversation",
    "RunningJob": "conversation",
    "Receipt": "facts",
    "Limits": "limits",
    "UserRule": "user_rule",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
