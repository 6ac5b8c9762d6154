"""The doors: they translate between the world and the engine, and decide nothing."""
