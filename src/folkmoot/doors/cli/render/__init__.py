"""Words for people. Only imported when a person reads: rich takes longer to load than most commands take to run."""
