"""Agents that nobody here started: they claim an item with a clone, and their report takes in what they changed."""
