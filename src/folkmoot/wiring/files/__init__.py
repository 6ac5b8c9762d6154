"""The files of a board: where it is, and the flow beside it."""
