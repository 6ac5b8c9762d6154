"""What agents share while they work: paths, messages, findings, lessons."""
