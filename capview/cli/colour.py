"""Colours on a terminal, where somebody looks at it and wants them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from capview.present import COLOURS, Tone

if TYPE_CHECKING:
    from typing import TextIO

_SGR: Final = {"red": 31, "green": 32, "yellow": 33, "cyan": 36, "bright_black": 90}


def is_coloured(stream: TextIO) -> bool:
    """Whether people look at ``stream`` and want colours; https://no-color.org."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def painted(text: str, tone: Tone | None, *, coloured: bool) -> str:
    """``text`` in the colour of its tone, where it has one and colours are wanted."""
    return f"\x1b[{_SGR[COLOURS[tone]]}m{text}\x1b[0m" if coloured and tone is not None else text
