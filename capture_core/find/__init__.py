"""What a match is: one definition of it, for every surface."""
