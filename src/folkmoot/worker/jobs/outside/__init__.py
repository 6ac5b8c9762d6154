"""Runs of agents that nobody here started."""
