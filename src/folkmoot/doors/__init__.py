"""The doors: they translate between the world and the engine, and decide nothing.

A door carries requests of `api` to the calls in `engine/registry.py`, by an `Application`, and renders the answers.
"""
