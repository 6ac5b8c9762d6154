"""From the bytes of a file to what it says: pure, and Invalid where it cannot be read."""
