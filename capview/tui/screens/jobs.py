"""The Jobs screen: all captures, and what the selected one printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work
from textual.content import Content
from textual.screen import Screen

from capture_core.errors import CaptureError
from capview.escaping import safe
from capview.tui.commands import Where, bindings
from capview.tui.news import NewsWanted
from capview.tui.widgets.job_list import JobList
from capview.tui.widgets.job_preview import JobPreview, Preview
from capview.tui.widgets.line import KeyBar, Line

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widgets import Input

    from capture_core.source import Entry, Source
    from capview.tui.board import Snapshot
    from capview.tui.widgets.prompt import Prompt


class JobsScreen(Screen[None]):
    """Lists jobs of ``source``; ``place`` says in words where they are from."""

    PLACES = (Where.JOBS,)
    BINDINGS = bindings(Where.JOBS)
    DEFAULT_CSS = """
    JobsScreen {
        layout: vertical;
        #jobs { height: 1fr; }
        JobPreview { height: 45%; }
    }
    """

    def __init__(self, source: Source, place: str) -> None:
        super().__init__()
        self._source = source
        self._place = place

    def compose(self) -> ComposeResult:
        """Heading, jobs, preview, keys."""
        yield Line()
        yield JobList(id="jobs")
        yield JobPreview()
        yield KeyBar(Where.JOBS, Where.EVERYWHERE)

    def on_mount(self) -> None:
        """The list has the keys."""
        self.jobs.focus()

    @property
    def jobs(self) -> JobList:
        """The list."""
        return self.query_one(JobList)

    def on_screen_resume(self) -> None:
        """Ask for what happened while another screen was in sight."""
        self.post_message(NewsWanted())

    def take(self, snapshot: Snapshot) -> None:
        """Show later news."""
        self.jobs.snapshot = snapshot
        self._head()
        self._say_what_it_does()

    def _head(self) -> None:
        snapshot, jobs, heading = self.jobs.snapshot, self.jobs, self.query_one(Line)
        words = matching(len(jobs.shown), len(snapshot.entries), jobs.wanted) if jobs.wanted else totals(snapshot)
        heading.left = Content.assemble(("capview", "bold"), f"  {self._place}  {words}")
        heading.right = Content(watch_words(snapshot))

    def _want(self, words: str) -> None:
        self.jobs.wanted = words
        self._head()

    async def action_filter(self) -> None:
        """Type what to show."""
        from capview.tui.widgets.prompt import Prompt

        prompt = Prompt(self.jobs.wanted, placeholder="filter: words of state, job, tool, exit, log")
        await self.mount(prompt, before=self.query_one(KeyBar))
        prompt.focus()

    def go_back(self) -> bool:
        """Show all jobs again; ``False``: they were all shown."""
        was_filtered = bool(self.jobs.wanted)
        self._want("")
        return was_filtered

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as it is typed."""
        self._want(event.value)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the filter, also where Enter came before the news of the last key."""
        self._want(event.value)
        await event.input.remove()
        self.jobs.focus()

    async def on_prompt_left(self, event: Prompt.Left) -> None:
        """Leave the filter: all jobs again."""
        del event
        await self.query("Prompt").remove()
        self._want("")
        self.jobs.focus()

    def on_job_list_highlighted(self, event: JobList.Highlighted) -> None:
        """Show what the job printed."""
        pane = self.query_one(JobPreview)
        if pane.entry is None or event.entry is None or pane.entry.address != event.entry.address:
            pane.preview = Preview()
        pane.entry = event.entry
        self._say_what_it_does()
        self._show_preview()

    def _say_what_it_does(self) -> None:
        pane = self.query_one(JobPreview)
        pane.activity = None if pane.entry is None else self.jobs.snapshot.activities.get(pane.entry.address)

    def on_resize(self) -> None:
        """Fit the preview."""
        self._show_preview()

    def _show_preview(self) -> None:
        entry = self.query_one(JobPreview).entry
        if entry is not None:
            self._read_preview(entry)

    @work(group="preview", exclusive=True, description="preview")
    async def _read_preview(self, entry: Entry) -> None:
        # Imported when there is a job to show the output of: the list comes first.
        from capview.pager.pages import Replaced
        from capview.tui.preview import preview

        pane = self.query_one(JobPreview)
        try:
            pane.preview = await preview(self._source, entry, pane.rows)
        except CaptureError as error:
            pane.preview = Preview(tail=(f"({error})",))
        except Replaced:
            pane.preview = Preview(tail=("(cut or replaced meanwhile)",))


def totals(snapshot: Snapshot) -> str:
    """``12 jobs, 2 running``; and what cannot be read."""
    count = len(snapshot.entries)
    words = f"{count} job{'' if count == 1 else 's'}, {snapshot.running} running"
    return f"{words}, {len(snapshot.unreadable)} unreadable" if snapshot.unreadable else words


def matching(shown: int, count: int, wanted: str) -> str:
    """``3 of 12 jobs match “ok”``: a kept filter must not look like lost jobs."""
    jobs = f"{count} job{'' if count == 1 else 's'}"
    return f"{shown} of {jobs} match{'es' if shown == 1 else ''} “{safe(wanted)}”, Esc shows all"


def watch_words(snapshot: Snapshot) -> str:
    """How news comes."""
    match snapshot.watching:
        case None:
            return "looking …"
        case True:
            return "watching"
        case False:
            return "polling"
