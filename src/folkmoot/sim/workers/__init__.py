"""Workers in the seeded world: the real scheduler and timers over the real engine, in virtual time, with all faults."""
