"""The user's work trees: how their files and index follow a branch, under git's own lock."""
