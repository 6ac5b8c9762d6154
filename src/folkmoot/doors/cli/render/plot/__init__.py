"""Trials as pictures: in the terminal, and as an SVG file."""
