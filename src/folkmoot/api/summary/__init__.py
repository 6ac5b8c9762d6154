"""Answers that sum up what happened."""
