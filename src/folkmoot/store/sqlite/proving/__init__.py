"""Proofs beyond the hash chain: the columns beside the documents, and the end of SQLite's own log."""
