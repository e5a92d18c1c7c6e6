"""The selected job: how it stands, and the beginning and the end of what it printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from capview import doing, present
from capview.tui.job_columns import headline, label

if TYPE_CHECKING:
    from capture_core.activity import Activity
    from capture_core.source import Entry

_FACT_LINES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """Lines that are safe to draw; ``omitted`` bytes lie between ``head`` and ``tail``."""

    stream: str = ""
    head: tuple[str, ...] = ()
    omitted: int = 0
    tail: tuple[str, ...] = ()


class JobPreview(Widget):
    """Draws what it is given."""

    DEFAULT_CSS = """
    JobPreview {
        padding: 0 1; border-top: solid $panel; color: $foreground; text-wrap: nowrap; text-overflow: ellipsis;
    }
    """

    entry: reactive[Entry | None] = reactive(None)
    activity: reactive[Activity | None] = reactive(None)
    preview: reactive[Preview] = reactive(Preview)

    @property
    def rows(self) -> int:
        """Lines there are for output."""
        return self.size.height - _FACT_LINES

    def render(self) -> Content:
        """Facts first, then output."""
        if self.entry is None:
            return Content("")
        return Content("\n").join([*self._facts(self.entry), *self._output()])

    def _facts(self, entry: Entry) -> list[Content]:
        sizes = ", ".join(f"{status.name} {present.size(status.committed)}" for status in entry.streams)
        # While it runs there is nothing to say of its end.
        now = None if self.activity is None else doing.words(self.activity)
        facts = (now or present.process_words(entry.process), sizes, entry.receipt.ref)
        return [
            Content.assemble((headline(entry), "bold"), f"  {label(entry)}"),
            Content.styled("  ".join(facts), "$foreground 60%"),
        ]

    def _output(self) -> list[Content]:
        shown = self.preview
        if not shown.omitted:
            return [Content(line) for line in shown.tail]
        omitted = f"⋯ {present.size(shown.omitted)} of {shown.stream} left out; Enter shows all ⋯"
        return [
            *(Content(line) for line in shown.head),
            Content.styled(omitted, "$foreground 60% italic"),
            *(Content(line) for line in shown.tail),
        ]
