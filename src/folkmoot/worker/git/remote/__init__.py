"""The remote that several machines share: the commits that the board names, and the branch that work lands on."""
