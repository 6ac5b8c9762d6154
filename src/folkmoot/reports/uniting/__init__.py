"""Several statements of one text as one report."""
