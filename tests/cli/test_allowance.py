"""What a conversation may keep, as its users see it: cut without harm to the command, said, raised, and freed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from capture_core.account import kept_in
from capture_core.limits import GIB, KIB, MIB

if TYPE_CHECKING:
    from pathlib import Path

Finished = subprocess.CompletedProcess[bytes]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "conversation"


def capview(place: Path, command: str, *words: str) -> Finished:
    argv = ["capview", command, "--conversation", str(place), *words]
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def show(place: Path, ref: str = "@last") -> Any:  # noqa: ANN401 — JSON is untyped by nature
    return json.loads(capview(place, "show", ref, "--json").stdout)


def prints(size: int) -> tuple[str, ...]:
    return ("--", sys.executable, "-c", f"print('x' * {size}, end='')")


def test_a_full_conversation_keeps_no_more_and_the_command_does_not_notice(place: Path) -> None:
    words = ("--", "sh", "-c", "seq 30000; seq 9 >&2; exit 3")
    done = capview(place, "run", "--conversation-limit", "64KiB", *words)
    assert done.returncode == 3
    assert done.stdout == b"".join(b"%d\n" % number for number in range(1, 30001))
    line = done.stderr.decode().splitlines()[-1]
    assert "failed (exit code 3), log cut: the conversation's allowance is used up, its end kept; " in line
    assert "--limit N keeps more of one capture, --conversation-limit N of all; capview prune frees room: tool-" in line
    receipt = show(place)
    assert receipt["capture"] == {"state": "partial", "reason": "conversation-quota"}
    stdout = receipt["streams"]["stdout"]
    kept = (place / "tool-outputs" / "shell" / stdout["file"]).read_bytes()
    assert len(kept) == stdout["retained"] > 60 * KIB
    assert done.stdout.startswith(kept)
    assert receipt["preview"]["stdout"]["tail_text"].endswith("30000\n")
    used = kept_in(str(place))
    assert used <= 64 * KIB
    told = {"state": "counted", "limit_bytes": 64 * KIB, "used_bytes": used, "raised_from": None}
    assert receipt["allowance"] == told
    shown = capview(place, "show", "@last").stdout.decode()
    assert "of the 64 KiB that it may keep" in shown
    assert "to keep more   --limit N keeps more" in shown


def test_a_later_command_in_a_full_conversation_runs_and_says_that_nothing_was_kept(place: Path) -> None:
    runs = [capview(place, "run", "--conversation-limit", "64KiB", *prints(64 * KIB)) for _ in range(4)]
    done = runs[-1]
    assert (done.returncode, len(done.stdout)) == (0, 64 * KIB)
    assert b"the conversation's allowance is used up" in done.stderr
    assert show(place)["streams"]["stdout"]["retained"] < 64
    assert kept_in(str(place)) <= 64 * KIB


def test_an_explicit_limit_is_the_users_word(place: Path) -> None:
    capview(place, "run", "--conversation-limit", "64KiB", *prints(64 * KIB))
    before = kept_in(str(place))
    done = capview(place, "run", "--conversation-limit", "64KiB", "--limit", "32KiB", *prints(30 * KIB))
    assert b"ok, log complete; the conversation has" in done.stderr
    allowance = show(place)["allowance"]
    assert allowance["raised_from"] == 64 * KIB
    assert allowance["limit_bytes"] >= before + 32 * KIB
    assert allowance["used_bytes"] == kept_in(str(place)) > 64 * KIB
    assert b"for this capture, by its --limit" in capview(place, "show", "@last").stdout


def test_an_explicit_limit_still_limits(place: Path) -> None:
    done = capview(place, "run", "--conversation-limit", "8KiB", "--limit", "9KiB", *prints(30 * KIB))
    assert b"log cut at 9 KiB, its end kept; --limit N keeps more; " in done.stderr
    assert show(place)["streams"]["stdout"]["retained"] == 9 * KIB


@pytest.mark.parametrize(("size", "is_told"), [(50, False), (55, True)])
def test_a_receipt_line_and_a_list_warn_from_four_fifths_on(place: Path, size: int, is_told: bool) -> None:  # noqa: FBT001
    done = capview(place, "run", "--conversation-limit", "64KiB", *prints(size * KIB))
    assert (b"of the 64 KiB that it may keep; capview prune frees room" in done.stderr) is is_told
    assert (b"of the 64 KiB that it may keep; capview prune" in capview(place, "ls").stderr) is is_told


def test_removing_frees_room_at_once(place: Path) -> None:
    for _ in range(2):
        capview(place, "run", "--conversation-limit", "64KiB", *prints(64 * KIB))
        assert capview(place, "rm", "@last").returncode == 0
    done = capview(place, "run", "--conversation-limit", "64KiB", *prints(60 * KIB))
    assert b"log complete" in done.stderr


def test_what_prints_nothing_opens_no_tally(place: Path) -> None:
    capview(place, "run", "--", "true")
    assert show(place)["allowance"] is None
    assert not (place / ".capview" / "allowance").exists()


@pytest.mark.parametrize(("words", "limit"), [((), 4 * GIB), (("--call-id", "call_1"), 128 * MIB)])
def test_what_a_person_and_a_call_may_keep(place: Path, words: tuple[str, ...], limit: int) -> None:
    capview(place, "run", *words, *prints(1))
    assert show(place)["allowance"]["limit_bytes"] == limit


def test_it_is_a_setting_like_others(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.mkdir(mode=0o700)
    (place / "capview.toml").write_text('[limits]\nconversation_bytes = "20KiB"\n')
    capview(place, "run", *prints(40 * KIB))
    assert show(place)["allowance"]["limit_bytes"] == 20 * KIB
    assert config(place) == ["conversation_bytes", "20", "KiB", f"{place}/capview.toml"]
    monkeypatch.setenv("CAPVIEW_CONVERSATION_BYTES", "30KiB")
    capview(place, "run", *prints(40 * KIB))
    assert show(place)["allowance"]["limit_bytes"] == 30 * KIB
    assert kept_in(str(place)) <= 30 * KIB
    assert config(place)[3:] == ["environment", "CAPVIEW_CONVERSATION_BYTES"]


def config(place: Path) -> list[str]:
    lines = capview(place, "config").stdout.decode().splitlines()
    return next(line.split() for line in lines if line.startswith("conversation_bytes"))
