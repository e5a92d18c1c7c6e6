"""The command palette's entries, out of the command table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from textual.command import DiscoveryHit, Hit, Hits, Provider

from capview.tui.app import CapviewApp, places
from capview.tui.commands import Command, Where, commands, key_names

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator


class CommandProvider(Provider):
    """Every command of where you are."""

    async def discover(self) -> Hits:
        """All of them."""
        for command in self._commands():
            yield DiscoveryHit(f"{command.title}  ({key_names(command)})", self._press(command), help=command.help)

    async def search(self, query: str) -> Hits:
        """Those whose title or help match."""
        matcher = self.matcher(query)
        for command in self._commands():
            text = f"{command.title}: {command.help}"
            if (score := matcher.match(text)) > 0:
                yield Hit(score, matcher.highlight(text), self._press(command), help=key_names(command))

    def _commands(self) -> Iterator[Command]:
        for place in places(self.screen):
            if place is not Where.PROMPT:
                yield from (c for c in commands(place) if c.name != "command_palette")

    def _press(self, command: Command) -> partial[Coroutine[Any, Any, None]]:
        app = self.app
        if not isinstance(app, CapviewApp):  # the palette of another app would not have asked for this provider
            raise TypeError(app)
        return partial(app.press, command)
