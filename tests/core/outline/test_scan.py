"""The outline is the same however its text is cut, and of any size: bounded in steps, in depth, in open ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.limits.outline import OUTLINE_LINE_BYTES
from capture_core.outline import nesting, scan
from capture_core.outline.forms import FORMS
from capture_core.outline.lines import Line, Lines
from capture_core.outline.scan import OutlineScan, outline
from capture_core.outline.step import Outline
from tests.cuts import places, three_ways

RAW = Path(__file__).parents[2] / "raw/outline"

texts = [example.text.encode() for form in FORMS for example in form.found]
rows = [row + b"\n" for text in texts for row in text.split(b"\n")]
logs = st.lists(
    st.sampled_from(
        [*rows, *rows, b"\n", b"x" * 5_000 + b"\n", b"[1/9] a\r[2/9] b\r", b"[3/9] c\r\n", b"\xff\n", b"no"]
    ),
    max_size=40,
).map(b"".join)


def fed(pieces: list[bytes]) -> Outline:
    stage = OutlineScan()
    for piece in pieces:
        stage.feed(piece)
    return stage.finish()


def plainly(text: bytes) -> Outline:
    """The same, every line looked at."""
    stage, start, number, is_redraw = OutlineScan(), 0, 1, False
    for row in re.findall(rb"[^\r\n]*[\r\n]|[^\r\n]+$", text):
        shown = row.rstrip(b"\r\n")[:OUTLINE_LINE_BYTES]
        stage._look(Line(start, start + len(row), number, shown, is_redraw))
        start, number, is_redraw = start + len(row), number + row.endswith(b"\n"), row.endswith(b"\r")
    last = text.count(b"\n") + (not text.endswith(b"\n"))
    stage._nesting.finish(len(text), max(1, last))
    return Outline(tuple(stage._nesting.steps), stage._nesting.more, len(text))


@given(logs, places)
def test_the_cut_is_not_seen_and_no_line_is_missed(text: bytes, at: list[int]) -> None:
    expected = plainly(text)
    for pieces in three_ways(text, at):
        assert fed(pieces) == expected


@given(logs)
def test_steps_lie_in_their_parents_and_in_the_text(text: bytes) -> None:
    steps = fed([text]).steps
    assert [step.start for step in steps] == sorted(step.start for step in steps)
    for step in steps:
        assert 0 <= step.since <= step.until <= len(text)
        assert 0 <= step.start < step.end <= len(text)
        assert text[: step.start].count(b"\n") + 1 == step.first_line <= step.last_line
        assert text[step.end - 1 : step.end] in b"\r\n" or step.end == len(text)
        if step.parent is None:
            assert step.depth == 0
        else:
            parent = steps[step.parent]
            assert step.depth == parent.depth + 1
            assert parent.start <= step.start
            assert step.end <= parent.end or not parent.has_ended


def test_steps_behind_the_bound_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nesting, "OUTLINE_STEPS", 3)
    text = b"::group::A\n" + b"".join(b"[%d/9] CC\n" % number for number in range(1, 10)) + b"::endgroup::\n"
    found = fed([text])
    assert [step.title for step in found.steps] == ["A", "CC", "CC"]
    assert found.more == 7
    assert (found.steps[0].end, found.steps[0].has_ended) == (len(text), True)
    assert found.steps[2].end == text.index(b"[3/9]")


def test_open_ones_and_depth_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nesting, "OUTLINE_OPEN_STEPS", 4)
    monkeypatch.setattr(nesting, "OUTLINE_DEPTH", 2)
    text = b"".join(b"make[%d]: Entering directory '/%d'\n" % (level, level) for level in range(1, 10))
    stage = OutlineScan()
    stage.feed(text)
    assert len(stage._nesting._open) == 4
    steps = stage.finish().steps
    assert max(step.depth for step in steps) == 2
    assert len(steps) == 9
    assert not any(step.has_ended for step in steps)


def test_a_long_line_takes_no_memory() -> None:
    lines = Lines()
    for _ in range(1_000):
        assert not list(lines.feed(b"x" * 10_000))
        assert len(lines._rest) <= OUTLINE_LINE_BYTES + 1
    [line] = lines.feed(b"\n[1/2] CC a.o\n")
    assert (line.start, line.number, line.text) == (10_000_001, 2, b"[1/2] CC a.o")
    assert lines.end == line.end == 10_000_014


@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
def test_a_stream_is_read_in_blocks(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(scan, "OUTLINE_BLOCK_BYTES", size)
    text = (RAW / "pytest.log").read_bytes()
    assert outline(lambda start, end: text[start:end], len(text)) == fed([text])
    half = len(text) // 2
    assert outline(lambda start, end: text[start:end], half) == fed([text[:half]])


def test_it_stops_when_told_to() -> None:
    assert outline(lambda start, end: b"[1/2] a\n"[start:end], 8, stop=lambda: True) == Outline((), 0, 0)
