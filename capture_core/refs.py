"""REFs: the ways in which a person or a script names a capture, resolved against what there is; pure."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from capture_core import names
from capture_core.errors import AmbiguousRef, BadName, UnknownRef

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_LABEL: Final = "@label:"
_NTH: Final = re.compile(r"@-([0-9]{1,9})", re.ASCII)
_PREFIX: Final = re.compile(
    r"[0-9]{1,8}|[0-9]{8}T[0-9]{0,6}Z?|[0-9]{8}T[0-9]{6}Z-[a-z2-7]{0,16}|[a-z2-7]{1,16}", re.ASCII
)
_SHOWN_CHARS: Final = 80


@dataclass(frozen=True, slots=True)
class Located:
    """A REF that says where the capture is.  ``conversation`` is a path, or ``None`` for the current one."""

    conversation: str | None
    ref: str


def locate(text: str) -> Located | None:
    """Read ``text`` as a ref or as the path of one of a capture's files; ``None`` when it is neither."""
    parts = text.split("/")
    if len(parts) < 3 or parts[-3] != names.TOOL_OUTPUTS or not names.is_tool_name(parts[-2]):  # noqa: PLR2004
        return None
    capture = _capture_of(parts[-1])
    if capture is None:
        return None
    before = "/".join(parts[:-3])
    conversation = None if len(parts) == 3 else before or "/"  # noqa: PLR2004
    return Located(conversation, names.ref(parts[-2], capture))


def locate_file(path: str) -> Located | None:
    """Like :func:`locate`, for any path that a shell in some folder can give: made absolute, not resolved."""
    return locate(os.path.abspath(path)) if names.parse_file_name(os.path.basename(path)) else None


def position(text: str) -> int:
    """Which of the newest captures ``text`` means, from 1; 0 when it is of another form."""
    match = _NTH.fullmatch("@-1" if text == "@last" else text)
    return int(match[1]) if match else 0


def resolve(text: str, refs: Sequence[str], label: Callable[[str], str | None]) -> str:
    """The one ref among ``refs`` (newest first) that ``text`` names; ``label`` gives the label of a ref.

    Raises :class:`UnknownRef` or :class:`AmbiguousRef`, each with one clear line.
    """
    found = list(_matches(text, refs, label))
    if len(found) > 1:
        raise AmbiguousRef(f"{_shown(text)} names {len(found)} captures; say which", tuple(found))
    if not found:
        raise UnknownRef(_unknown(text, len(refs)))
    return found[0]


def _matches(text: str, refs: Sequence[str], label: Callable[[str], str | None]) -> Iterable[str]:
    if text.startswith(_LABEL):
        return _by_label(text.removeprefix(_LABEL), refs, label)
    if text.startswith("@"):
        return _by_position(text, refs)
    located = locate(text)
    if located is not None:
        return [ref for ref in refs if ref == located.ref]
    capture = _capture_of(text) or text
    return [ref for ref in refs if _has_prefix(ref, capture)] if _PREFIX.fullmatch(capture) else []


def _by_label(wanted: str, refs: Sequence[str], label: Callable[[str], str | None]) -> list[str]:
    labels = {ref: label(ref) or "" for ref in refs} if wanted else {}
    exact = [ref for ref, said in labels.items() if said == wanted]
    return exact or [ref for ref, said in labels.items() if wanted in said]


def _by_position(text: str, refs: Sequence[str]) -> list[str]:
    nth = position(text)
    return [refs[nth - 1]] if 0 < nth <= len(refs) else []


def _has_prefix(ref: str, prefix: str) -> bool:
    capture = ref.rpartition("/")[2]
    return capture.startswith(prefix) or capture.partition("-")[2].startswith(prefix)


def _capture_of(segment: str) -> str | None:
    """The capture id that a last path segment names: itself, or the start of one of its files' names."""
    name = names.parse_file_name(segment)
    if name is not None:
        return name.capture_id
    try:
        return names.capture_id(segment)
    except BadName:
        return None


def _unknown(text: str, count: int) -> str:
    if text.startswith("@") and not text.startswith(_LABEL) and not position(text):
        return f"{_shown(text)} is no REF; after @ comes last, -N (N-th newest) or label:TEXT"
    return f"no capture matches {_shown(text)} (of {count} in this conversation; see: capview ls)"


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…")
