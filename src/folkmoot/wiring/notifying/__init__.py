"""Tells people of what happens: one courier for each target, each at its own place in the log."""
