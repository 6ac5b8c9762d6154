"""What plain words say: that something is red, over, mended, denied, undone or nothing, and how many of a number."""
