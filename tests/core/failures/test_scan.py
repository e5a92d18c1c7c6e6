"""The stage: one answer however its input is cut, in bounded memory, each failure told once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture_core.failures.line import Cutter
from capture_core.failures.table import PATTERNS
from capture_core.limits.failures import (
    FAILURE_BYTES,
    FAILURE_HEADLINE_BYTES,
    FAILURE_LINE_BYTES,
    FAILURE_LINES,
    FAILURES_REMEMBERED,
)
from tests.core.failures.logs import FAILED, found_in, text
from tests.cuts import places, three_ways

EXAMPLES = [example for pattern in PATTERNS for example in (*pattern.found, *pattern.spared)]
TRACE = b'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n'
LONG = b"x" * (3 * FAILURE_LINE_BYTES)


@pytest.mark.parametrize("path", FAILED, ids=lambda path: path.name)
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=places)
def test_a_log_tells_the_same_however_it_is_cut(path: object, at: list[int]) -> None:
    data = next(text(each) for each in FAILED if each == path)
    whole, *others = (found_in(pieces) for pieces in three_ways(data[:5_000], at))
    assert others == [whole] * len(others)


PIECES = (b"\n", b"\r", b"\n\n", b" ", b"\xff\xfe", LONG, b"error: " + LONG, b"  ", b"error", TRACE, b"ok\n", b"> ")


@settings(max_examples=60)
@given(st.lists(st.sampled_from([*(example.encode() for example in EXAMPLES), *PIECES]), max_size=8), places)
def test_a_text_of_anything_tells_the_same_however_it_is_cut(parts: list[bytes], at: list[int]) -> None:
    data = b"".join(parts)[:20_000]
    whole, *others = (found_in(pieces) for pieces in three_ways(data, at))
    assert others == [whole] * len(others)


@settings(max_examples=60)
@given(st.lists(st.sampled_from([*(example.encode() for example in EXAMPLES), *PIECES]), max_size=8))
def test_what_is_told_is_where_it_says(parts: list[bytes]) -> None:
    data = b"".join(parts)
    for found in found_in([data]):
        assert 0 <= found.start <= found.at < found.end <= len(data)
        assert found.start == 0 or data[found.start - 1 : found.start] == b"\n"
        assert data[found.end : found.end + 1] in (b"\n", b"")
        assert found.first_line == data.count(b"\n", 0, found.start) + 1
        assert found.last_line == data.count(b"\n", 0, found.end) + 1


def test_what_a_carriage_return_has_overwritten_is_not_looked_at() -> None:
    assert found_in([b"error: one\rall is well\n"]) == ()
    [found] = found_in([b"[1/2] a.c\r[2/2] b.c\rerror: one\r\n"])
    assert (found.headline, found.start, found.end) == (b"error: one", 0, 31)


def test_a_line_of_any_length_is_looked_at_by_its_beginning() -> None:
    pieces = [b"error: one ", *[b"x" * 100_000] * 20, b"\nerror: two\n"]
    one, two = found_in(pieces)
    assert (one.start, one.end, two.start) == (0, 2_000_011, 2_000_012)
    assert len(one.headline) == FAILURE_HEADLINE_BYTES
    assert (one.first_line, two.first_line) == (1, 2)


def test_memory_stays_bounded_in_a_line_without_end() -> None:
    cutter = Cutter(0)
    for _ in range(100):
        assert list(cutter.feed(b"x" * 100_000)) == []
        assert len(cutter._rest) <= FAILURE_LINE_BYTES + 1
    [run] = cutter.finish()
    assert (run.size, len(run.data)) == (100 * 100_000 + 1, FAILURE_LINE_BYTES + 2)


def test_a_failure_without_end_is_ended() -> None:
    frames = b'  File "a.py", line 1, in f\n' * (2 * FAILURE_LINES)
    first, *others = found_in([b"Traceback (most recent call last):\n", frames, b"KeyError: 1\n"])
    assert first.last_line == FAILURE_LINES + 1
    assert others == []
    wide = b"  " + b"x" * 1_000 + b"\n"
    [found] = found_in([b"Traceback (most recent call last):\n", wide * (2 * FAILURE_BYTES // len(wide))])
    assert found.end - found.start <= FAILURE_BYTES


def test_scans_in_several_threads_do_not_mix() -> None:
    logs = [text(path) * 20 for path in FAILED[:6]]
    alone = [found_in([data]) for data in logs]
    with ThreadPoolExecutor(len(logs)) as pool:
        assert list(pool.map(lambda data: found_in([data]), logs)) == alone


# -- what belongs together ------------------------------------------------------------------------------------------


def test_a_message_and_the_exception_that_it_was_logged_with_are_one() -> None:
    [found] = found_in([b"2026-12-01 05:00:48,204 ERROR root: no\n" + TRACE])
    assert (found.pattern, found.headline, found.first_line, found.last_line) == (
        "python-traceback",
        b"KeyError: 1",
        1,
        4,
    )


def test_with_a_line_between_they_are_two() -> None:
    message, traceback = found_in([b"error: no\nand so on\n" + TRACE])
    assert (message.pattern, traceback.pattern) == ("error-message", "python-traceback")


def test_two_messages_are_two() -> None:
    assert [found.headline for found in found_in([b"error: a\nerror: b\n"])] == [b"error: a", b"error: b"]


def test_exceptions_that_follow_each_other_without_a_word_are_two() -> None:
    assert len(found_in([TRACE + TRACE])) == 2
    assert len(found_in([TRACE + b"\n" + TRACE])) == 2


def test_what_did_not_become_what_it_looked_like_is_looked_at_again() -> None:
    found = found_in([b"error[E0001]: no place\nmake: *** [Makefile:1: a] Error 1\n"])
    assert [each.pattern for each in found] == ["make-recipe"]


def test_an_end_while_a_line_could_open_something() -> None:
    [found] = found_in([b"error: an end"])
    assert (found.pattern, found.end) == ("error-message", 13)


# -- tests that failed are told once a run --------------------------------------------------------------------------

REPORT = b"=========== FAILURES ===========\n___ test_a ___\n\nE   assert 0\n=== short test summary info ===\n"
SUMMARY = b"FAILED t.py::test_a - assert 0\n"
END = b"===== 1 failed in 0.01s =====\n"
LISTED = b"t.py::test_a FAILED  [100%]\n"


def test_list_report_and_summary_are_one_failure() -> None:
    found = found_in([LISTED, REPORT, SUMMARY, END])
    assert [each.pattern for each in found] == ["pytest", "pytest-total"]


def test_what_is_only_listed_is_told_when_the_run_ends() -> None:
    assert [each.pattern for each in found_in([LISTED, END])] == ["pytest-progress", "pytest-total"]


def test_what_is_only_listed_is_told_when_nothing_ends_the_run() -> None:
    [found] = found_in([b"t.py::test_b PASSED [ 50%]\n", LISTED, b"and then it was killed\n"])
    assert (found.pattern, found.first_line) == ("pytest-progress", 2)


def test_the_same_test_of_a_second_run_is_told_again() -> None:
    run = REPORT + SUMMARY + END
    assert [each.pattern for each in found_in([run, run])] == ["pytest", "pytest-total"] * 2


def test_beyond_what_is_remembered_a_summary_is_told_too() -> None:
    names = [b"%d" % number for number in range(FAILURES_REMEMBERED + 1)]
    reports = b"=== FAILURES ===\n" + b"".join(b"___ %s ___\nE   assert 0\n" % name for name in names)
    summary = b"=== short test summary info ===\n" + b"".join(b"FAILED t.py::%s\n" % name for name in names)
    found = found_in([reports, summary])
    assert len(found) == len(names) + 1
    assert found[-1].pattern == "pytest-summary"
