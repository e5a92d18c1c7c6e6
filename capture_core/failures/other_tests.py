"""What other languages' test runners say of tests that failed."""

# ruff: noqa: RUF001 — the quotation marks are those of the programs

from __future__ import annotations

from typing import Final

from capture_core.failures.finding import Kind, Severity
from capture_core.failures.pattern import Block, Pattern, RunEnd, Subject

_TEST, _ERROR, _CONSEQUENCE = Kind.TEST, Severity.ERROR, Severity.CONSEQUENCE

CARGO_END: Final = RunEnd(r"^test result: ", ("^test result: ",))
"""The last line of one program's tests."""

OTHER_TESTS: Final = (
    Pattern(
        name="cargo-test",
        tool="cargo test",
        kind=_TEST,
        severity=_ERROR,
        signs=("^---- ",),
        expression=r"^---- \S.* stdout ----$",
        block=Block(body=r".", blank=True, stop=r"^---- \S.* stdout ----$|^(?:failures|successes):$|^test result: "),
        headline=(r"^(?:Error: |assertion |called `|note: test did not panic)", r"panicked at "),
        subject=Subject.CARGO,
        source="recorded: cargo 1.95.0",
        found=(
            (
                "---- tests::error_is_told stdout ----\n"
                "\n"
                "thread 'tests::error_is_told' (11275) panicked at src/main.rs:5:31:\n"
                "assertion `left == right` failed: the sum\n"
                "  left: 3\n"
                " right: 4\n"
            ),
        ),
        spared=("test tests::error_is_told ... ok\n", "running 4 tests\n"),
    ),
    Pattern(
        name="cargo-progress",
        tool="cargo test",
        kind=_TEST,
        severity=_ERROR,
        signs=("^test ",),
        expression=r"^test \S.* \.\.\. FAILED$",
        subject=Subject.CARGO,
        held=True,
        source="recorded: cargo 1.95.0",
        found=("test tests::error_is_told ... FAILED\n",),
        spared=("test tests::panics - should panic ... ok\n", "test tests::slow ... ignored\n"),
    ),
    Pattern(
        name="cargo-total",
        tool="cargo test",
        kind=_TEST,
        severity=_CONSEQUENCE,
        signs=("^test result: ",),
        expression=r"^test result: FAILED\.",
        source="recorded: cargo 1.95.0",
        found=("test result: FAILED. 2 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.27s\n",),
        spared=("test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",),
    ),
    Pattern(
        name="go-test",
        tool="go test",
        kind=_TEST,
        severity=_ERROR,
        signs=("--- FAIL: ",),
        expression=r"^ *--- FAIL: \S",
        block=Block(body=r"^ +\S"),
        source="recorded: go 1.27.3",
        found=(
            "--- FAIL: TestTotal (0.00s)\n    shop_test.go:7: Total = 3, want 4\n",
            "--- FAIL: TestTable (0.00s)\n    --- FAIL: TestTable/two (0.00s)\n        shop_test.go:15: no luck\n",
        ),
        spared=(
            "--- PASS: TestErrorIsNone (0.00s)\n",
            "=== RUN   TestFAIL\n",
            "    shop_test.go:14: error: only a word\n",
        ),
    ),
    Pattern(
        name="go-package",
        tool="go test",
        kind=_TEST,
        severity=_CONSEQUENCE,
        signs=("^FAIL",),
        expression=r"^FAIL(?:\t\S.*)?$",
        block=Block(body=r"^FAIL(?:\t\S.*)?$"),
        source="recorded: go 1.27.3",
        found=("FAIL\nFAIL\texample.com/shop\t0.004s\n", "FAIL\texample.com/shop [build failed]\n"),
        spared=("ok  \texample.com/shop\t0.004s\n", "PASS\n"),
    ),
    Pattern(
        name="tap",
        tool="TAP: node --test, prove",
        kind=_TEST,
        severity=_ERROR,
        signs=("not ok ",),
        expression=r"^ *not ok \d",
        unless=r"# (?:TODO|SKIP|todo|skip)\b",
        block=Block(body=r"^ {2,}\S|^#   "),
        headline=(r"^ +error: ",),
        source="recorded: node 20.20.2; Test Anything Protocol 14",
        found=("not ok 2 - error is told\n  ---\n  error: '2 == 3'\n  code: 'ERR_ASSERTION'\n  ...\n",),
        spared=("ok 1 - not ok is told\n", "not ok 3 - later # TODO not written\n", "# fail 0\n"),
    ),
    Pattern(
        name="jest",
        tool="jest",
        kind=_TEST,
        severity=_ERROR,
        signs=("^  ● ",),
        expression=r"^  ● \S",
        unless=r"^  ● Console$",
        block=Block(body=r"^ {4}", blank=True),
        source="recorded: jest 30.5.2",
        found=(
            (
                "  ● shop › sum is told\n"
                "\n"
                "    expect(received).toBe(expected) // Object.is equality\n"
                "\n"
                "    Expected: 4\n"
                "    Received: 3\n"
                "\n"
                "      at Object.toBe (a.test.js:4:88)\n"
            ),
        ),
        spared=("PASS ./errors.test.js\n", "    ✓ error is told (5 ms)\n"),
    ),
    Pattern(
        name="vitest",
        tool="vitest",
        kind=_TEST,
        severity=_ERROR,
        signs=("^ FAIL  ",),
        expression=r"^ FAIL  \S+ > \S",
        block=Block(lines=1, body=r"^[-+] |^ +\S", blank=True),
        headline_at=1,
        source="recorded: vitest 4.1.12",
        found=(
            (
                " FAIL  vt/v.test.js > shop > sum is told\n"
                "AssertionError: expected 3 to be 4 // Object.is equality\n"
                "\n"
                "- Expected\n"
                "+ Received\n"
                "\n"
                "- 4\n"
                "+ 3\n"
                "\n"
                " ❯ vt/v.test.js:2:101\n"
                '      1| import { test, expect, describe } from "vitest";\n'
            ),
        ),
        spared=(" ✓ vt/v.test.js (2 tests) 13ms\n", "     ✓ FAIL is only a word 3ms\n"),
    ),
    Pattern(
        name="mocha",
        tool="mocha",
        kind=_TEST,
        severity=_ERROR,
        signs=("^  0", "^  1", "^  2", "^  3", "^  4", "^  5", "^  6", "^  7", "^  8", "^  9"),
        expression=r"^  \d+\) \S",
        then=r"^ {7}.*:$",
        block=Block(body=r"^ {6}", blank=True),
        headline=(r"^ +[A-Z]\w*(?:Error|Exception)\b",),
        source="recorded: mocha",
        found=(
            (
                "  1) shop\n"
                "       sum is told:\n"
                "\n"
                "      AssertionError [ERR_ASSERTION]: 3 == 4\n"
                "      + expected - actual\n"
                "\n"
                "      at Context.<anonymous> (test/m.js:2:95)\n"
            ),
        ),
        spared=("    ✔ no error\n", "  1) the first step of a list\n  2) the second\n"),
    ),
    Pattern(
        name="js-tests-total",
        tool="jest, vitest, mocha",
        kind=_TEST,
        severity=_CONSEQUENCE,
        signs=("^FAIL ", "^Test Suites: ", "^Tests: ", " Test Files ", " Tests ", " failing"),
        expression=(
            r"^FAIL \S+\.[cm]?[jt]sx?\b|^(?:Test Suites|Tests): +[1-9]\d* failed"
            r"|^ +(?:Test Files|Tests) +[1-9]\d* failed|^ +[1-9]\d* failing$"
        ),
        source="recorded: jest 30.5.2, vitest 4.1.12, mocha",
        found=(
            "FAIL ./a.test.js\n",
            "Tests:       2 failed, 1 passed, 3 total\n",
            "      Tests  1 failed | 1 passed (2)\n",
            "  1 failing\n",
        ),
        spared=("Tests:       3 passed, 3 total\n", "  2 passing (8ms)\n", "Tests:       0 failed, 3 total\n"),
    ),
    Pattern(
        name="ctest",
        tool="ctest",
        kind=_TEST,
        severity=_ERROR,
        signs=(" Test ",),
        expression=r"^ *\d+/\d+ Test +#\d+: .*\*\*\*(?:Failed|Exception|Timeout|Not Run)",
        source="recorded: ctest 3.25.1",
        found=("1/4 Test #1: error_is_told ....................***Failed    0.00 sec\n",),
        spared=("2/4 Test #2: error_is_none ....................   Passed    0.00 sec\n",),
    ),
    Pattern(
        name="ctest-total",
        tool="ctest",
        kind=_TEST,
        severity=_CONSEQUENCE,
        signs=("^The following tests FAILED:",),
        expression=r"^The following tests FAILED:$",
        block=Block(body=r"^\t* +\d+ - "),
        source="recorded: ctest 3.25.1",
        found=("The following tests FAILED:\n\t  1 - error_is_told (Failed)\n\t  4 - slow (Timeout)\n",),
        spared=("100% tests passed, 0 tests failed out of 4\n",),
    ),
    Pattern(
        name="automake-test",
        tool="automake",
        kind=_TEST,
        severity=_ERROR,
        signs=("^FAIL: ", "^XPASS: ", "^ERROR: "),
        expression=r"^(?:FAIL|XPASS|ERROR): [\w./+-]*[A-Za-z][\w./+-]*(?: \d+.*)?$",
        source="documented: the manual of automake, its test harness",
        found=("FAIL: tests/shop\n", "FAIL: tests/shop.sh 2 - no luck\n"),
        spared=("PASS: tests/error\n", "XFAIL: tests/known\n", "# FAIL:  0\n", "# ERROR: 0\n"),
    ),
    Pattern(
        name="gtest",
        tool="GoogleTest",
        kind=_TEST,
        severity=_ERROR,
        signs=(": Failure", "^[  FAILED  ] "),
        expression=r"^\S+:\d+: Failure$|^\[  FAILED  \] \S+\.\S+ \(\d+ ms\)$",
        block=Block(body=r"^(?:Expected|Value of)|^ {2}"),
        source="documented: the primer of GoogleTest",
        found=(
            "shop_test.cc:7: Failure\nExpected equality of these values:\n  total\n    Which is: 3\n  4\n",
            "[  FAILED  ] Shop.Sum (0 ms)\n",
        ),
        spared=("[       OK ] Shop.Failure (0 ms)\n", "[  PASSED  ] 3 tests.\n"),
    ),
)
