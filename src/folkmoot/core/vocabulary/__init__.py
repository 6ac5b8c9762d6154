"""The words that mean something to the rules: causes and reasons, names of roles, ways to answer."""
