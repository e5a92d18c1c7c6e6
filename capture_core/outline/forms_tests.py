"""The forms of test runners: pytest, CTest, go, cargo."""

from __future__ import annotations

from typing import Final

from capture_core.outline.form import Example, Form, Shape

_RULE: Final = "={3,} "
_SESSION: Final = "============================= test session starts ==============================\n"
_SUMMARY: Final = "========================= 1 failed, 92 passed in 0.59s =========================\n"
_COUNTED: Final = (
    r"(?:no tests (?:ran|collected)|\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?"
    r"|rerun|subtests passed|tests? collected))"
)

TEST_FORMS: Final = (
    Form(
        "pytest-session",
        30,
        Shape.SCOPE,
        _RULE,
        r"=+ (?P<title>test session starts) =+$",
        (
            Example(_SESSION + "collected 93 items\n" + _SUMMARY + "after\n", ("test session starts",)),
            Example(_SESSION + "=== no tests ran in 0.01s ===\n" + _SESSION, ("test session starts",) * 2),
        ),
        (_SUMMARY, "=== hello ===\n"),
        "pytest 8.4, recorded",
        closes=rf"=+ {_COUNTED}.* in (?P<seconds>\d+\.\d+)s(?: \([\d:, a-z]+\))? =+$",
    ),
    Form(
        "pytest-section",
        40,
        Shape.SERIES,
        _RULE,
        r"=+ (?P<title>ERRORS|FAILURES|PASSES|XFAILURES|XPASSES|warnings summary(?: \(final\))?|"
        r"short test summary info|rerun test summary info|slowest (?:\d+ )?durations|tests coverage) =+$",
        (
            Example(
                _SESSION
                + "=================================== FAILURES ===================================\n"
                + "=========================== short test summary info ============================\n"
                + _SUMMARY,
                ("test session starts", " FAILURES", " short test summary info"),
            ),
            Example("=============================== FAILURES ===============================\n", ("FAILURES",)),  # -q
        ),
        ("=== failures ===\n", "FAILURES\n"),
        "pytest 8.4, recorded",
    ),
    Form(
        "pytest-file",
        40,
        Shape.SERIES,
        r"\S+\.py(?: |::)",
        r"(?P<title>(?P<key>\S+\.py))"
        r"(?: [.FEsxXR]+ *(?:\[ *\d+%\])?$|::\S.* (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b)",
        (
            Example(
                _SESSION + "test_open.py .                    [  1%]\ntest_shop.py .F....... [ 64%]\n....... [100%]\n",
                ("test session starts", " test_open.py", " test_shop.py"),
            ),
            Example(
                _SESSION
                + "a.py::test_adds PASSED [ 33%]\na.py::test_sum FAILED [ 66%]\nb.py::test_long PASSED [100%]\n",
                ("test session starts", " a.py", " b.py"),
            ),
        ),
        (
            "test_open.py .                    [  1%]\n",  # in no session
            _SESSION[:-1] + "no\ntest_open.py is empty\n",
        ),
        "pytest 8.4, recorded",
        within="pytest-session",
    ),
    Form(
        "ctest-test",
        40,
        Shape.SCOPE,
        r" *(?:Start +\d+: |\d+/\d+ +Test +#)",
        r" {2,}Start +(?P<key>\d+): (?P<title>\S.*)$",
        (
            Example(
                "    Start 1: adds\n1/2 Test #1: adds .....   Passed    0.01 sec\n    Start 2: sum\n"
                "2/2 Test #2: sum ......***Failed    1.20 sec\n",
                ("adds", "sum"),
            ),
        ),
        ("1/2 Test #1: adds .....   Passed    0.01 sec\n", "  Start here: 1\n"),
        "CTest 3.25, recorded",
        closes=r" *\d+/\d+ +Test +#(?P<key>\d+): .*? (?P<seconds>\d+\.\d+) sec$",
    ),
    Form(
        "go-test",
        40,
        Shape.SCOPE,
        r"(?:=== RUN |--- (?:PASS|FAIL|SKIP): )",
        r"=== RUN +(?P<title>(?P<key>[^\s/]+))$",
        (
            Example(
                "=== RUN   TestTable\n=== RUN   TestTable/one\n--- PASS: TestTable (0.50s)\n"
                "    --- PASS: TestTable/one (0.00s)\n",
                ("TestTable",),
            ),
        ),
        ("--- PASS: TestTable (0.50s)\n", "=== RUN   TestTable/one\n", "=== PAUSE TestTable\n"),
        "go test -v of Go 1.2x, recorded; subtests lie within their test",
        closes=r"--- (?:PASS|FAIL|SKIP): (?P<key>[^\s/]+) \((?P<seconds>\d+\.\d+)s\)$",
    ),
    Form(
        "cargo-test",
        30,
        Shape.SERIES,
        r" {3,}(?:Running|Doc-tests) ",
        r" {3,5}(?P<title>Running (?:unittests )?[\w./-]+\.rs|Doc-tests \S+)",
        (
            Example(
                "     Running unittests src/main.rs (target/debug/deps/shop-18c5)\n   Doc-tests shop\n",
                ("Running unittests src/main.rs", "Doc-tests shop"),
            ),
        ),
        ("     Running `rustc --crate-name cr src/main.rs`\n", "Running src/main.rs\n"),
        "cargo test, recorded",
    ),
)
