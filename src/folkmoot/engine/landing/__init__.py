"""Landings of several items at once."""
