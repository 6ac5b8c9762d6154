"""What happened since a moment."""
