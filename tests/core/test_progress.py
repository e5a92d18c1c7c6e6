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
Running 12 tests
[12/25] meeting
[12/25] shopping list
[11/30] started
[12/25]
INFO [1/3] …
[200/404] errors
[7/340] tests failed
[207/340] warnings
Error: [12/340] failed
test [1/2] PASSED
test_a[61%] PASSED
[24/7] support
[ 50%] off today
(50%) off
sale [50%] today
[100%] sure
Now testing 5%
5% [red]
Progress has been slow: 61%
Building 2/3 of it
step 3/4 inch
checking 1/2 tsp
Running 4/7 days
page 3 of 7
Part 1 of 2: the beginning
Round 3/4 of the tournament
Image 1/2 is broken
340/340
--- FAIL: TestHalf/50% (0.01s)
ok  \tpkg/foo\t0.011s\tcoverage: 61.5% of statements
make[1]: Entering directory '/src/12/340'
100% tests passed, 0 tests failed out of 340
test result: ok. 340 passed; 0 failed; 0 ignored
added 340 packages, and audited 341 packages in 12s
BUILD SUCCESSFUL in 10s, 3 actionable tasks: 1 executed, 2 up-to-date
Fetched 12.3 MB in 3s (4,123 kB/s)
total size is 1,024  speedup is 0.61 (12/340)""".splitlines()


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


# What each tool printed last but one, and what is told of it.
TOOLS = {
    "pytest": ("tests/a_test.py ......   [ 33%]\ntests/b_test.py ..F...   [ 66%]\n", "66%"),
    "cargo": ("   Compiling serde v1.0.1\r    Building [=====>      ] 23/154: syn(build)\r", "23/154"),
    "ninja": ("[1/9] CXX a.o\n[2/9] CXX b.o\nb.cpp:3:5: warning: unused\n", "2/9"),
    "ninja, own words": ("[1/9] stamp a\n[2/9] stamp b\n", "2/9"),
    "cmake": ("[ 50%] Building C object a.o\n[ 75%] Building C object b.o\n", "75%"),
    "docker build": ("Step 3/7 : RUN make\n ---> Running in 0123456789ab\n", "3/7"),
    "BuildKit": ("#7 [2/7] COPY . .\n#7 DONE 0.1s\n#8 [3/7] RUN make\n#8 0.512 cc a.c\n", "3/7"),
    "npm": ("(#####.....) ⠧ idealTree: timing\r", "50%"),
    "pip": ("Downloading a.whl (10.0 MB)\n   ━━━━━━━━╸━━━━━━━ 6.1/10.0 MB 5.2 MB/s eta 0:00:01\r", "61%"),
    "curl": ("61 1024M   61  625M    0     0  10.1M      0  0:01:41  0:01:02  0:00:39 10.3M\r", "61%"),
    "rsync": ("    625,000,000  61%   10.10MB/s    0:00:39\r", "61%"),
    "apt": ("Reading package lists... 50%\rReading package lists... 61%\r", "61%"),
    "wget": ("a.iso       61%[======>     ] 625.00M  10.1MB/s    eta 39s\r", "61%"),
    "make": ("cc -c a.c\ncc -c b.c\n", None),
    "go test": ("=== RUN   TestHalf/50%\n--- PASS: TestHalf/50% (0.00s)\nok  \tpkg\t0.01s\n", None),
    "gradle": ("<=======------> 61% EXECUTING [10s]\r", "61%"),
    "ctest": ("  Start  12: a\n 12/340 Test  #12: a ......   Passed    0.02 sec\n  Start  13: b\n", "12/340"),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_what_real_tools_leave_at_the_end(tool: str) -> None:
    tail, words = TOOLS[tool]
    progress = find(tail, is_cut=False)
    assert (None if progress is None else progress.words) == words


def test_a_few_of_a_few_in_brackets_are_told_where_the_one_before_was_printed_too() -> None:
    """Fails where a bracket is enough: ``[12/25] shopping`` is a date."""
    assert find("[12/24] meeting\n[12/25] shopping\n", is_cut=False) is None
    assert find("[1/3] unpack\nnoise\n[2/3] sort\n", is_cut=False) == read_line("Step 2 of 3")
    assert find("[1/3] unpack\n[3/4] sort\n", is_cut=False) is None


@pytest.mark.parametrize("end", ["[340/340] CXX a.o", "100%", "[100%] Built target a", "Step 7/7"])
def test_what_is_all_done_is_over_when_more_is_printed(end: str) -> None:
    """Fails where the newest line of a form counts for ever: behind ``340/340`` came ``Now testing 5%``."""
    assert find(f"{end}\n", is_cut=False) is not None
    assert find(f"{end}\nNow testing 5%\n", is_cut=False) is None


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
