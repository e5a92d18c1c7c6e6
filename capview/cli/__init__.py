"""The command line: one small module a command; only the chosen one is imported."""
