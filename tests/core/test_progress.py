"""How far a program says that it is: each form in the words of the programs that print it, and what looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.limits.reading import PROGRESS_LINE_CHARS
from capture_core.progress import find, read_line
from capture_core.progress_forms import FORMS

EXAMPLES = [(line, words) for form in FORMS for line, words in form.examples]

# Each is taken for progress by a search for ``\d+/\d+``, ``\d+ of \d+`` or ``\d+%``.
NO_PROGRESS = """\
12/11
2026/11/30 done
[11/30 12:00:01] started
[12/11/2026] a date
Sat 12/11/2026 12:00
Python 3.11/3.12
version 1.2/3.4
100% of people say so
we are 100% sure of it
Nearly 100% complete
3 of 7 tests failed
3 of 7 failed
FAILED 3 of 7
test 3 of 7 failed
Test 12/340 failed
Running tests 3 of 7 failing
tests: 12/340 failed
100% tests passed, 0 tests failed out of 12
TOTAL    1200    120    90%
src/foo.py     20      2    90%   3-4
ok      pkg/foo 0.01s   coverage: 61.5% of statements
[----------] 12 tests from Foo
[==========] Running 12 tests from 3 test suites.
[PATCH 1/2] mend it
CPU usage: 61%
/dev/sda1       1024   625   399  61% /
warning: 61% of the memory is used
Battery 61%
remaining: 61%
see [1/2](http://host/x)
x[1/2]
(1/2) cup of sugar
a 50% discount, 3 of 4 like it
I give it 7/10
5 of 10 people
GET /a/12/340 HTTP/1.1
http://host:80/12/340
path/[a-z]/12/34
3 packets transmitted, 3 received, 0% packet loss
size 12/340 MB
[340/12] backwards
[101%] more than all
0 of 0
[0/0]
step 3
Running 12 tests""".splitlines()


@pytest.mark.parametrize(("line", "words"), EXAMPLES, ids=[f"{number}" for number in range(len(EXAMPLES))])
def test_each_form_is_read_alone_and_after_what_came_before(line: str, words: str) -> None:
    progress = find(f"compiling\n{line}", is_cut=False)
    assert progress is not None
    assert progress.words == words
    assert read_line(f"  {line}\t") == progress


@pytest.mark.parametrize("line", NO_PROGRESS, ids=[f"{number}" for number in range(len(NO_PROGRESS))])
def test_what_only_looks_like_it_is_none(line: str) -> None:
    """Fails where any fraction or percentage counts."""
    assert read_line(line) is None


def test_each_form_has_examples_and_a_source_and_none_is_named_twice() -> None:
    assert all(form.examples and form.source for form in FORMS)
    assert len({form.name for form in FORMS}) == len(FORMS)


def test_no_example_is_read_by_the_form_of_another_as_something_else() -> None:
    """Fails where a form is so wide that it matters which comes first."""
    for form in FORMS:
        for line, words in form.examples:
            progress = read_line(line)
            assert progress is not None
            assert progress.words == words, form.name


@pytest.mark.parametrize("break_", ["\n", "\r", "\r\n", "\r\r\n"], ids=["lf", "cr", "crlf", "crcrlf"])
def test_the_newest_line_that_says_anything_wins(break_: str) -> None:
    tail = break_.join(["[1/7] a", "[2/7] b", "warning: 3 of 9 are unused", ""])
    progress = find(tail, is_cut=False)
    assert progress is not None
    assert (progress.done, progress.total, round(progress.percent)) == (2, 7, 29)


def test_a_line_that_lost_its_beginning_is_not_read() -> None:
    """Fails where the tail is read as if it began with a line: of ``Step 113 of 340`` it may have ``13 of 340``."""
    assert find("13 of 340", is_cut=True) is None
    assert find("13 of 340", is_cut=False) is not None
    assert find("13 of 340\rStep 114 of 340\r", is_cut=True) == read_line("[114/340]")


def test_what_loggers_put_before_it_is_left_out() -> None:
    for prefix in ("2026-11-30 12:00:01,123 INFO ", "[12:00:01] ", "2026-11-30T12:00:01Z [info] ", "INFO: "):
        progress = read_line(f"{prefix}Step 3 of 7")
        assert progress is not None, prefix
        assert progress.words == "3/7"


def test_a_huge_line_is_none_and_takes_no_time() -> None:
    assert read_line("[12/340] " + "x" * PROGRESS_LINE_CHARS) is None
    assert find("=" * 10_000_000 + " 61%", is_cut=False) is None


@given(st.text(st.sampled_from(list("0123456789/%[]()|=#> .ofStepM\r\n")), max_size=200))
def test_whatever_comes_is_nothing_or_makes_sense(text: str) -> None:
    progress = find(text, is_cut=False)
    if progress is not None:
        assert 0 <= progress.percent <= 100
        assert progress.total is None or 0 <= (progress.done or 0) <= progress.total
