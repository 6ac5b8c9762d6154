"""What a role returns, as the handoff document writes it, in braces or in lines."""
