"""Every key of every command of the table, pressed: a command without a test here fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
from textual.command import CommandPalette
from textual.widgets import Input

from capture_core.sidecar import encode
from capture_core.styles import Attribute, Look, pack
from capview.tui.commands import COMMANDS, Command, Where
from capview.tui.screens.capture import CaptureScreen
from capview.tui.screens.help import HelpScreen
from capview.tui.screens.jobs import JobsScreen
from tests.captures import FAILED, finished
from tests.view.driving import Driven, driven

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

Pilot: TypeAlias = "Callable[[Driven, str], Awaitable[None]]"

JOBS = 30
STDOUT = b"".join(b"line %d %s\n" % (n, b"needle" if n % 50 == 7 else b"x" * 200) for n in range(1, 2001))
STDOUT += b"\r 50%\r100%\n"
PILOTS: dict[tuple[Where, str], Pilot] = {}


def pilot_of(where: Where, name: str) -> Callable[[Pilot], Pilot]:
    """Register the test of a command."""

    def register(pilot: Pilot) -> Pilot:
        PILOTS[where, name] = pilot
        return pilot

    return register


def test_every_command_has_a_pilot() -> None:
    assert set(PILOTS) == {(command.where, command.name) for command in COMMANDS}


@pytest.mark.parametrize(
    ("command", "key"),
    [pytest.param(c, key, id=f"{c.where.name}-{c.name}-{key}") for c in COMMANDS for key in c.keys],
)
async def test_key(command: Command, key: str, tmp_path: Path) -> None:
    for number in range(JOBS - 1):
        finished(tmp_path, second=number, label=f"job {number:02}")
    newest = finished(tmp_path, STDOUT, b"oops\n", second=JOBS - 1, label=f"job {JOBS - 1:02}", process=FAILED)
    in_log = command.where in (Where.CAPTURE, Where.LOG)
    async with driven(tmp_path, first=newest if in_log else None) as ui:
        if in_log:
            await ui.until(lambda: isinstance(ui.app.screen, CaptureScreen))
            await ui.press("1")
        await PILOTS[command.where, command.name](ui, key)


def selected(ui: Driven) -> str | None:
    entry = ui.jobs.jobs.selected
    return entry.receipt.label if entry else None


def top(ui: Driven) -> str:
    return ui.log.model.window.lines[0].text[:9].strip()


# ---- jobs ----------------------------------------------------------------------------------------------------------


@pilot_of(Where.JOBS, "open")
async def opens_the_job(ui: Driven, key: str) -> None:
    await ui.press("j", key)
    assert ui.capture.entry.receipt.label == "job 28"


@pilot_of(Where.JOBS, "filter")
async def filters_as_it_is_typed(ui: Driven, key: str) -> None:
    await ui.press(key)
    await ui.type("job 07")
    assert ui.labels() == ["job 07"]


@pilot_of(Where.JOBS, "sort")
async def sorts_by_the_next_column(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert ui.jobs.jobs.sorted_by.title == "State"
    await ui.press(key)
    assert ui.labels() == sorted(label for label in ui.labels() if label)


@pilot_of(Where.JOBS, "reverse")
async def turns_the_order_round(ui: Driven, key: str) -> None:
    before = ui.labels()
    await ui.press(key)
    assert ui.labels() == before[::-1]


@pilot_of(Where.JOBS, "cursor_down")
async def goes_to_the_next_job(ui: Driven, key: str) -> None:
    await ui.press(key, key)
    assert selected(ui) == "job 27"


@pilot_of(Where.JOBS, "cursor_up")
async def goes_to_the_previous_job(ui: Driven, key: str) -> None:
    await ui.press("j", "j", key)
    assert selected(ui) == "job 28"
    await ui.press(key, key)
    assert selected(ui) == "job 29"


@pilot_of(Where.JOBS, "page_down")
async def goes_a_page_of_jobs_down(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert selected(ui) == f"job {29 - ui.jobs.jobs.scrollable_content_region.height + 1}"


@pilot_of(Where.JOBS, "page_up")
async def goes_a_page_of_jobs_up(ui: Driven, key: str) -> None:
    await ui.press("G", key)
    assert selected(ui) == f"job {ui.jobs.jobs.scrollable_content_region.height - 1:02}"


@pilot_of(Where.JOBS, "first")
async def goes_to_the_first_job(ui: Driven, key: str) -> None:
    await ui.press("j", "j", key)
    assert selected(ui) == "job 29"


@pilot_of(Where.JOBS, "last")
async def goes_to_the_last_job(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert selected(ui) == "job 00"
    assert "job 00" in ui.text()


# ---- capture -------------------------------------------------------------------------------------------------------


@pilot_of(Where.CAPTURE, "stdout")
async def shows_stdout(ui: Driven, key: str) -> None:
    await ui.press("2", key)
    assert "line 2 x" in ui.text()
    assert "oops" not in ui.text()


@pilot_of(Where.CAPTURE, "stderr")
async def shows_stderr(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert "oops" in ui.text()
    assert "line 2 x" not in ui.text()


@pilot_of(Where.CAPTURE, "both")
async def shows_both(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert "line 2 x" in ui.text()
    assert "oops" in ui.text()


@pilot_of(Where.CAPTURE, "receipt")
async def shows_the_receipt(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert "exited, exit code 2" in ui.text()
    assert f"tool-outputs/shell/{ui.capture.entry.receipt.capture_id}" in ui.text()


@pilot_of(Where.CAPTURE, "other_pane")
async def goes_to_the_other_stream(ui: Driven, key: str) -> None:
    await ui.press("3")
    before = ui.log
    await ui.press(key)
    assert ui.log is not before
    await ui.press(key)
    assert ui.log is before


@pilot_of(Where.CAPTURE, "search")
async def searches_as_it_is_typed(ui: Driven, key: str) -> None:
    await ui.press(key)
    await ui.type("needle")
    assert "line 7 needle" in ui.text()
    assert "1 of 40" in ui.text()


@pilot_of(Where.CAPTURE, "go_to")
async def goes_to_what_is_typed(ui: Driven, key: str) -> None:
    for typed, expected in (("1500", "line 1500"), ("@0", "line 1 xx"), ("50%", "line 1000")):
        await ui.press(key)
        await ui.type(typed)
        await ui.press("enter")
        assert top(ui)[:7] == expected[:7]
    await ui.press(key)
    await ui.type("nowhere")
    await ui.press("enter")
    assert "@4096" in ui.toasts()[-1]


# ---- log -----------------------------------------------------------------------------------------------------------


@pilot_of(Where.LOG, "end")
async def goes_to_the_end_and_follows(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert ui.log.model.window.at_end
    assert ui.log.position().following


@pilot_of(Where.LOG, "top")
async def goes_to_the_start(ui: Driven, key: str) -> None:
    await ui.press("G", key)
    assert top(ui) == "line 1 xx"


@pilot_of(Where.LOG, "down")
async def goes_a_line_down(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert top(ui) == "line 2 xx"


@pilot_of(Where.LOG, "up")
async def goes_a_line_up_and_follows_no_more(ui: Driven, key: str) -> None:
    await ui.press("G", key)
    assert not ui.log.model.window.at_end
    assert not ui.log.position().following


@pilot_of(Where.LOG, "half_down")
async def goes_half_a_screen_down(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert ui.log.position().line == 1 + ui.log.model.height // 2


@pilot_of(Where.LOG, "half_up")
async def goes_half_a_screen_up(ui: Driven, key: str) -> None:
    await ui.press("d", "d", key)
    assert ui.log.position().line == 1 + ui.log.model.height // 2


@pilot_of(Where.LOG, "page_down")
async def goes_a_screen_down(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert ui.log.position().line == ui.log.model.height


@pilot_of(Where.LOG, "page_up")
async def goes_a_screen_up(ui: Driven, key: str) -> None:
    await ui.press("space", "space", key)
    assert ui.log.position().line == ui.log.model.height


@pilot_of(Where.LOG, "left")
async def scrolls_left(ui: Driven, key: str) -> None:
    await ui.press("l", "l", key)
    assert ui.log.position().left == 8


@pilot_of(Where.LOG, "right")
async def scrolls_right(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert ui.log.position().left == 8


@pilot_of(Where.LOG, "line_start")
async def scrolls_back_to_the_start_of_lines(ui: Driven, key: str) -> None:
    await ui.press("l", "l", key)
    assert ui.log.position().left == 0


@pilot_of(Where.LOG, "next_match")
async def goes_to_the_next_match(ui: Driven, key: str) -> None:
    await ui.press("slash")
    await ui.type("needle")
    await ui.press("enter", key, key)
    assert "3 of 40" in ui.text()


@pilot_of(Where.LOG, "previous_match")
async def goes_to_the_previous_match(ui: Driven, key: str) -> None:
    await ui.press("slash")
    await ui.type("needle")
    await ui.press("enter", key)
    assert "40 of 40" in ui.text()


@pilot_of(Where.LOG, "follow")
async def follows_and_stops(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert ui.log.model.window.at_end
    assert ui.log.position().following
    await ui.press(key)
    assert not ui.log.position().following
    assert ui.log.model.window.at_end


@pilot_of(Where.LOG, "wrap")
async def wraps_and_scrolls_again(ui: Driven, key: str) -> None:
    rows = len({line.row.start for line in ui.log.model.window.lines})
    await ui.press(key)
    assert len({line.row.start for line in ui.log.model.window.lines}) < rows
    await ui.press(key)
    assert len({line.row.start for line in ui.log.model.window.lines}) == rows


@pilot_of(Where.LOG, "numbers")
async def hides_and_shows_line_numbers(ui: Driven, key: str) -> None:
    assert "   1  line 1 x" in ui.text()
    await ui.press(key)
    assert "   1  line 1 x" not in ui.text()
    assert "line 1 x" in ui.text()
    await ui.press(key)
    assert "   1  line 1 x" in ui.text()


@pilot_of(Where.LOG, "colours")
async def shows_colours_or_none(ui: Driven, key: str) -> None:
    address = ui.capture.entry.address
    folder = Path(str(ui.app._source.path_of(address.conversation))) / address.ref  # type: ignore[attr-defined]
    (folder.parent / f"{folder.name}.stdout.sgr").write_bytes(encode([(0, pack(Look(Attribute.BOLD)))]))

    def is_bold() -> bool:
        return any(segment.style is not None and segment.style.bold for segment in ui.log.render_line(0))

    await ui.press("G", "g")  # read anew: the colours of the start were forgotten for those of the end
    await ui.until(is_bold)
    await ui.press(key)
    assert not is_bold()
    await ui.press(key)
    assert is_bold()


@pilot_of(Where.LOG, "redraws")
async def shows_every_redraw_or_the_last(ui: Driven, key: str) -> None:
    await ui.press("G")
    assert " 50%" not in ui.text()
    await ui.press(key)
    assert " 50%" in ui.text()
    await ui.press(key)
    assert " 50%" not in ui.text()


# ---- while typing --------------------------------------------------------------------------------------------------


@pilot_of(Where.PROMPT, "submit")
async def keeps_what_was_typed(ui: Driven, key: str) -> None:
    await ui.press("slash")
    await ui.type("07")
    await ui.press(key)
    assert ui.labels() == ["job 07"]
    assert not ui.app.screen.query(Input)


@pilot_of(Where.PROMPT, "cancel")
async def leaves_it_as_it_was(ui: Driven, key: str) -> None:
    await ui.press("slash")
    await ui.type("07")
    await ui.press(key)
    assert len(ui.labels()) == JOBS
    await ui.press("g", "enter", "1", "j", "j", "slash")
    await ui.type("line 1999")
    assert top(ui) != "line 3 xx"
    await ui.press(key)
    assert top(ui) == "line 3 xx"
    assert ui.log.finding() is None


# ---- everywhere ----------------------------------------------------------------------------------------------------


@pilot_of(Where.EVERYWHERE, "back")
async def goes_back_and_never_quits(ui: Driven, key: str) -> None:
    await ui.press("enter")
    assert isinstance(ui.app.screen, CaptureScreen)
    for _ in range(3):
        await ui.press(key)
        assert ui.labels()
    assert ui.app.is_running


@pilot_of(Where.EVERYWHERE, "help")
async def shows_the_keys_of_where_one_is(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert isinstance(ui.app.screen, HelpScreen)
    assert "Show only jobs that match" in ui.text()
    await ui.press("escape", "enter", key)
    assert "Search this log" in ui.text()
    await ui.press("escape")
    assert isinstance(ui.app.screen, CaptureScreen)


@pilot_of(Where.EVERYWHERE, "command_palette")
async def runs_a_command_by_its_name(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert isinstance(ui.app.screen, CommandPalette)
    await ui.type("turn the order")
    await ui.until(lambda: "Turn the order round" in ui.text())
    before = [entry.receipt.label for entry in ui.app.snapshot.entries]
    await ui.press("enter")
    await ui.until(lambda: isinstance(ui.app.screen, JobsScreen) and ui.labels() == before[::-1])


@pilot_of(Where.EVERYWHERE, "theme")
async def changes_between_light_and_dark(ui: Driven, key: str) -> None:
    await ui.press(key)
    assert not ui.app.current_theme.dark
    await ui.press(key)
    assert ui.app.current_theme.dark


@pilot_of(Where.EVERYWHERE, "quit")
async def quits(ui: Driven, key: str) -> None:
    await ui.pilot.press(key)
    await ui.until(lambda: ui.app._exit)
