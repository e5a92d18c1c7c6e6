"""Likely failures in a text, found by a table of patterns: a view derived from it, a guess, never evidence."""
