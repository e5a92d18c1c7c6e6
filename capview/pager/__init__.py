"""A moving window over a growing byte file: rows, line numbers and new lines, without a full index and without a UI."""
