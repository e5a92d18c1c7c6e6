"""Screens: each turns snapshots into what its widgets draw, and what they say into requests to the source."""
