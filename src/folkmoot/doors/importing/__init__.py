"""Lists of work that other tools keep, brought onto the board."""
