"""The file mirror."""
