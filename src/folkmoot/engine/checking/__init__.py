"""Is the board what it says it is? The log against the rows, and both against the invariants."""
