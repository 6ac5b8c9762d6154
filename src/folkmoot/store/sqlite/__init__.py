"""The embedded store: one SQLite file, as many processes of one machine as there are agents."""
