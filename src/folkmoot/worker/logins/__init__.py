"""The user's logins: what a run gets of them, and whether they are still good."""
