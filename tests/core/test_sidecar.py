"""Records of styles and times: their offsets are those of the committed text, whatever was masked before them."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.limits.capturing import SIDECAR_TIME_NANOSECONDS
from capture_core.marks import Marks
from capture_core.sanitise import Sanitiser
from capture_core.sidecar import RECORD_BYTES, ArrivalTimes, Mark, Places, StyleRuns, decode, encode
from tests.cuts import places, three_ways

u64 = st.integers(0, 2**64 - 1)


@given(st.lists(st.tuples(u64, u64)), st.binary(max_size=RECORD_BYTES - 1))
def test_records_come_back_and_a_part_of_one_says_nothing(marks: list[tuple[int, int]], part: bytes) -> None:
    assert decode(encode(marks) + part) == tuple(Mark(*mark) for mark in marks)


def test_a_record_is_two_little_endian_numbers() -> None:
    assert encode([(1, 2)]) == b"\1" + b"\0" * 7 + b"\2" + b"\0" * 7


MARK = "[…]"


class Step(NamedTuple):
    """A part of what a redactor is fed, and what comes of it; ``style`` begins before its character ``at``."""

    text: str
    given_out: str | None = None
    at: int = 0
    style: int | None = None

    @property
    def out(self) -> str:
        return self.text if self.given_out is None else self.given_out

    def edits(self, start: int) -> list[tuple[int, int, int]]:
        return [] if self.given_out is None else [(start, len(self.text), len(self.given_out))]


steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(["x", "xyz", "secret"]),
        st.sampled_from([None, MARK, ""]),
        st.integers(0, 2),
        st.none() | st.integers(1, 3),
    ).filter(lambda step: step.at <= len(step.text) - 1),
    max_size=10,
)


def expected(steps: list[Step]) -> list[int]:
    """The style of each character given out: what is put has that of where the removed began."""
    looks, now = [], 0
    for step in steps:
        changed = now if step.style is None else step.style
        if step.at == 0:
            now = changed
        untouched = step.at if step.given_out is None else len(step.out)
        looks += [now] * untouched + [changed] * (len(step.out) - untouched)
        now = changed
    return looks


def looks(length: int, begun: list[tuple[int, int]]) -> list[int]:
    """The style of each character, of so many."""
    runs, now, looks = dict(begun), 0, []
    for at in range(length):
        now = runs.get(at, now)
        looks.append(now)
    return looks


@given(steps, st.integers(1, 4), st.integers(0, 3))
def test_a_style_stands_before_the_same_text_as_before_masking(steps: list[Step], every: int, later: int) -> None:
    """Styles come in turns of ``every`` steps; what is given out, and the edits with it, so many steps ``later``."""
    spots, begun, length = Places(), list[tuple[int, int]](), 0
    starts = [0, *accumulate(len(step.text) for step in steps)]
    changes = [(begin + step.at, step.style) for begin, step in zip(starts, steps, strict=False)]
    for turn in range(0, len(steps) + later + every, every):
        styles = [(at, style) for at, style in changes[turn : turn + every] if style is not None]
        settled = range(max(0, turn - later), min(len(steps), turn - later + every))
        edits = [edit for number in settled for edit in steps[number].edits(starts[number])]
        out = sum(len(steps[number].out) for number in settled)
        spots.give(out, Marks(styles), edits)
        length += out
        begun += spots.take()
        assert all(at < length for at, _ in begun)
    assert looks(length, begun) == expected(steps)
    assert [at for at, _ in begun] == sorted(at for at, _ in begun)


def test_what_stands_for_nothing_moves_what_comes_behind_it() -> None:
    spots = Places()
    spots.give(3, Marks([(1, 1), (3, 2)]), [])
    assert list(spots.take()) == [(1, 1)]
    spots.insert(10)
    spots.give(2, Marks([(3, 4), (4, 3)]), [])
    assert list(spots.take()) == [(3, 2), (13, 4), (14, 3)]


def test_a_style_in_an_omitted_fragment_waits_for_text_behind_it() -> None:
    spots = Places()
    spots.give(12, Marks(), [(2, 8, 10)])  # two characters, then the mark; the fragment goes on
    spots.give(0, Marks([(15, 7)]), [(10, 10, 0)])
    assert not spots.take()
    spots.give(1, Marks(), [])
    assert list(spots.take()) == [(12, 7)]


def test_equal_neighbours_are_one_run_and_the_last_style_at_an_offset_counts() -> None:
    runs = StyleRuns()
    styles = Marks([(0, 0), (2, 5), (2, 6), (3, 6), (4, 1), (4, 6), (5, 0)])
    assert list(runs.marks(styles, end=6)) == [(2, 6), (5, 0)]
    assert not runs.marks(Marks([(6, 0), (7, 1)]), end=7)
    assert list(runs.marks(Marks([(8, 1)]), end=9)) == [(8, 1)]


@pytest.mark.parametrize("between", [1, SIDECAR_TIME_NANOSECONDS // 3, SIDECAR_TIME_NANOSECONDS])
def test_times_are_told_at_most_twenty_times_a_second(between: int) -> None:
    times = ArrivalTimes()
    marks = [mark for number in range(200) for mark in times.marks(number, 10**18 + number * between)]
    assert marks[0] == (0, 10**18)
    assert all(second[1] - first[1] >= SIDECAR_TIME_NANOSECONDS for first, second in pairwise(marks))
    assert len(marks) == 1 + 199 * between // (-(-SIDECAR_TIME_NANOSECONDS // between) * between)


TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
parts_of_output = [
    "\x1b[1m",
    "\x1b[31m",
    "\x1b[0m",
    "\x1b]0;title\x07",
    f" {TOKEN} ",
    f" {TOKEN[:9]}\x1b[1m{TOKEN[9:20]}\x1b[4m{TOKEN[20:]} ",
    "PASSWORD=hunter2",
    "TOKEN=" + "x" * 900,
    "plain\n",
    "_\b_",
    "\xff",
    "漢",
    "gh",
]


def marks_of(parts: list[bytes], *, eof: bool) -> tuple[bytes, list[tuple[int, int]]]:
    sanitiser, runs, text, marks = Sanitiser(pending_bytes=600), StyleRuns(), b"", list[tuple[int, int]]()
    for part in parts:
        text += sanitiser.feed(part)
        marks += runs.marks(sanitiser.take_styles(), len(text))
        assert all(at < len(text) for at, _ in marks)
    text += sanitiser.finish(eof=eof)
    return text, [*marks, *runs.marks(sanitiser.take_styles(), len(text))]


@given(st.lists(st.sampled_from(parts_of_output), max_size=9).map("".join), places, st.booleans())
def test_runs_of_styles_are_the_same_for_any_cuts(output: str, at: list[int], eof: bool) -> None:  # noqa: FBT001
    results = [marks_of(parts, eof=eof) for parts in three_ways(output.encode("latin-1", "replace"), at)]
    assert results[0] == results[1] == results[2]
    _, marks = results[0]
    assert marks == sorted(dict(marks).items())
    assert all(first[1] != second[1] for first, second in pairwise([(0, 0), *marks]))


def test_colours_stand_where_they_stood_around_what_is_masked() -> None:
    output = f"\x1b[32mok\x1b[0m \x1b[1m{TOKEN}\x1b[0m \x1b[31m{TOKEN[:20]}\x1b[4m{TOKEN[20:]} end\x1b[0m.\x1b[1m"
    text, marks = marks_of([output.encode()], eof=True)
    pieces = [text[start:end] for start, end in pairwise([at for at, _ in marks] + [len(text)])]
    assert pieces == [b"ok", b" ", b"[redacted:gh-token]", b" ", b"[redacted:gh-token]", b" end", b"."]


def test_a_binary_stretch_moves_the_styles_behind_it() -> None:
    sanitiser = Sanitiser(pending_bytes=600)
    text = sanitiser.interrupt(b"[binary]") + sanitiser.feed(b"a\x1b[1mb") + sanitiser.interrupt(b"[binary]")
    text += sanitiser.feed(b"\x1b[0mc") + sanitiser.finish(eof=True)
    assert text == b"[binary]ab[binary]c"
    assert list(sanitiser.take_styles()) == [(9, 1), (18, 0)]


def test_styles_within_what_is_omitted_do_not_pile_up() -> None:
    """A quotation mark that was never closed, and colours behind it, took memory without end."""
    places = Places()
    places.give(10, Marks(), [])
    places.give(20, Marks([(15, 1)]), [(10, 8, 20)])
    for start in range(18, 10_018, 10):
        places.give(0, Marks([(start + 2, 2), (start + 7, 3)]), [(start, 10, 0)])
        assert not places.take()
        assert len(places._waiting) <= 4
    places.give(5, Marks(), [])
    assert list(places.take()) == [(30, 3)]
