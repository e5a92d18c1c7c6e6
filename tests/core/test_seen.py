"""What a front tells the shell, by what it has seen: values in, value out."""

from __future__ import annotations

import signal

import pytest

from capture_core.happenings import Exited
from capture_core.link import Settled, Started
from capture_core.seen import Seen

RUNNING = Seen(started=Started(pid=7, ref="tool-outputs/shell/x"))
ENDED = RUNNING._replace(exited=Exited(code=3, signal=None), are_streams_over=True)


def test_a_start_that_was_called_off_is_told_by_the_first_signal() -> None:
    assert Seen(unwanted=signal.SIGINT).stalled().code == 130


@pytest.mark.parametrize(("seen", "is_over"), [(Seen(), False), (RUNNING, False), (ENDED, True)])
def test_a_command_is_over_when_it_has_ended_and_all_is_read(seen: Seen, *, is_over: bool) -> None:
    assert seen.is_over is is_over
    assert not seen._replace(are_streams_over=False).is_over


def test_a_disk_that_stalls_changes_no_exit_code() -> None:
    ending = ENDED.stalled()
    assert (ending.code, ending.ref, ending.goes_on) == (3, "tool-outputs/shell/x", False)
    assert "not on disk yet" in ending.words


def test_a_promoted_job_goes_on_whatever_was_seen_of_its_end() -> None:
    ending = ENDED._replace(is_promoted=True).stalled()
    assert (ending.code, ending.goes_on, ending.exited) == (124, True, None)


def test_what_was_settled_is_told_also_when_what_follows_never_ends_or_its_owner_dies() -> None:
    settled = Settled(receipt=None, words="said")
    seen = ENDED._replace(completing=settled)
    assert seen.stalled() == seen.owner_gone(inline=True) == seen.settled(settled)


def test_a_killed_owner_leaves_a_leftover_once_the_command_had_ended() -> None:
    assert "is a leftover" in ENDED.owner_gone(inline=False).words
    assert "see tool-outputs" in RUNNING.owner_gone(inline=False).words
    assert RUNNING.owner_gone(inline=True).is_owner_killed


def test_a_small_result_names_no_file() -> None:
    ending = ENDED.settled(Settled(receipt=None, words="", texts={"stdout": b"x"}))
    assert (ending.ref, ending.texts) == (None, {"stdout": b"x"})
