"""The README's table of what other programs report: complete, and true of what ``capview run`` does today."""

from __future__ import annotations

import os

import pytest

from tests.compare.__main__ import README, cell
from tests.compare.cases import CASES, Case
from tests.compare.programs import PROGRAMS
from tests.markdown import table

_ROWS = {row[0]: row[1:] for row in table(README.read_text(), "the command")}
_OURS = "`capview run`"


def test_every_command_was_given_to_every_program() -> None:
    assert list(_ROWS) == [case.name for case in CASES]
    assert {len(row) for row in _ROWS.values()} == {len(PROGRAMS)}
    assert all(all(row) for row in _ROWS.values())


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_what_it_says_of_capview_is_so(case: Case) -> None:
    if case.disk_bytes is not None and os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    assert cell(case, _OURS) == _ROWS[case.name][list(PROGRAMS).index(_OURS)]
