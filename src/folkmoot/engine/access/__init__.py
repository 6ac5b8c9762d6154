"""Who may call what, and who is who."""
