"""What a person does to a run: says something to it, or takes its item."""
