"""Process trees: looking at them, their limits, their signals, and the watch over those who keep them."""
