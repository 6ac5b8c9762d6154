"""What a worker's progress is told by."""
