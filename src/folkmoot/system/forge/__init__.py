"""Forges as they really are, over HTTP."""
