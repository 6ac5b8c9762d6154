"""Programs that each drive one peer in the environment that `make bench` makes for it: three steps that do nothing."""
