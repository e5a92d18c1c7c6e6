"""The terminal UI: the only room in which Textual lives."""

import os

# Textual draws at the next tick of a clock of 60 Hz, which runs only while there is something to draw.  At 240 Hz what
# was appended is visible 8 ms sooner, at no cost: how often growth is painted is bounded elsewhere.
os.environ.setdefault("TEXTUAL_FPS", "240")
