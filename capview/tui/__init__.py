"""The terminal UI: the only room in which Textual lives."""
