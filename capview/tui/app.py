"""The app: keeps the board, gives snapshots to screens, tells of jobs that end.  It touches no job."""

from __future__ import annotations

import asyncio
import gc
import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol, cast

from textual import work
from textual.app import App

from capture_core.errors import CaptureError
from capview import present
from capview.tui.board import Board, Snapshot
from capview.tui.commands import Where, bindings
from capview.tui.hangup import end_with_terminal
from capview.tui.job_columns import label
from capview.tui.pulse import Pulse
from capview.tui.wakeups import Wakeups

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from textual.command import Provider
    from textual.screen import Screen

    from capture_core.source import Address, Changes, Entry, Source
    from capview.tui.commands import Command
    from capview.tui.news import NewsWanted
    from capview.tui.widgets.job_list import JobList
    from capview.tui.widgets.line import KeyBar

_GC_OBJECTS = 50_000
"""Objects between two looks for garbage: the young generation's default of 700 is passed several times a paint."""


class Informed(Protocol):
    """A screen that shows news."""

    def take(self, snapshot: Snapshot) -> None:
        """Show later news."""

    def go_back(self) -> bool:
        """Leave what is open on the screen; ``False``: nothing is."""


class CapviewApp(App[None]):
    """Looks at ``source``; ``place`` says in words where that is.  ``only``: a capture to show, and no list."""

    TITLE = "capview"
    BINDINGS = bindings(Where.EVERYWHERE)
    COMMAND_PALETTE_BINDING = "ctrl+p"

    def __init__(
        self,
        source: Source,
        *,
        place: str = "",
        first: Address | None = None,
        only: bool = False,
        clock: Callable[[], float] = time.time,
        wakeups: Wakeups | None = None,
    ) -> None:
        super().__init__()
        self.animation_level = "none"
        self.snapshot = Snapshot(now=clock())
        self._source = source
        self._place = place
        self._first = first
        self._only = only
        self._clock = clock
        self._wakeups = wakeups or Wakeups()
        self._board = Board(clock())
        self._pulse = Pulse(source)
        self._is_looking = False

    async def on_mount(self) -> None:
        """Begin to look; the first screen is there before anything was read."""
        if not self._only:
            from capview.tui.screens.jobs import JobsScreen

            await self.push_screen(JobsScreen(self._source, self._place))
        self._look()
        if self._wakeups.tick_seconds is not None:
            self.set_interval(self._wakeups.tick_seconds, self.tick)
        end_with_terminal(self)

    def tick(self) -> None:
        """Time went on: show ages and rates as they are now."""
        self._publish()

    @work(group="look")
    async def _look(self) -> None:
        """Learn of all captures, then of every change."""
        # Changes first: what happens while the list is made is then told, and not lost between the two.
        async with aclosing(cast("AsyncGenerator[Changes]", self._source.changes())) as changes:
            try:
                ended = self._board.load(await self._source.list(), self._clock())
            except CaptureError as error:
                self.notify(str(error), severity="error", markup=False)
                ended = ()
            self._tell(ended)
            self._publish()
            await self._show_first()
            self.call_after_refresh(_spare_the_collector)
            async for batch in changes:
                self._tell(self._board.apply(batch, self._clock()))
                self._publish()
                await asyncio.sleep(self._wakeups.news_seconds)  # what comes meanwhile comes together

    async def _show_first(self) -> None:
        if self._first is None:
            return
        try:
            entry = await self._source.receipt(self._first)
        except CaptureError as error:
            self.notify(str(error), severity="error", markup=False)
        else:
            await self.open_capture(entry)

    def _publish(self) -> None:
        """Give the newest snapshot to the screen in sight; another one asks for it when it comes into sight."""
        now, live = self._clock(), self._board.live()
        self.snapshot = self._board.snapshot(now, self._pulse.activities(live, now))
        if (informed := _informed(self.screen)) is not None:
            informed.take(self.snapshot)
        if not self._is_looking and (wanted := self._pulse.wanted(live, now)):
            self._is_looking = True
            self._feel_pulse(wanted)

    @work(group="pulse")
    async def _feel_pulse(self, entries: tuple[Entry, ...]) -> None:
        """Look what running jobs seem to be doing; nothing waits for it."""
        try:
            await self._pulse.look(entries, self._clock())
        finally:
            self._is_looking = False
        self._publish()

    def on_news_wanted(self, event: NewsWanted) -> None:
        """A screen came into sight."""
        event.stop()
        self._publish()

    def _tell(self, ended: tuple[Entry, ...]) -> None:
        """One toast for each job that ended, apart from who has read what; and the bell."""
        for entry in ended:
            look = present.state(entry)
            bad = look.tone in (present.Tone.BAD, present.Tone.DOUBTFUL)
            took = present.duration(present.elapsed(entry, self._clock()))
            self.notify(
                f"{label(entry)}\nexit {present.exit_words(entry.process)}, {took}, {present.log(entry).words}",
                title=f"{look.glyph} {look.words}",
                severity="warning" if bad else "information",
                markup=False,
            )
        if ended:
            self.bell()

    async def open_capture(self, entry: Entry) -> None:
        """Show one capture."""
        from capview.tui.screens.capture import CaptureScreen

        await self.push_screen(CaptureScreen(self._source, entry, self._wakeups))

    async def on_job_list_opened(self, event: JobList.Opened) -> None:
        """Show the job that was opened in the list."""
        await self.open_capture(event.entry)

    # ---- commands ----------------------------------------------------------------------------------------------

    async def action_back(self) -> None:
        """Leave what is open on the screen, else the screen; never the app."""
        informed = _informed(self.screen)
        if informed is not None and informed.go_back():
            return
        bottom = 2  # Textual's own empty screen lies below the first of ours
        if len(self.screen_stack) > bottom:
            await self.pop_screen()
        else:
            self.notify("This is where you came in; q quits.", markup=False)

    async def action_help(self) -> None:
        """Show the keys of where you are."""
        from capview.tui.screens.help import HelpScreen

        await self.push_screen(HelpScreen(*places(self.screen)))

    def action_theme(self) -> None:
        """Change between dark and light."""
        self.theme = "textual-light" if self.current_theme.dark else "textual-dark"

    async def press(self, command: Command) -> None:
        """Do what the command's key does."""
        for target in (self.screen.focused, self.screen, self):
            if target is not None and await self.run_action(command.name, target):
                return

    async def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        """A key was clicked."""
        await self.press(event.command)


def places(screen: Screen[object]) -> tuple[Where, ...]:
    """Whose commands work on ``screen``."""
    own: tuple[Where, ...] = getattr(screen, "PLACES", ())
    return (*own, Where.PROMPT, Where.EVERYWHERE)


def palette_commands() -> type[Provider]:
    """The commands of the palette, imported when it opens first."""
    from capview.tui.palette import CommandProvider

    return CommandProvider


CapviewApp.COMMANDS = {palette_commands}


def _informed(screen: Screen[object]) -> Informed | None:
    # A screen that was only just pushed has no widgets yet; it gets its first snapshot right after.
    return screen if screen.is_mounted and hasattr(screen, "take") else None  # type: ignore[return-value]


def _spare_the_collector() -> None:
    """Look for garbage among what comes from now on only: a look at everything stops the loop for 34-64 ms."""
    gc.freeze()
    gc.set_threshold(_GC_OBJECTS, 20, 100)
    gc.enable()


def open_ui(path: str | None, *, read_only: bool = False) -> int:
    """Open the UI on ``path``: a conversation, a folder of them, a capture or any file; ``None``: the default root.

    Returns the exit code.  Raises :class:`capture_core.errors.CaptureError`, one clear line, where there is nothing
    to look at or no terminal to show it on.
    """
    del read_only  # no key changes anything yet
    from capview.tui.opening import require_terminal, resolve

    require_terminal()
    gc.disable()  # until the first screen is there: what is made until then stays
    opening = resolve(path)
    app = CapviewApp(
        opening.source, place=opening.place, first=opening.first, only=opening.only, wakeups=opening.wakeups
    )
    app.run()
    return app.return_code or 0
