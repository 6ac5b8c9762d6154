"""The rules. Pure: no clock, no input or output, no randomness of its own; the same situation gives the same events."""
