"""What stores that speak SQL share: verbs over named statements, commits of several callers, the proof of the log."""
