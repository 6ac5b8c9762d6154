"""Commands for a closer look: what a run printed, what an item changed, how the board stands."""
