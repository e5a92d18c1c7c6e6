"""capture_core: capture what a process or tool prints, sanitised before the first byte is committed.

The public names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capture_core.adapters.large_output import save_large_output
    from capture_core.conversation import Conversation
    from capture_core.facts import Producer, Receipt, Upstream
    from capture_core.job_state import JobState, Promotion
    from capture_core.limits import Limits
    from capture_core.result import Result
    from capture_core.running import RunningJob
    from capture_core.user_rule import UserRule

__all__ = [
    "Conversation",
    "JobState",
    "Limits",
    "Producer",
    "Promotion",
    "Receipt",
    "Result",
    "RunningJob",
    "Upstream",
    "UserRule",
    "save_large_output",
]

_HOMES = {
    "Conversation": "conversation",
    "RunningJob": "running",
    "Producer": "facts",
    "Receipt": "facts",
    "Upstream": "facts",
    "JobState": "job_state",
    "Promotion": "job_state",
    "Result": "result",
    "Limits": "limits",
    "UserRule": "user_rule",
    "save_large_output": "adapters.large_output",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
