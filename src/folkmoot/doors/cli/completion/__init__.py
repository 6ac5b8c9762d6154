"""What a line could become: completion by shells, and the nearest known word where one was mistyped."""

VARIABLE = "_MOOT_COMPLETE"  # set by a shell that asks what could stand next
