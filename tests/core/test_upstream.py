"""What is said of a text that had been cut: its forms, what it means for a capture, what cannot be."""

from __future__ import annotations

import pytest

from capture_core.errors import BadInput
from capture_core.facts import CaptureReason, Upstream, UpstreamKind
from capture_core.upstream import broken_off, checked, parse, reason


@pytest.mark.parametrize(
    ("text", "kind", "limit", "unit"),
    [
        ("none", UpstreamKind.NONE, None, None),
        ("head-kept", UpstreamKind.HEAD_KEPT, None, None),
        ("head-kept: 1 page", UpstreamKind.HEAD_KEPT, 1, "pages"),
        ("head-kept: first 30000 characters", UpstreamKind.HEAD_KEPT, 30000, "characters"),
        ("tail-kept:200 lines", UpstreamKind.TAIL_KEPT, 200, "lines"),
        ("tail-kept : last 200 lines", UpstreamKind.TAIL_KEPT, 200, "lines"),
        ("truncated: first 10 pages", UpstreamKind.HEAD_KEPT, 10, "pages"),
        ("truncated: last 4096 bytes", UpstreamKind.TAIL_KEPT, 4096, "bytes"),
        ("truncated: 8000 tokens", UpstreamKind.CLIPPED, 8000, "tokens"),
        (" truncated ", UpstreamKind.CLIPPED, None, None),
        ("clipped", UpstreamKind.CLIPPED, None, None),
        ("unknown: 5 items", UpstreamKind.UNKNOWN, 5, "items"),
    ],
)
def test_what_may_be_said(text: str, kind: UpstreamKind, limit: int | None, unit: str | None) -> None:
    assert parse(text) == Upstream(kind=kind, limit=limit, unit=unit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "whole",
        "Head-kept",
        "head-kept: last 10 pages",
        "tail-kept: first 10 pages",
        "clipped: first 10 pages",
        "none: 10 pages",
        "head-kept: 10",
        "head-kept: ten pages",
        "head-kept: -1 pages",
        "head-kept: 10 ghp_a1B2a1B2",
        "head-kept: \N{ARABIC-INDIC DIGIT ONE} pages",
        "head-kept: 10 pages and more",
        "head-kept: 1000000000000000000000 pages",
        "x" * 10_000,
        "head-kept\n\x1b[2J",
    ],
)
def test_what_may_not_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadInput) as refusal:
        parse(text)
    line = str(refusal.value)
    assert line.isprintable()
    assert len(line) < 400


@pytest.mark.parametrize(
    "upstream",
    [
        Upstream(kind=UpstreamKind.HEAD_KEPT, limit=10),
        Upstream(kind=UpstreamKind.HEAD_KEPT, unit="pages"),
        Upstream(kind=UpstreamKind.HEAD_KEPT, limit=-1, unit="pages"),
        Upstream(kind=UpstreamKind.HEAD_KEPT, limit=1, unit="furlongs"),
        Upstream(kind=UpstreamKind.NONE, limit=1, unit="pages"),
        Upstream(kind="sideways"),  # type: ignore[arg-type] # what a host without a type checker may say
    ],
)
def test_a_value_that_cannot_be_is_refused(upstream: Upstream) -> None:
    with pytest.raises(BadInput):
        checked(upstream)


@pytest.mark.parametrize("kind", UpstreamKind)
def test_only_what_is_whole_may_be_complete(kind: UpstreamKind) -> None:
    why = {UpstreamKind.NONE: None, UpstreamKind.UNKNOWN: CaptureReason.UPSTREAM_UNKNOWN}
    assert reason(Upstream(kind=kind)) is why.get(kind, CaptureReason.UPSTREAM_TRUNCATED)
    assert reason(broken_off(Upstream(kind=kind))) is CaptureReason.UPSTREAM_TRUNCATED
    assert reason(None) is None


def test_a_text_that_breaks_off_has_its_head_unless_that_was_missing() -> None:
    broken = {kind: broken_off(Upstream(kind=kind)).kind for kind in UpstreamKind}
    beheaded = {UpstreamKind.TAIL_KEPT, UpstreamKind.CLIPPED}
    assert {kind for kind, now in broken.items() if now is UpstreamKind.CLIPPED} == beheaded
    assert set(broken.values()) == {UpstreamKind.CLIPPED, UpstreamKind.HEAD_KEPT}
    assert broken_off(None).limit is None
