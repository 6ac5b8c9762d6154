"""Workers in the seeded world: the real Crew and Watch over the real engine, in virtual time, with every fault."""
