"""What a live screen asks beside the board itself: who looks, what could be done, and what was."""
