"""The three kinds of runs: an agent's effort, a gate, a landing."""
