"""A board in PostgreSQL: for workers on many machines. Imported only where an address asks for it."""
