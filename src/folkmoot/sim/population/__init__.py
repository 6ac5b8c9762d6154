"""A flow tried out: agents and people from YAML, virtual time, the real engine, and a table of what came of it."""
