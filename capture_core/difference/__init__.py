"""What differs between two runs of one thing, but for what differs in every run: a derived view, never evidence."""
