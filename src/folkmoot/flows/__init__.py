"""A flow file becomes a checked `Flow`, or the list of all that is wrong with it. What a flow means is in the rules."""
