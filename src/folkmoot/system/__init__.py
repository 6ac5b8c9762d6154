"""The real world: clock, chance, processes, files, sockets. Everything else gets them handed in."""
