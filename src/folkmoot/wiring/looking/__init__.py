"""What is looked up for people: what an item changed, and who they are."""
