"""Looking at a board: one consistent answer each, as of now, and never a write."""
