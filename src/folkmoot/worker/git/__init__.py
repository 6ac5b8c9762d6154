"""Git as the worker uses it: the engine's own repository, clones for runs, landing, and what did not land."""
