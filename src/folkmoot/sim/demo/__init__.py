"""The demo: a small real project, and scripted agents that are real programs and really work on it."""
