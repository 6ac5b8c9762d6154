"""Actors that send, print and file messages."""
