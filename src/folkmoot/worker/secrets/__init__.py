"""What must not get out of a run: which values, in which forms, and the gate that hides them."""
