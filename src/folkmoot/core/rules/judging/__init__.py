"""Whether work is good: verdicts of checking columns, findings that cannot wait, gates."""
