"""What an item makes for others to do, and what it gets back: parts, help, tasks."""
