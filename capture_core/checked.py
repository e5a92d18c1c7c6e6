"""What a program gives to the library, looked at before anything is made: of its type and range, or ``BadInput``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from threading import TIMEOUT_MAX
from typing import TYPE_CHECKING, Final

from capture_core import upstream as said_of
from capture_core.errors import BadInput
from capture_core.facts import Producer, Upstream
from capture_core.limits import INLINE_MOST_BYTES, Limits
from capture_core.user_rule import UserRule

if TYPE_CHECKING:
    from typing import TypeGuard

_MOST: Final = 2**63 - 1
"""The largest number that a file's size, and what is counted beside it, can hold."""


def limits(given: object) -> Limits:
    """Limits of which every field is a number that it can be."""
    if not isinstance(given, Limits):
        raise BadInput(f"limits are given as Limits, not as {_kind(given)}")
    for name in Limits.__annotations__:
        _check_limit(name, getattr(given, name))
    return given


def text(name: str, given: object) -> str:
    """A text; ``name`` is what the caller calls it."""
    if not isinstance(given, str):
        raise BadInput(f"{name} must be a text, not {_kind(given)}")
    return given


def text_or_none(name: str, given: object) -> str | None:
    """A text, or nothing."""
    return None if given is None else text(name, given)


def texts(name: str, given: object) -> tuple[str, ...]:
    """Several texts; one alone is a mistake, each of whose characters would count."""
    return tuple(text(f"each of {name}", one) for one in _several(name, given))


def path(name: str, given: object) -> str:
    """A path, as ``os.fsdecode`` has it."""
    if not isinstance(given, str | bytes | os.PathLike):
        raise BadInput(f"{name} must be a path, not {_kind(given)}")
    return os.fsdecode(given)


def paths(name: str, given: object) -> tuple[str, ...]:
    """Several paths; one alone is a mistake."""
    return tuple(path(f"each of {name}", one) for one in _several(name, given))


def argv(given: object) -> tuple[str, ...]:
    """A command and its arguments: texts, bytes or paths, one at least."""
    words = paths("argv", given)
    if not words:
        raise BadInput("argv is empty: give a command and its arguments, ['make', '-j8']")
    return words


def environment(given: object) -> dict[str, str] | None:
    """A child's environment, or nothing for ours."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise BadInput(f"env must be a mapping of texts, not {_kind(given)}")
    return {path("each name in env", name): path("each value in env", value) for name, value in given.items()}


def rules(given: object) -> tuple[UserRule, ...]:
    """Redaction rules."""
    found = tuple(_several("rules", given))
    if not all(isinstance(one, UserRule) for one in found):
        raise BadInput("each of rules must be a UserRule")
    return found  # type: ignore[return-value]


def upstream(given: object) -> Upstream:
    """What is said of how a text was cut before, in words or as facts."""
    if isinstance(given, str):
        return said_of.parse(given)
    if not isinstance(given, Upstream):
        raise BadInput(f"upstream must be a text such as 'tail-kept: 200 lines', or an Upstream, not {_kind(given)}")
    return said_of.checked(given)


def producer(given: object) -> Producer:
    """Who made a text."""
    if not isinstance(given, Producer):
        raise BadInput(f"producer must be a Producer, not {_kind(given)}")
    for name in Producer.__annotations__:
        text(f"the producer's {name}", getattr(given, name))
    return given


def budget(given: object) -> int | None:
    """How many bytes an inline text may take, or nothing: as many as usual."""
    is_good = isinstance(given, int) and not isinstance(given, bool) and 0 < given <= INLINE_MOST_BYTES
    if given is not None and not is_good:
        raise BadInput(f"budget must be a whole number of bytes, 1 to {INLINE_MOST_BYTES}, not {_shown(given)}")
    return given  # type: ignore[return-value]


def seconds(name: str, given: object) -> float | None:
    """A time span, 0 or more, or nothing."""
    if given is not None and not _is_number(given):
        raise BadInput(f"{name} must be a number of seconds, 0 or more, not {_shown(given)}")
    return given  # type: ignore[return-value]


def niceness(name: str, given: object) -> int:
    """What is added to a niceness."""
    if not _is_whole(given) or not -20 <= given <= 19:  # noqa: PLR2004 — setpriority(2)
        raise BadInput(f"{name} must be a whole number from -20 to 19, not {_shown(given)}")
    return given


def size_or_none(name: str, given: object) -> int | None:
    """A number of bytes, at least 1, or nothing."""
    return None if given is None else size(name, given)


def size(name: str, given: object) -> int:
    """A number of bytes, at least 1."""
    if not _is_whole(given) or not 1 <= given <= _MOST:
        raise BadInput(f"{name} must be a whole number of bytes, 1 or more, not {_shown(given)}")
    return given


def _is_whole(given: object) -> TypeGuard[int]:
    return isinstance(given, int) and not isinstance(given, bool)


def _several(name: str, given: object) -> Sequence[object]:
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise BadInput(f"{name} must be a list, not {_kind(given)}")
    return given


def _check_limit(name: str, value: object) -> None:
    if name.endswith("_seconds"):
        is_good, form = _is_number(value), "a number of seconds, 0 or more"
    else:
        # A read of nothing looks like the end.
        least = 1 if name == "read_bytes" else 0
        is_good = isinstance(value, int) and not isinstance(value, bool) and least <= value <= _MOST
        form = f"a whole number, {least} or more"
    if not is_good:
        raise BadInput(f"the limit {name} must be {form}, not {_shown(value)}")


def _is_number(value: object) -> bool:
    # A not-a-number fails both comparisons, and no clock waits for more.
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= TIMEOUT_MAX


def _kind(given: object) -> str:
    return "None" if given is None else f"a value of type {type(given).__name__}"


def _shown(given: object) -> str:
    # An int may have more digits than Python is willing to write.
    is_short = isinstance(given, float) or (isinstance(given, int) and abs(given) <= _MOST)
    return ascii(given) if is_short else _kind(given)
