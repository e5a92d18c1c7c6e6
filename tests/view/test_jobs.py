"""The Jobs screen on captures that others write: in place, without a jump, each end told once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from capture_core.facts import CaptureFacts, CaptureReason, CaptureState, ProcessFacts, ProcessState
from tests.captures import COMPLETE, EXITED, FAILED, Owner, finished, new_id
from tests.view.driving import driven

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = ["[/", "[red]x[/red]", "[1/300] compiling", "{0} %s", "a\x1b]52;c;AAAA\x07b", "\u202egnp.exe", "👩‍🔧 漢字"]


async def test_a_running_job_is_updated_in_place_until_it_ends(tmp_path: Path) -> None:
    for number in range(3):
        finished(tmp_path, second=number, label=f"old {number}")
    owner = Owner(tmp_path, capture=new_id(9), label="build")
    async with driven(tmp_path) as ui:
        assert ui.labels()[0] == "build"
        assert "● running" in ui.text()
        owner.append("stdout", b"x" * 2048)
        ui.now += 1
        await ui.wake(owner)
        assert "2 KiB" in ui.text()
        owner.finish(FAILED)
        await ui.wake(owner)
        assert "✗ failed" in ui.text()
        assert ui.labels()[0] == "build"


async def test_the_selection_stays_on_its_job_and_the_rows_where_they_are(tmp_path: Path) -> None:
    for number in range(60):
        finished(tmp_path, second=number, label=f"job {number}")
    async with driven(tmp_path) as ui:
        await ui.press("G", *(["k"] * 5))
        rows = [line[:-1] for line in ui.text().splitlines()]
        newer = finished(tmp_path, second=70, label="newer")
        await ui.wake(newer)
        selected = ui.jobs.jobs.selected
        assert selected is not None
        assert selected.receipt.label == "job 5"
        assert ui.labels()[0] == "newer"
        height = ui.jobs.jobs.region.height
        assert [line[:-1] for line in ui.text().splitlines()][1:height] == rows[1:height]


async def test_a_new_job_comes_into_sight_at_the_top(tmp_path: Path) -> None:
    finished(tmp_path, label="old")
    async with driven(tmp_path) as ui:
        newer = finished(tmp_path, second=70, label="newer")
        await ui.wake(newer)
        assert ui.labels() == ["newer", "old"]
        assert "newer" in ui.text()


async def test_a_removed_capture_goes_and_the_cursor_with_its_neighbour(tmp_path: Path) -> None:
    owners = [finished(tmp_path, second=number, label=f"job {number}") for number in range(3)]
    async with driven(tmp_path) as ui:
        await ui.press("j")
        for path in owners[1].folder.glob(f"{owners[1].id}.*"):
            path.unlink()
        await ui.wake(owners[1])
        assert ui.labels() == ["job 2", "job 0"]
        assert ui.jobs.jobs.selected is not None


async def test_the_end_of_a_job_is_told_once_with_the_bell_and_no_old_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        finished(tmp_path, second=number, label=f"old {number}")
    owner = Owner(tmp_path, capture=new_id(9), label="build [1/300]")
    async with driven(tmp_path) as ui:
        bells: list[None] = []
        monkeypatch.setattr(ui.app, "bell", lambda: bells.append(None))
        assert ui.toasts() == []
        owner.append("stdout", b"x")
        await ui.wake(owner)
        assert ui.toasts() == []
        owner.finish(FAILED)
        await ui.wake(owner)
        assert [toast.splitlines()[0] for toast in ui.toasts()] == ["✗ failed: build [1/300]"]
        assert "exit 2" in ui.toasts()[0]
        await ui.wake(finished(tmp_path, second=20, label="another"))
        assert len(ui.toasts()) == 1  # that one had ended before this UI began to look, by its own word
        assert len(bells) == 1


async def test_a_job_that_came_and_ended_between_two_looks_is_told(tmp_path: Path) -> None:
    async with driven(tmp_path) as ui:
        ui.app._board._started = 0.0
        await ui.wake(finished(tmp_path, label="quick"))
        assert [toast.splitlines()[0] for toast in ui.toasts()] == ["✓ ok: quick"]


async def test_a_dead_owner_is_an_end_that_nobody_observed(tmp_path: Path) -> None:
    owner = Owner(tmp_path, label="orphan")
    async with driven(tmp_path) as ui:
        owner.release()
        await ui.wake(owner)
        assert "? end unknown" in ui.text()
        assert [toast.splitlines()[0] for toast in ui.toasts()] == ["? end unknown: orphan"]


@pytest.mark.parametrize("text", HOSTILE)
async def test_odd_text_does_no_harm_as_label_output_and_filter(tmp_path: Path, text: str) -> None:
    finished(tmp_path, text.encode() + b"\n", label=text)
    async with driven(tmp_path) as ui:
        assert "\x1b" not in ui.text()
        assert "\u202e" not in ui.text()
        if text.isascii() and text.isprintable():
            assert text in ui.text()
            await ui.press("slash")
            await ui.type(text)
            assert ui.labels() == [text]
            await ui.press("escape")
        await ui.press("enter")
        assert ui.capture.entry.receipt.label == text
        await ui.press("4")
        assert "label" in ui.text()


async def test_a_conversation_with_an_odd_name(tmp_path: Path) -> None:
    conversation = tmp_path / "[red] [1] 漢字"
    conversation.mkdir()
    finished(conversation, label="x")
    async with driven(conversation) as ui:
        await ui.press("enter", "4")
        assert "[red] [1] 漢字" in ui.text()


async def test_nothing_yet_says_what_to_do(tmp_path: Path) -> None:
    async with driven(tmp_path) as ui:
        assert "capview run -- make" in ui.text()
        await ui.press("enter", "j", "G", "s")
        await ui.wake(finished(tmp_path, label="first"))
        assert "first" in ui.text()


async def test_a_filter_without_a_match_says_so_and_escape_leaves_it(tmp_path: Path) -> None:
    finished(tmp_path, label="one")
    async with driven(tmp_path) as ui:
        await ui.press("slash")
        await ui.type("zzz")
        await ui.press("enter")
        assert "No job matches" in ui.text()
        await ui.press("escape")
        assert ui.labels() == ["one"]


async def test_a_kept_filter_is_named_until_it_is_left(tmp_path: Path) -> None:
    """It looked as if jobs were lost."""
    for label in ("one", "two", "three"):
        finished(tmp_path, label=label)
    async with driven(tmp_path) as ui:
        await ui.press("slash")
        await ui.type("two")
        await ui.press("enter")
        assert "1 of 3 jobs matches “two”, Esc shows all" in ui.text()
        await ui.press("escape")
        assert "3 jobs, 0 running" in ui.text()


async def test_the_preview_shows_beginning_and_end_and_what_came_last_of_a_cut_log(tmp_path: Path) -> None:
    output = b"".join(b"line %d\n" % n for n in range(1000))
    cut = CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.DISK_FULL)
    finished(tmp_path, output, capture=cut)
    async with driven(tmp_path) as ui:
        assert "line 0" in ui.text()
        assert "line 999" in ui.text()
        assert "left out; Enter shows all" in ui.text()
        assert "log cut: disk full: the rest was not kept" in ui.text()


async def test_a_broken_receipt_is_named_and_harms_nothing(tmp_path: Path) -> None:
    owner = finished(tmp_path, label="whole")
    bad = owner.folder / f"{new_id(3)}.json"
    bad.write_bytes(b"{")
    async with driven(tmp_path) as ui:
        assert ui.labels() == ["whole"]
        assert "1 unreadable" in ui.text()


async def test_states_have_words_and_shapes(tmp_path: Path) -> None:
    killed = ProcessFacts(state=ProcessState.EXITED, signal=9)
    finished(tmp_path, second=1, label="a", process=EXITED)
    finished(tmp_path, second=2, label="b", process=killed)
    finished(tmp_path, second=3, label="c", process=ProcessFacts(state=ProcessState.TIMEOUT), capture=COMPLETE)
    async with driven(tmp_path) as ui:
        for shape in ("✓ ok", "✗ killed", "SIGKILL", "⊘ timed out"):
            assert shape in ui.text()
