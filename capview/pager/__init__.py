"""A moving window over a growing byte file: rows, line numbers and new lines, without a full index and without a UI."""

FILE_ADAPTER = "file"
"""The producer of what is no capture: an ordinary file."""
