"""Test runners name one test in several ways; they all mean the same subject."""

from __future__ import annotations

import pytest

from capture_core.failures.pattern import Subject
from capture_core.failures.subjects import subject

TITLE, NODE, CARGO = Subject.PYTEST_TITLE, Subject.PYTEST_NODE, Subject.CARGO


@pytest.mark.parametrize(
    ("kind", "line", "name"),
    [
        (TITLE, "_____ TestCart.test_long _____", "TestCart.test_long"),
        (NODE, "FAILED test_shop.py::TestCart::test_long - assert 1 == 2", "TestCart.test_long"),
        (NODE, "test_shop.py::TestCart::test_long FAILED     [ 87%]", "TestCart.test_long"),
        (NODE, "[gw1] [ 62%] FAILED test_shop.py::TestCart::test_long ", "TestCart.test_long"),
        (TITLE, "___ test_price[a::b] ___", "test_price[a::b]"),
        (NODE, "FAILED test_shop.py::test_price[a::b] - RuntimeError: no price", "test_price[a::b]"),
        (TITLE, "_____ ERROR at setup of test_shop _____", "test_shop"),
        (NODE, "ERROR test_shop.py::test_shop - OSError: no shop", "test_shop"),
        (TITLE, "_ ERROR collecting a/test_b.py _", "a/test_b.py"),
        (NODE, "ERROR a/test_b.py", "a/test_b.py"),
        (CARGO, "---- tests::adds stdout ----", "tests::adds"),
        (CARGO, "test tests::adds ... FAILED", "tests::adds"),
        (CARGO, "test tests::panics - should panic ... FAILED", "tests::panics"),
        (Subject.NONE, "error: tests::adds", ""),
    ],
)
def test_a_name(kind: Subject, line: str, name: str) -> None:
    assert subject(kind, line.encode()) == name.encode()
