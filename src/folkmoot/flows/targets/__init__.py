"""Where a flow sends notices."""
