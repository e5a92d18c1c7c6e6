"""What pytest and unittest say of tests that failed."""

from __future__ import annotations

from typing import Final

from capture_core.failures.finding import Kind, Severity
from capture_core.failures.pattern import Block, Pattern, RunEnd, Section, Subject

_TEST, _ERROR, _CONSEQUENCE = Kind.TEST, Severity.ERROR, Severity.CONSEQUENCE
_TOTAL: Final = (
    r"^(?:=+ )?(?:\d+ \w+, )*\d+ (?:failed|passed|errors?|skipped|deselected|xfailed|xpassed)\b.* in \d.*s\b"
)
_HEADING: Final = r"^=+ \S.* =+$"
_TOTAL_SIGNS: Final = (" failed", " passed", " error", " skipped", " deselected", " xfailed", " xpassed")
_REPORTS: Final = Section(r"^=+ (?:FAILURES|ERRORS) =+$", rf"{_HEADING}|{_TOTAL}", ("^=", *_TOTAL_SIGNS))
_SUMMARY: Final = Section(r"^=+ short test summary info =+$", rf"{_HEADING}|{_TOTAL}", ("^=", *_TOTAL_SIGNS))

PYTEST_END: Final = RunEnd(_TOTAL, _TOTAL_SIGNS)
"""The last line of a run."""

PYTHON_TESTS: Final = (
    Pattern(
        name="pytest",
        tool="pytest",
        kind=_TEST,
        severity=_ERROR,
        signs=("^_",),
        expression=r"^_+ [^_ ].* _+$",
        within=_REPORTS,
        block=Block(body=r".", blank=True, stop=rf"^_+ [^_ ].* _+$|{_HEADING}"),
        headline=(
            r"^E {3,}[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Failed)\b",
            r"^E {3,}assert ",
            r"^E {3,}\S",
        ),
        subject=Subject.PYTEST_TITLE,
        source="recorded: pytest 8.4.2",
        found=(
            (
                "=================================== FAILURES ===================================\n"
                "___________________________________ test_sum ___________________________________\n"
                "\n"
                "    def test_sum():\n"
                '        print("error: printed by the test")\n'
                '>       assert sum([1, 2]) == 4, "the sum"\n'
                "E       AssertionError: the sum\n"
                "E       assert 3 == 4\n"
                "\n"
                "test_shop.py:19: AssertionError\n"
                "----------------------------- Captured stdout call -----------------------------\n"
                "error: printed by the test\n"
                "=========================== short test summary info ============================\n"
                "FAILED test_shop.py::test_sum - AssertionError: the sum\n"
            ),
        ),
        spared=(
            "_________________________ a title of something else __________________________\n",
            (
                "=============================== warnings summary ===============================\n"
                "test_errors.py::test_error_is_told\n"
                "  test_errors.py:3: UserWarning: error: only a warning\n"
            ),
        ),
    ),
    Pattern(
        name="pytest-summary",
        tool="pytest",
        kind=_TEST,
        severity=_ERROR,
        signs=("^FAILED ", "^ERROR "),
        expression=r"^(?:FAILED|ERROR) \S",
        within=_SUMMARY,
        subject=Subject.PYTEST_NODE,
        source="recorded: pytest 8.4.2, --tb=no",
        found=(
            (
                "=========================== short test summary info ============================\n"
                "FAILED test_shop.py::TestCart::test_long - assert [1, 2, 3, 4] == [1, 2, 4, 4]\n"
            ),
        ),
        spared=(
            "=========================== short test summary info ============================\nXFAIL test_a.py::t\n",
        ),
    ),
    Pattern(
        name="pytest-progress",
        tool="pytest",
        kind=_TEST,
        severity=_ERROR,
        signs=(" FAILED", " ERROR"),
        expression=r"^\S+\.py(?:::\S.*)? (?:FAILED|ERROR)(?: +\[ *\d+%\])?$|^\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) \S",
        subject=Subject.PYTEST_NODE,
        held=True,
        source="recorded: pytest 8.4.2, -v, and with pytest-xdist 3.8.0",
        found=(
            "test_shop.py::test_sum FAILED                                            [ 37%]\n",
            "[gw1] [ 37%] FAILED test_shop.py::test_sum \n",
        ),
        spared=(
            "test_errors.py::test_error_is_told PASSED                                [ 25%]\n",
            "test_shop.py::test_expected XFAIL                                        [100%]\n",
            "[gw0] [ 25%] PASSED test_errors.py::test_error_FAILED \n",
        ),
    ),
    Pattern(
        name="pytest-total",
        tool="pytest",
        kind=_TEST,
        severity=_CONSEQUENCE,
        signs=_TOTAL_SIGNS,
        expression=_TOTAL,
        unless=r"^(?:=+ )?(?:[1-9]\d* (?:passed|skipped|deselected|x\w+|warnings?),? )+in ",
        source="recorded: pytest 8.4.2",
        found=(
            "=============== 3 failed, 3 passed, 1 xfailed, 1 error in 1.10s ================\n",
            "============================== 2 errors in 2.24s ===============================\n",
            "3 failed, 3 passed in 1.25s\n",
        ),
        spared=(
            "============================== 3 passed in 0.01s ===============================\n",
            "3 passed, 1 skipped, 2 deselected, 1 xfailed, 4 warnings in 70.01s (0:01:10)\n",
        ),
    ),
    Pattern(
        name="pytest-explanation",
        tool="pytest",
        kind=_TEST,
        severity=_ERROR,
        signs=("^E   ",),
        expression=r"^E {3,}[A-Za-z_][\w.]*(?:Error|Exception|Exit|Failed)\b|^E {3,}assert ",
        block=Block(body=r"^E {3,}"),
        source="recorded: pytest 8.4.2, where the beginning is missing",
        found=("E       AssertionError: the sum\nE       assert 3 == 4\nE        +  where 3 = sum([1, 2])\n",),
        spared=("E   is the fifth letter\n",),
    ),
    Pattern(
        name="unittest",
        tool="unittest",
        kind=_TEST,
        severity=_ERROR,
        signs=("^FAIL: ", "^ERROR: ", "^UNEXPECTED SUCCESS: "),
        expression=r"^(?:FAIL|ERROR|UNEXPECTED SUCCESS): \w+ \([\w.]+\)",
        block=Block(lines=2, body=r".", blank=True, stop=r"^={70}$|^-{70}$"),
        headline=(r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure|Exit|Interrupt|Warning)\b",),
        source="recorded: unittest of Python 3.11",
        found=(
            (
                "FAIL: test_equal (test_unit.CartTest.test_equal)\n"
                "A cart has two.\n"
                "----------------------------------------------------------------------\n"
                "Traceback (most recent call last):\n"
                '  File "test_unit.py", line 5, in test_equal\n'
                "    self.assertEqual([1, 2], [1, 3])\n"
                "AssertionError: Lists differ: [1, 2] != [1, 3]\n"
                "\n"
                "First differing element 1:\n"
                "2\n"
                "3\n"
            ),
        ),
        spared=(
            "test_error (test_unit.CartTest.test_error) ... ok\n",
            "test_no_error (t.CartTest.test_no_error) ... ok\n",
        ),
    ),
    Pattern(
        name="unittest-total",
        tool="unittest",
        kind=_TEST,
        severity=_CONSEQUENCE,
        signs=("^FAILED (",),
        expression=r"^FAILED \((?:failures|errors|unexpected successes)=",
        source="recorded: unittest of Python 3.11",
        found=("FAILED (failures=2, errors=1)\n",),
        spared=("OK (skipped=1)\n", "OK (errors=0)\n"),
    ),
)
