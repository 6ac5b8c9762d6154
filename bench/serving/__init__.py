"""The server of a board, beside the board itself."""
