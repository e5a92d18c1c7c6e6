"""capview: see, follow and search what commands printed, while they run and after."""

__version__ = "0.1.0"
