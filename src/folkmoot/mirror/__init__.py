"""The file mirror: the board as the documents' files, and what is written there as commands (R-04)."""
