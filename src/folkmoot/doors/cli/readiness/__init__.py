"""Looking before a run: `moot ready`, and the same at the start of `moot run`."""
