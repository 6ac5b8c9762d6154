"""The ears: what agents write becomes one Report."""
