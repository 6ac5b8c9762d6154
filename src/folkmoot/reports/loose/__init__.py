"""What is close to a form and means the same: other spellings, and the documents' YAML."""
