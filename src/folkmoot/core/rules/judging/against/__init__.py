"""What speaks against the end that a report says: fields that nobody knows, and words that take it back."""
