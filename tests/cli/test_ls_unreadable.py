"""``capview ls`` and ``verify`` on captures that cannot be read: each has its row, and is not taken for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from capview.present import short_id
from tests.captures import Owner, finished
from tests.commands import Here

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    return Here(tmp_path / "c", capfdbinary)


def spoilt(here: Here) -> Owner:
    owner = finished(here.conversation)
    (owner.folder / f"{owner.id}.json").write_text("{")
    return owner


def test_a_conversation_whose_only_capture_cannot_be_read_is_not_called_empty(here: Here) -> None:
    owner = spoilt(here)
    code, out, err = here("ls")
    assert code == 0
    assert [line.split()[:2] for line in out.decode().splitlines()[1:]] == [["✗", "unreadable"]]
    assert short_id(owner.id) in out.decode()
    assert f"{owner.ref}: its receipt is not JSON" in err.decode()
    assert b"1 cannot be read; capview doctor says how to mend it" in err
    assert b"nothing captured" not in err


def test_it_stands_beside_the_rest_but_is_none_of_those_that_were_asked_for(here: Here) -> None:
    spoilt(here)
    finished(here.conversation, label="good")
    assert here("ls")[1].count(b"\n") == 3
    assert here("ls", "--failed")[:2] == (1, b"")
    assert here("ls", "--json")[1].count(b"\n") == 1


def test_an_owner_killed_before_it_wrote_a_receipt_has_a_row_and_is_not_final(here: Here) -> None:
    owner = Owner(here.conversation, announce=False)
    owner.release()
    code, out, _ = here("ls")
    assert (code, short_id(owner.id) in out.decode()) == (0, True)
    code, out, err = here("verify")
    assert (code, err) == (1, b"capview: 1 capture: 1 not-final\n")
    assert b"its owner died before it had written a receipt" in out


def test_a_final_text_whose_receipt_has_gone_is_damage(here: Here) -> None:
    owner = finished(here.conversation)
    (owner.folder / f"{owner.id}.json").unlink()
    assert here("verify")[2] == b"capview: 1 capture: 1 damaged\n"
