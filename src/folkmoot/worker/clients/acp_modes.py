"""How agents call the mode of a session in which they ask before each act, where nobody knows the agent better."""

ASKING = ("default", "ask", "approve", "manual")
