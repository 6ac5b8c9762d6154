"""What stands in the fields of a block: which lines begin one, and which are only its words."""
