"""The seeded world: virtual time, scripted agents and people, faults, and a witness that checks every step."""
