"""The memory: domain verbs over rows and SQL. Knows the types of core and no rule."""
