"""The person at the keyboard, while agents work."""
