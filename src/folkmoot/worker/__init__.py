"""Runs agents: claim, clone, process, report, gate, land. Its decisions are a plain state machine."""
