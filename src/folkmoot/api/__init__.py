"""The contract: what a caller may ask, what it gets back, and how it is refused. Data only; every door speaks it."""
