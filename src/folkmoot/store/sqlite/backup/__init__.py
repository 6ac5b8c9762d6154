"""Copies of a board, its log by itself, and putting another content into its file."""
