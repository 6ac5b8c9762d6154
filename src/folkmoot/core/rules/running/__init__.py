"""What holds while agents really run: file rights, branches and landing, pauses and budgets."""
