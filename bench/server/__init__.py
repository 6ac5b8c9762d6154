"""A board in PostgreSQL, beside raw statements on the same server."""
