"""Landing several items together: what a worker remembers of them, their merges, and the one move of the branch."""
