"""The door for HTTP: every call of the registry as a route, events as a stream, behind one guard."""
