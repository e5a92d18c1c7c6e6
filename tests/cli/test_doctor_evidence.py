"""``capview doctor`` and what can be read: no command that it gives removes any of it."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from capview.checkup.remark import Check
from tests.captures import Owner, finished
from tests.cli.test_doctor import private
from tests.commands import Here, capview
from tests.strangers import Stranger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    conversation = tmp_path / "it's c"
    conversation.mkdir(mode=0o700)
    return Here(conversation, capfdbinary)


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stranger]:
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)  # its home is its folder
    stranger = Stranger()
    yield stranger
    stranger.close()


def to_mend(out: bytes) -> list[dict[str, str]]:
    return [remark for remark in map(json.loads, out.splitlines()) if remark["mend"] is not None]


def found(here: Here) -> list[dict[str, str]]:
    return to_mend(here("doctor", "--json")[1])


def carry_out(remark: dict[str, str]) -> None:
    subprocess.run(["bash", "-euc", remark["mend"]], check=True)


def texts(place: Path) -> list[str]:
    """What can be read below a folder, but receipts."""
    files = (path for path in place.rglob("*") if path.is_file())
    return sorted(text for path in files if ".json" not in path.name and (text := path.read_text()))


def capture(here: Here, text: bytes = b"all of it\n") -> Owner:
    return private(finished(here.conversation, text))


def spoil(owner: Owner, receipt: str) -> Path:
    path = owner.folder / f"{owner.id}.json"
    path.unlink(missing_ok=True)
    path.write_text(receipt)
    path.chmod(0o400)
    return path


@pytest.mark.parametrize("form", ["json", "live.json"])
def test_a_receipt_of_a_later_schema_asks_for_a_later_capview(here: Here, form: str) -> None:
    path = spoil(capture(here), '{"schema": 2}')
    if form == "live.json":
        path.rename(path.with_name(path.name.replace(".json", ".live.json"))).chmod(0o600)
    [remark] = found(here)
    assert (remark["check"], remark["mend"]) == (Check.UNREADABLE, "python3 -m pip install --upgrade capview")
    assert "schema 2" in remark["words"]


@pytest.mark.parametrize("receipt", ["{", "", "[]", '"text"', '{"schema": "2"}', '{"schema": 1}', "my own notes"])
def test_a_strange_receipt_is_moved_aside_and_the_text_stays(here: Here, receipt: str) -> None:
    path = spoil(capture(here), receipt)
    [remark] = found(here)
    assert (remark["check"], remark["mend"].split()[0]) == (Check.UNREADABLE, "mv")
    carry_out(remark)
    assert (here.conversation / f"{path.name}.moved").read_text() == receipt
    assert path.with_name(path.name.replace(".json", ".stdout.txt")).read_text() == "all of it\n"


def test_a_strange_receipt_before_that_of_a_dead_owner_gives_it_back(here: Here) -> None:
    owner = Owner(here.conversation)
    owner.append("stdout", b"begun")
    owner.release()
    spoil(private(owner), "{")
    carry_out(found(here)[0])
    assert found(here) == []
    assert here("read", owner.id)[1] == b"begun"


def test_a_strange_receipt_of_a_living_owner_is_left_to_it(here: Here) -> None:
    owner = private(Owner(here.conversation))
    (owner.folder / f"{owner.id}.live.json").write_text("{")
    code, out, _ = here("doctor")
    assert code == 0
    assert b"its receipt is not JSON" in out


def test_text_without_a_receipt_is_moved_aside(here: Here) -> None:
    owner = capture(here)
    (owner.folder / f"{owner.id}.json").unlink()
    [remark] = found(here)
    assert (remark["check"], remark["words"]) == (Check.LEFTOVER, "files without a receipt; 10 B can be read")
    carry_out(remark)
    assert found(here) == []
    assert texts(here.conversation / f"{owner.id}.moved") == ["all of it\n"]


def test_what_a_dead_owner_has_kept_is_told_of_and_nothing_to_mend(here: Here) -> None:
    owner = Owner(here.conversation)
    owner.append("stdout", b"begun")
    owner.release()
    private(owner)
    code, out, _ = here("doctor")
    assert code == 0
    assert b"its owner died; 5 B can be read" in out


def test_what_is_left_of_a_damaged_capture_is_moved_aside(here: Here) -> None:
    owner = capture(here)
    path = owner.path("stdout")
    path.chmod(0o600)
    path.write_text("all")
    path.chmod(0o400)
    [remark] = found(here)
    carry_out(remark)
    assert found(here) == []
    assert texts(here.conversation) == ["all"]


def test_a_live_text_that_is_not_the_final_one_is_moved_aside(here: Here) -> None:
    owner = capture(here)
    path = owner.folder / owner.live("stdout")
    path.write_text("another")
    path.chmod(0o600)
    [remark] = found(here)
    carry_out(remark)
    assert found(here) == []
    assert texts(here.conversation) == ["all of it\n", "another"]


@pytest.mark.parametrize("form", ["json", "stdout.txt"])
def test_what_its_user_may_not_read_is_one_fault_and_chmod_mends_it(stranger: Stranger, form: str) -> None:
    place = stranger.folder / "c"
    place.mkdir(mode=0o700)
    owner = private(finished(place))
    path = owner.folder / f"{owner.id}.{form}"
    path.chmod(0)
    stranger.take()
    [remark] = to_mend(stranger.capview("doctor", "--json", str(place)).stdout)
    assert (remark["where"], remark["mend"]) == (str(path), f"chmod 0400 {path}")
    assert remark["words"] == "mode 0000: its own user may not read it"


def test_a_live_text_that_its_user_may_not_read_is_one_fault(stranger: Stranger) -> None:
    place = stranger.folder / "c"
    place.mkdir(mode=0o700)
    owner = private(Owner(place))
    owner.release()
    path = owner.path("stdout")
    path.chmod(0)
    stranger.take()
    [remark] = to_mend(stranger.capview("doctor", "--json", str(place)).stdout)
    assert remark["mend"] == f"chmod 0600 {path}"


def test_a_tally_that_its_user_may_not_read_is_one_fault(stranger: Stranger) -> None:
    place = stranger.folder / "c"
    stranger.take()
    assert stranger.capview("run", "--conversation", str(place), "--", "echo", "hi").returncode == 0
    tally = place / ".capview" / "allowance" / "tally"
    tally.chmod(0)
    [remark] = to_mend(stranger.capview("doctor", "--json", str(place)).stdout)
    assert (remark["where"], remark["mend"]) == (str(tally), f"chmod 0600 {tally}")


def test_what_one_run_was_given_less_is_said_as_a_list_says_it_and_prunes_nothing(here: Here) -> None:
    # A process of its own: a job's owner is one.
    words = ("run", "--conversation", str(here.conversation), "--conversation-limit", "7", "--", "echo", "much more")
    assert capview(*words).returncode == 0
    assert b"of the 7 B that it may keep" in here("ls")[2]
    code, out, _ = here("doctor")
    assert code == 0
    assert b"of the 7 B that it may keep by its newest capture, 4 GiB by the settings" in out


def test_a_temporary_file_that_holds_something_is_moved_aside(here: Here) -> None:
    capture(here)
    (here.conversation / ".capview").mkdir(mode=0o700)
    folder = here.conversation / ".capview" / "tmp"
    folder.mkdir(mode=0o700)
    with subprocess.Popen(["true"]) as gone:
        pass
    path = folder / f".{gone.pid}-{'0' * 20}"
    path.write_text("{}")
    path.chmod(0o600)
    [remark] = found(here)
    assert remark["check"] == Check.TEMPORARY
    carry_out(remark)
    assert found(here) == []
    assert (here.conversation / f"{path.name}.moved").read_text() == "{}"


# -- what keeps anything from being captured at all -----------------------------------------------------------------


def test_a_root_that_its_user_may_not_make_is_found(stranger: Stranger, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = stranger.folder / "closed"
    closed.mkdir()
    stranger.take()
    closed.chmod(0o500)
    monkeypatch.setenv("XDG_DATA_HOME", str(closed / "nonexistent"))
    assert stranger.capview("run", "--", "true").returncode == 125
    done = stranger.capview("doctor", "--json")
    [remark] = to_mend(done.stdout)
    root = f"{closed}/nonexistent/capview/conversations"
    assert (done.returncode, remark["check"], remark["where"]) == (1, Check.PLACE, root)
    assert remark["words"] == f"cannot be made, so that nothing is captured there: you may not write to '{closed}'"
    assert remark["mend"].endswith(f"-- {root}")


def test_a_home_that_is_no_folder_is_found(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null")
    [remark] = to_mend(here.bare("doctor", "--json")[1])
    assert remark["words"] == "cannot be made, so that nothing is captured there: '/dev/null' is no folder"
    assert remark["mend"] == "unset XDG_DATA_HOME"


def test_a_pipe_for_settings_is_moved_away_not_edited(here: Here) -> None:
    where = here.conversation / "capview.toml"
    os.mkfifo(where)
    [remark] = found(here)
    assert (remark["check"], remark["mend"].split()[0]) == (Check.SETTINGS, "mv")
    carry_out(remark)
    assert found(here) == []
