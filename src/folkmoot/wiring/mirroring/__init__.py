"""The file mirror on a real folder: alone, or beside the agents that `moot run` runs."""
