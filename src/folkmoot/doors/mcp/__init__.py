"""The door of the Model Context Protocol: eight tools over the registry, for agents that nobody here has started."""
