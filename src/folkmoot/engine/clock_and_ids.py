"""What is handed in from outside, so that the whole engine also runs in a seeded world."""

from typing import Protocol


class Clock(Protocol):
    def boot(self) -> tuple[str, float]:
        """Which start of the machine this is, and the seconds since then, sleep included."""
        ...

    def wall(self) -> int:
        """Milliseconds since 1970; only ever shown."""
        ...


class Ids(Protocol):
    def run(self) -> str:
        """A random id no other run has."""
        ...

    def message(self) -> str:
        """32 random hex digits for the ids of a command's messages."""
        ...

    def jitter(self) -> float:
        """Chance between 0 and 1, for pauses that must not fall together."""
        ...
