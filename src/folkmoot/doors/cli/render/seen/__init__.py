"""How a closer look is shown: output, changes, the state of the board in few lines."""
