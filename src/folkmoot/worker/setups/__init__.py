"""What `setup` left in a clone, kept for the clones of other runs."""
