"""What a person's words mean, what each option does, and the facts that a question shows."""
