"""Captures from where output already is: one small module a source, each honest about what it can know."""
