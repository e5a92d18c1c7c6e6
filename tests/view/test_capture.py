"""The Capture screen on captures that others write, while they grow, end, and go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from capture_core.facts import ByteRange, CaptureFacts, CaptureReason, CaptureState, PreviewFacts
from capture_core.line_index import LineIndex
from capview.pager.file_source import FileSource
from capview.tui.screens.capture import CaptureScreen
from tests.captures import FAILED, Owner, finished
from tests.view.driving import ByHand, Driven, driven

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CUT = CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.QUOTA)


def write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


async def test_a_live_capture_is_followed_across_its_end(tmp_path: Path) -> None:
    owner = Owner(tmp_path, label="build")
    owner.append("stdout", b"one\n")
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: "one" in ui.text())
        owner.append("stdout", b"two\n")
        await ui.wake(owner)
        assert "two" in ui.text()
        assert "following" in ui.text()
        owner.append("stdout", b"three\n")
        owner.finish(FAILED)
        await ui.wake(owner)
        assert "three" in ui.text()
        assert "✗ failed, log complete" in ui.text()
        assert ui.log.position().following


async def test_scrolled_up_nothing_jumps_at_the_end_of_the_job(tmp_path: Path) -> None:
    owner = Owner(tmp_path, label="build")
    owner.append("stdout", b"".join(b"line %d\n" % n for n in range(200)))
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: "line 199" in ui.text())
        await ui.press("g", "j")
        before = ui.log.model.window.lines
        owner.append("stdout", b"more\n")
        owner.finish()
        await ui.wake(owner)
        assert ui.log.model.window.lines == before
        assert "↓ 1 new line (G)" in ui.text()


async def test_a_cut_stream_ends_with_a_marker_and_its_last_words(tmp_path: Path) -> None:
    owner = Owner(tmp_path, label="flood")
    owner.append("stdout", b"kept\nkep")
    whole = ByteRange(start=0, end=8)
    preview = PreviewFacts(head=whole, returned_bytes=8, omitted_bytes=0, tail_text="the very end\n")
    owner.receipt = replace(owner.receipt, limit_bytes=8, preview={"stdout": preview})
    owner.finish(capture=CUT)
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: "the very end" in ui.text())
        lines = [line.strip() for line in ui.text().splitlines()]
        at = lines.index("┆ … log cut at 8 B: the rest was not kept")
        assert lines[at - 1] == "2  kep"
        assert lines[at + 1 : at + 3] == ["┆ … what came last, outside the kept range:", "┆ the very end"]


async def test_an_empty_stream_says_that_nothing_came(tmp_path: Path) -> None:
    async with driven(tmp_path, first=finished(tmp_path, b"", b"")) as ui:
        await ui.until(lambda: "(nothing came on stdout)" in ui.text())


async def test_a_live_stream_without_output_says_that_it_waits(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: "(waiting for output" in ui.text())
        owner.append("stdout", b"here\n")
        await ui.wake(owner)
        assert "here" in ui.text()
        assert "waiting" not in ui.text()


async def test_what_failed_shows_stderr_first(tmp_path: Path) -> None:
    async with driven(tmp_path, first=finished(tmp_path, b"out\n", b"oops\n", process=FAILED)) as ui:
        await ui.until(lambda: "oops" in ui.text())


async def test_a_stream_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    owner = Owner(tmp_path, streams=("output",))
    owner.append("output", b"both in one\n")
    owner.finish()
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: "both in one" in ui.text())
        await ui.press("2")
        assert "no such stream" in ui.toasts()[-1]
        await ui.press("1")
        assert "both in one" in ui.text()


async def test_a_capture_removed_while_it_is_shown_stays_on_screen_and_says_so(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"still here\n")
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: "still here" in ui.text())
        for path in owner.folder.glob(f"{owner.id}.*"):
            path.unlink()
        await ui.wake(owner)
        assert "still here" in ui.text()
        assert "was removed" in ui.text()
        await ui.press("escape")
        assert ui.labels() == []


async def test_a_stream_cut_short_while_it_is_shown_says_so(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"".join(b"line %d\n" % n for n in range(100_000)))
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: "line 1" in ui.text())
        path = owner.path("stdout")
        path.chmod(0o600)
        path.write_bytes(b"line")
        await ui.press("G")
        assert "cut" in ui.log.note
        await ui.press("escape")
        assert ui.labels()


async def test_a_file_that_is_no_capture_opens_though_news_comes_before_its_screen_is_there(tmp_path: Path) -> None:
    write(tmp_path / "build.log", b"one\ntwo\n")
    source = FileSource(str(tmp_path / "build.log"))
    ui = Driven(source, ByHand(), first=source.address, only=True)
    async with ui.app.run_test(size=(80, 24)) as pilot:
        ui.pilot = pilot
        await ui.until(lambda: isinstance(ui.app.screen, CaptureScreen) and "2  two" in ui.text())
        assert "a file, not a capture" in ui.text()
        await ui.press("escape")
        assert "q quits" in ui.toasts()[-1]
    await source.aclose()


async def test_search_and_place_survive_a_resize(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"".join(b"line %d\n" % n for n in range(1000)))
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: "line 1" in ui.text())
        await ui.press("slash")
        await ui.type("line 500")
        await ui.press("enter")
        byte = ui.log.position().byte
        for size in ((80, 24), (200, 50), (40, 10), (120, 40)):
            await ui.pilot.resize_terminal(*size)
            assert ui.log.position().byte == byte
        assert "line 500" in ui.text()
        assert "1 of 1" in ui.text()


async def test_a_key_bar_entry_can_be_clicked(tmp_path: Path) -> None:
    async with driven(tmp_path, first=finished(tmp_path, b"out\n", b"oops\n")) as ui:
        await ui.until(lambda: "1  out" in ui.text())
        bar = ui.text().splitlines()[-1]
        await ui.pilot.click("KeyBar", offset=(bar.index("2 stderr") + 1, 0))
        await ui.until(lambda: "1  oops" in ui.text())


async def test_lines_of_an_ended_capture_that_were_counted_once_are_known_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = finished(tmp_path / "c", b"a line of thirty-two characters\n" * 300_000, has_digest=True)
    for _ in range(2):
        async with driven(tmp_path / "c", first=owner, cache_folder=str(tmp_path / "cache")) as ui:
            ui.log.go_to_line(250_000)
            await ui.until(lambda ui=ui: "line 250,000 of 300,000" in ui.text())  # type: ignore[misc]
            assert ui.log.model.window.start == 32 * 249_999

        def feed(index: LineIndex, data: bytes) -> None:
            raise AssertionError("counted again")

        monkeypatch.setattr(LineIndex, "feed", feed)
