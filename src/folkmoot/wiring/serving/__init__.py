"""What a process needs that serves a board: its tokens, its server."""
