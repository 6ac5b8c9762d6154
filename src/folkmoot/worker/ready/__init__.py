"""Looks before the first run: is what agents and gates need there, and does it answer?"""
