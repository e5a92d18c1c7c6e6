"""Widgets: each draws values that it is given, tells what the user wants by messages, and opens no file."""
