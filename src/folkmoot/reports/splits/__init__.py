"""Splits as they are written: where in an object the tasks stand, what each entry says, and what all of them share."""
