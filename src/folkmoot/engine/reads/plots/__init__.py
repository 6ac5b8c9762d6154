"""Answers that pictures are drawn from."""
