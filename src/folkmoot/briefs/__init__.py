"""The mouth: what a fresh agent is told."""
