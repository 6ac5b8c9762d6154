"""Who may speak through a door that others can reach, and how fast."""
