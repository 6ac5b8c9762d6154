"""Commands for those who are not at this terminal: agents, other programs, other machines."""
