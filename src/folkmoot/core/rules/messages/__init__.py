"""Messages: what agents hand to each other, in the documents' envelope (R-26)."""
