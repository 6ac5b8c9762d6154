"""Numbers as pictures in the terminal: trials, and what runs have used up."""
