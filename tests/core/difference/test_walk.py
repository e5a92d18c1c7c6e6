"""Two streams compared as cmp and diff compare them, at any size of blocks and windows; given up only with a word."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture_core.difference import alignment, rows, walk
from capture_core.difference.normal import exact, normalised
from capture_core.difference.rows import Rows
from capture_core.difference.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from capture_core.difference.comparison import Comparison
    from capture_core.difference.normal import Normal

lines = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"d" * 30 + b"\n", b"\xff\r\n", b"e"]), max_size=25)
texts = lines.map(b"".join)


def compared(one: bytes, other: bytes, normal: Normal = exact) -> Comparison:
    own = Rows(lambda start, end: one[start:end], len(one), normal)
    its = Rows(lambda start, end: other[start:end], len(other), normal)
    return Walk(own, its).run(len(one), len(other))


@contextmanager
def small(block: int, *, line: int = 1_000, window: int = 64, cells: int = 10_000) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "DIFFERENCE_BLOCK_BYTES", block)
        patch.setattr(rows, "DIFFERENCE_LINE_BYTES", line)
        patch.setattr(walk, "DIFFERENCE_WINDOW_LINES", window)
        patch.setattr(walk, "DIFFERENCE_MOST_WINDOW_LINES", 64 * window)
        patch.setattr(walk, "_STEP", window)
        patch.setattr(alignment, "DIFFERENCE_EXACT_CELLS", cells)
        yield


def diffed(folder: Path, one: bytes, other: bytes, *command: str) -> str:
    (folder / "one").write_bytes(one)
    (folder / "other").write_bytes(other)
    done = subprocess.run([*command, "one", "other"], cwd=folder, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.decode("latin-1")


@settings(max_examples=60)
@given(texts, texts, st.integers(1, 40))
def test_the_lines_alone_are_as_few_as_those_of_diff(
    tmp_path_factory: pytest.TempPathFactory, one: bytes, other: bytes, block: int
) -> None:
    printed = diffed(tmp_path_factory.mktemp("d"), one, other, "diff", "-d", "-a").split("\n")
    with small(block):
        found = compared(one, other)
    assert found.is_same == (printed == [""]) == (one == other)
    assert found.sides[0].lines == sum(line.startswith("<") for line in printed)
    assert found.sides[1].lines == sum(line.startswith(">") for line in printed)
    assert found.lost is None


@settings(max_examples=60)
@given(texts, texts)
def test_the_first_difference_is_in_the_line_that_cmp_names(
    tmp_path_factory: pytest.TempPathFactory, one: bytes, other: bytes
) -> None:
    printed = diffed(tmp_path_factory.mktemp("d"), one, other, "cmp")
    found = compared(one, other)
    if " differ: " in printed:
        assert found.first is not None
        line = int(printed.rpartition(" line ")[2])
        assert (found.first[0].line, found.first[1].line) == (line, line)
        assert found.first[0].offset == found.first[1].offset


@given(texts, texts, st.integers(1, 40), st.integers(1, 4), st.integers(3, 40))
def test_what_is_not_alone_is_in_both_in_order(one: bytes, other: bytes, block: int, window: int, line: int) -> None:
    with small(block, line=line, window=window, cells=3):
        found = compared(one, other)
    if found.lost is None:
        assert _without(one, found, 0) == _without(other, found, 1)
        assert [side.uncompared for side in found.sides] == [0, 0]
    else:
        one, other = one[: found.lost[0].offset], other[: found.lost[1].offset]
        assert _without(one, found, 0) == _without(other, found, 1)
    for text, side in zip((one, other), found.sides, strict=True):
        for alone in side.alone:
            assert text[alone.start : alone.end].rstrip(b"\n") == alone.text
            assert text[: alone.start].count(b"\n") + 1 == alone.line


def _without(text: bytes, found: Comparison, side: int) -> bytes:
    parts, at = [], 0
    for alone in found.sides[side].alone:
        parts.append(text[at : alone.start])
        at = alone.end
    return b"".join((*parts, text[at:]))


@given(texts, st.integers(1, 40), st.integers(3, 40))
def test_rows_are_the_text_however_it_is_read(text: bytes, block: int, line: int) -> None:
    with small(block, line=line):
        stage = Rows(lambda start, end: text[start:end], len(text), exact)
        found = []
        while stage.fill(3):
            found += list(stage.take(len(stage.ahead(3))))
    assert b"".join(row for _, row in found) == text
    for place, row in found:
        assert text[place.offset :].startswith(row)
        assert text[: place.offset].count(b"\n") + 1 == place.line
        assert len(row) <= line
        assert row.endswith(b"\n") or len(row) == line or place.offset + len(row) == len(text) or row == b"d" * len(row)


def test_what_differs_in_every_run_is_no_difference() -> None:
    one = b"[17:58:03] start\ndone in 0.5s\nsame\n"
    other = b"[08:01:00] start\ndone in 7.5s\nsame\n"
    assert compared(one, other, normalised).is_same
    assert compared(one, other, normalised).normalised == 2
    assert compared(one, other).sides[0].lines == 2


def test_a_line_that_lacks_its_newline_differs() -> None:
    assert not compared(b"a\nb", b"a\nb\n").is_same


def test_it_meets_again_behind_a_long_insertion() -> None:
    common = b"".join(b"line %d\n" % number for number in range(3_000))
    more = b"".join(b"more %d\n" % number for number in range(20_000))
    found = compared(common[:5_000] + common[5_000:], common[:5_000] + b"\n" + more + common[5_000:])
    assert (found.sides[0].lines <= 1, found.lost) == (True, None)
    assert 20_000 <= found.sides[1].lines <= 20_002
    assert found.met > 0


def test_what_comes_behind_the_end_of_the_other_is_alone() -> None:
    more = b"".join(b"more %d\n" % number for number in range(200_000))
    found = compared(b"a\n", b"a\n" + more)
    assert (found.sides[0].lines, found.sides[1].lines, found.lost) == (0, 200_000, None)
    assert found.first is not None
    assert len(found.sides[1].alone) < 2_000


def test_where_nothing_is_in_both_it_gives_up_and_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    with small(1_000, window=4):
        one = b"same\n" + b"".join(b"one %d\n" % number for number in range(1_000))
        other = b"same\n" + b"".join(b"other %d\n" % number for number in range(1_000))
        found = compared(one, other)
    assert found.lost is not None
    assert (found.lost[0].line, found.lost[1].line) == (2, 2)
    assert [side.uncompared for side in found.sides] == [len(one) - 5, len(other) - 5]


def test_windows_that_lead_nowhere_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "DIFFERENCE_LOOKED_LINES", 100)
    monkeypatch.setattr(walk, "DIFFERENCE_LOOKED_TIMES", 1)
    one = b"".join(b"one %d\n" % number if number % 50 else b"\n" for number in range(5_000))
    other = b"".join(b"other %d\n" % number if number % 49 else b"\n" for number in range(5_000))
    found = compared(one, other)
    assert found.lost is not None


def test_what_is_held_is_bounded_in_bytes() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "DIFFERENCE_WINDOW_BYTES", 10_000)
        patch.setattr(rows, "DIFFERENCE_BLOCK_BYTES", 1_000)
        text = b"x" * 99 + b"\n"
        stage = Rows(lambda start, end: (text * 1_000)[start:end], 100_000, exact)
        assert 100 <= stage.fill(5_000) <= 111
        assert not stage.ends_within(111)
