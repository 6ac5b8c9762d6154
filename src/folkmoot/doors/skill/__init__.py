"""What an agent must know to work with a board by commands, as a skill that coding clients find."""
