"""Habits of honest agents that do not keep to the form, and what must have been understood all the same."""
