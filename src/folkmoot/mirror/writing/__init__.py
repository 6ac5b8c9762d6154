"""From the rows of the board to the bytes of each file: pure, and the same bytes for the same log."""
