"""How a person steers: what the commands do, and the words they print."""
