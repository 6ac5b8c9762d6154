"""Where a person works by hand: the clone that they are given, and what becomes of it."""
