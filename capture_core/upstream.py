"""What is said of a text that is given to be saved: whether it had been cut before it came here, and how."""

from __future__ import annotations

import re
from typing import Final

from capture_core.errors import BadInput
from capture_core.facts import CaptureReason, Upstream, UpstreamKind

UNITS: Final = ("bytes", "characters", "tokens", "lines", "pages", "items", "messages")
"""What a limit may count."""

WHOLE: Final = Upstream(kind=UpstreamKind.NONE)

_TRUNCATED: Final = "truncated"
_FORM: Final = r"([a-z-]+)(?: *: *(?:(first|last) +)?([0-9]{1,18}) +([a-z]+))?"
_KINDS: Final = {(kind.value, ""): kind for kind in UpstreamKind} | {
    ("head-kept", "first"): UpstreamKind.HEAD_KEPT,
    ("tail-kept", "last"): UpstreamKind.TAIL_KEPT,
    (_TRUNCATED, "first"): UpstreamKind.HEAD_KEPT,
    (_TRUNCATED, "last"): UpstreamKind.TAIL_KEPT,
    (_TRUNCATED, ""): UpstreamKind.CLIPPED,
}


def parse(text: str) -> Upstream:
    """``head-kept``, ``tail-kept: 200 lines``, ``truncated: first 10 pages``; raises ``BadInput`` for what is none.

    ``truncated`` alone says that something is missing and not what: ``clipped``.
    """
    match = re.fullmatch(_FORM, text.strip(), re.ASCII)
    kind = _KINDS.get((match[1], match[2] or "")) if match else None
    if match is None or kind is None:
        raise BadInput(
            f"{text[:80]!a} does not say how a text was cut; write one of {', '.join(UpstreamKind)}, "
            "with a limit if you know it: 'head-kept: 10 pages'"
        )
    return checked(Upstream(kind=kind, limit=None if match[3] is None else int(match[3]), unit=_plural(match[4])))


def checked(upstream: Upstream) -> Upstream:
    """Return it when it can be so; raises ``BadInput`` when it cannot."""
    try:
        kind = UpstreamKind(upstream.kind)
    except ValueError as error:
        words = f"a text cannot be cut {str(upstream.kind)[:80]!a}; say one of {', '.join(UpstreamKind)}"
        raise BadInput(words) from error
    if upstream.unit is not None and upstream.unit not in UNITS:
        raise BadInput(f"a limit cannot count {str(upstream.unit)[:80]!a}; it counts one of {', '.join(UNITS)}")
    if (upstream.limit is None) != (upstream.unit is None) or not _is_count(upstream.limit):
        raise BadInput("a limit is a number, 0 or more, and what it counts")
    if kind is UpstreamKind.NONE and upstream.limit is not None:
        raise BadInput("a text that was not cut has no limit; leave it out, or say unknown")
    return Upstream(kind=kind, limit=upstream.limit, unit=upstream.unit)


def _is_count(limit: object) -> bool:
    return limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0)


def reason(upstream: Upstream | None) -> CaptureReason | None:
    """Why a capture of such a text cannot be called complete, if it cannot."""
    match None if upstream is None else upstream.kind:
        case None | UpstreamKind.NONE:
            return None
        case UpstreamKind.HEAD_KEPT | UpstreamKind.TAIL_KEPT | UpstreamKind.CLIPPED:
            return CaptureReason.UPSTREAM_TRUNCATED
        case UpstreamKind.UNKNOWN:
            return CaptureReason.UPSTREAM_UNKNOWN


def broken_off(upstream: Upstream | None) -> Upstream:
    """What is true of such a text when it broke off while it was given: where, is all that is known."""
    match None if upstream is None else upstream.kind:
        case None | UpstreamKind.NONE | UpstreamKind.UNKNOWN | UpstreamKind.HEAD_KEPT:
            return Upstream(kind=UpstreamKind.HEAD_KEPT)
        case UpstreamKind.TAIL_KEPT | UpstreamKind.CLIPPED:
            return Upstream(kind=UpstreamKind.CLIPPED)


def _plural(unit: str | None) -> str | None:
    return f"{unit}s" if f"{unit}s" in UNITS else unit
