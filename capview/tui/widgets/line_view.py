"""A scroll view drawn line by line whose length may change with every append, without a layout each time."""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView


class LineView(ScrollView, inherit_bindings=False):
    """The vertical bar is always there, so that its coming and going never wraps text anew."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    LineView { overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; }
    """

    # Textual's own declaration lays the screen out whenever the size changes: at each append.
    virtual_size = Reactive(Size(0, 0), layout=False, repaint=False)

    def set_rows(self, rows: int) -> None:
        """Say how many rows there are to scroll over."""
        region = self.scrollable_content_region
        self.virtual_size = Size(region.width, rows)
        self.vertical_scrollbar.window_virtual_size = rows
        self.vertical_scrollbar.window_size = region.height
