"""Taking in what an agent left: within bounds, and looked through for secrets."""
