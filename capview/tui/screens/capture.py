"""The Capture screen: the streams of one capture, one or two at a time, and its receipt."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from textual import work
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen

from capture_core.errors import CaptureError
from capture_core.facts import SidecarKind
from capview import present
from capview.limits import VIEW_PAGE_BYTES
from capview.tui.board import Snapshot, is_over
from capview.tui.commands import Where, bindings
from capview.tui.ending import extent
from capview.tui.job_columns import headline, label
from capview.tui.news import NewsWanted
from capview.tui.places import BadPlace, parse_place
from capview.tui.preview import main_stream
from capview.tui.screens.jobs import watch_words
from capview.tui.widgets.line import KeyBar, Line
from capview.tui.widgets.log_pane import LogPane
from capview.tui.widgets.receipt_page import ReceiptPage

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from textual.app import ComposeResult
    from textual.widgets import Input

    from capture_core.source import Entry, Source
    from capview.tui.wakeups import Wakeups
    from capview.tui.widgets.log_view import LogView
    from capview.tui.widgets.prompt import Prompt


class CaptureScreen(Screen[None]):
    """Shows ``entry`` of ``source``, and what becomes of it."""

    PLACES = (Where.CAPTURE, Where.LOG)
    BINDINGS = bindings(Where.CAPTURE)
    DEFAULT_CSS = """
    CaptureScreen {
        layout: vertical;
        #panes { height: 1fr; }
        .away { display: none; }
        #pane-stderr.beside { border-left: solid $panel; }
    }
    """

    def __init__(self, source: Source, entry: Entry, wakeups: Wakeups) -> None:
        super().__init__()
        self.entry = entry
        self._source = source
        self._wakeups = wakeups
        self._shown: tuple[str, ...] = ()
        self._panes = {status.name: self._pane(status.name) for status in entry.streams}
        self._lengths: dict[str, tuple[int, int]] = {}
        self._tails: dict[str, str] = {}
        self._before: tuple[int, bool] = (0, False)

    def compose(self) -> ComposeResult:
        """Heading, streams, receipt, keys."""
        yield Line(id="heading")
        with Horizontal(id="panes"):
            yield from self._panes.values()
        yield ReceiptPage(classes="away")
        yield KeyBar(Where.CAPTURE, Where.LOG, Where.EVERYWHERE)

    def on_mount(self) -> None:
        """Show the stream that tells most."""
        stream = main_stream(self.entry)
        self._show_entry(self.entry, now=0.0)
        self._show(*([stream] if stream else []))
        self._read_receipt()
        if self._wakeups.growth is not None and not is_over(self.entry):
            for name in self._panes:
                self._tail(self._wakeups.growth(self.entry, name), name)

    def on_screen_resume(self) -> None:
        """Ask for what happened while another screen was in sight."""
        self.post_message(NewsWanted())

    def take(self, snapshot: Snapshot) -> None:
        """Show what became of the capture."""
        self.query_one("#heading", Line).right = Content(watch_words(snapshot))
        entry = next((e for e in snapshot.entries if e.address == self.entry.address), None)
        if entry is None:
            if snapshot.watching is not None:
                self._say("this capture was removed; what was read of it is still shown")
            return
        ended = is_over(entry) and not is_over(self.entry)
        self._show_entry(entry, snapshot.now)
        if ended:
            self._read_receipt()

    @property
    def view(self) -> LogView | None:
        """The log view that has the keys, or the first one on screen."""
        panes = [self._panes[name] for name in self._shown]
        return next((pane.view for pane in panes if pane.view.has_focus), panes[0].view if panes else None)

    # ---- what is on screen -------------------------------------------------------------------------------------

    def action_stdout(self) -> None:
        """Show standard output, or the only stream."""
        others = [name for name in self._panes if name != "stderr"]
        self._show_if_there(*others[:1])

    def action_stderr(self) -> None:
        """Show standard error."""
        self._show_if_there(*(name for name in self._panes if name == "stderr"))

    def action_both(self) -> None:
        """Show both streams side by side."""
        self._show_if_there(*self._panes)

    def action_receipt(self) -> None:
        """Show the receipt."""
        self._show()

    def action_other_pane(self) -> None:
        """Give the keys to the other stream."""
        others = [self._panes[name].view for name in self._shown if not self._panes[name].view.has_focus]
        if others:
            others[0].focus()

    def go_back(self) -> bool:
        """Leave the search, then the screen; ``False``: there is nothing to leave."""
        view = self.view
        if view is not None and view.finding() is not None:
            view.search_for("", 0)
            return True
        return False

    def _show_if_there(self, *names: str) -> None:
        if names:
            self._show(*names)
        else:
            self.app.notify("This capture has no such stream.", markup=False)

    def _show(self, *names: str) -> None:
        self._shown = names
        for name, pane in self._panes.items():
            pane.set_class(name not in names, "away")
            pane.set_class(len(names) > 1, "beside")
        self.query_one("#panes").set_class(not names, "away")
        page = self.query_one(ReceiptPage)
        page.set_class(bool(names), "away")
        (self._panes[names[0]].view if names else page).focus()

    def _show_entry(self, entry: Entry, now: float) -> None:
        self.entry = entry
        sizes = "  ".join(f"{status.name} {present.size(status.committed)}" for status in entry.streams)
        took = present.duration(present.elapsed(entry, now)) if now else ""
        self.query_one("#heading", Line).left = Content.assemble(
            (headline(entry), "bold"), f"  {label(entry)}  {took}  {sizes}"
        )
        page = self.query_one(ReceiptPage)
        page.now, page.entry = now, entry
        for status in entry.streams:
            if status.name in self._panes:
                self._lengthen(status.name, status.committed or 0, entry.receipt.streams[status.name].generation)

    def _pane(self, stream: str) -> LogPane:
        fetch = partial(self._source.range, self.entry.address, stream)
        colours = partial(self._source.marks, self.entry.address, stream, SidecarKind.SGR)
        lines = partial(self._source.lines, self.entry.address, stream)
        return LogPane(stream, fetch, colours, paint_seconds=self._wakeups.paint_seconds, lines=lines)

    def _lengthen(self, stream: str, committed: int, generation: int) -> None:
        """Tell a view how long its stream is: never less than it was told before, unless it is another file."""
        before = self._lengths.get(stream)
        if before is not None and before[0] == generation:
            committed = max(committed, before[1])
        self._lengths[stream] = generation, committed
        last = self._tails.get(stream, "")
        self._panes[stream].view.extent = extent(self.entry, stream, committed=committed, last=last)

    @work(group="receipt", exclusive=True)
    async def _read_receipt(self) -> None:
        """Read what listings leave out: the last words of a stream that was cut."""
        try:
            entry = await self._source.receipt(self.entry.address)
        except CaptureError as error:
            self._say(str(error))
        else:
            self._tails = {name: shown.tail_text or "" for name, shown in entry.receipt.preview.items()}
            self._show_entry(entry, self.query_one(ReceiptPage).now)

    def _say(self, words: str) -> None:
        for pane in self._panes.values():
            pane.view.say(words)

    # ---- growth ------------------------------------------------------------------------------------------------

    @work(group="tail")
    async def _tail(self, growth: AsyncGenerator[None], stream: str) -> None:
        """Ask for the stream's length while it may grow: sooner than the events of a whole tree can tell."""
        async with aclosing(growth):
            async for _ in growth:
                if is_over(self.entry):
                    return
                if stream in self._shown and self.app.screen is self:
                    try:
                        await self._ask_length(stream)
                    except CaptureError as error:
                        self._panes[stream].view.say(str(error))
                    await asyncio.sleep(self._wakeups.tail_seconds)

    async def _ask_length(self, stream: str) -> None:
        generation, known = self._lengths[stream]
        page = await self._source.range(self.entry.address, stream, known, known + VIEW_PAGE_BYTES)
        self._panes[stream].view.model.document.append(page)
        if (page.generation, page.committed) != (generation, known):
            self._lengthen(stream, page.committed, page.generation)

    # ---- prompts -----------------------------------------------------------------------------------------------

    async def action_search(self) -> None:
        """Search as it is typed."""
        view = self.view
        if view is not None:
            self._before = view.model.anchor, view.model.following
            finding = view.finding()
            await self._ask("search", finding.text if finding else "", "search: capitals matter if there are any")

    async def action_go_to(self) -> None:
        """Go to a line, a place or a byte."""
        if self.view is not None:
            await self._ask("go-to", "", "go to: 120 (line), 50% (place), @4096 (byte)")

    async def _ask(self, kind: str, value: str, placeholder: str) -> None:
        from capview.tui.widgets.prompt import Prompt

        prompt = Prompt(value, placeholder=placeholder, id=kind)
        await self.mount(prompt, before=self.query_one(KeyBar))
        prompt.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search as it is typed, from where the view was before."""
        view = self.view
        if event.input.id == "search" and view is not None:
            view.search_for(event.value, self._before[0])

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the search, or go there."""
        view = self.view
        await event.input.remove()
        if view is None:
            return
        view.focus()
        if event.input.id == "go-to":
            self._go_to(view, event.value)

    async def on_prompt_left(self, event: Prompt.Left) -> None:
        """Back to where the view was before typing."""
        del event
        view = self.view
        searching = bool(self.query("#search"))
        await self.query("Prompt").remove()
        if view is None:
            return
        view.focus()
        if searching:
            view.search_for("", 0)
            view.return_to(*self._before)

    def _go_to(self, view: LogView, text: str) -> None:
        try:
            place = parse_place(text)
        except BadPlace as error:
            self.app.notify(str(error), severity="warning", markup=False)
            return
        match place.unit:
            case "line":
                view.go_to_line(place.number)
            case "percent":
                view.go_to_percent(place.number)
            case "byte":
                view.go_to_byte(place.number)
