"""Chance that can be paired: every throw is a number of its own, by the seed, what it is about, and its name.

There is no stream that one throw more or less would shift. So two flows tried with one seed meet the same luck wherever
they ask for the same throw, and what differs between them comes from the flows.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

from folkmoot.testing.clock import SeededIds

Choice = TypeVar("Choice")
BITS = 53  # what a float between 0 and 1 can hold


class Chance:
    """All throws about one subject: an item that comes in, one effort of an agent, a person's answer."""

    __slots__ = ("_subject",)

    def __init__(self, *subject: object) -> None:
        # A sign that stands in no name keeps ("a b", "c") and ("a", "b c") apart.
        self._subject = blake2b("\x1f".join(map(str, subject)).encode(), digest_size=16).digest()

    def roll(self, name: str) -> float:
        """From 0 to below 1, always the same for the same name."""
        drawn = blake2b(self._subject + name.encode(), digest_size=8).digest()
        return (int.from_bytes(drawn) >> (64 - BITS)) / (1 << BITS)

    def between(self, name: str, low: float, high: float) -> float:
        return low + (high - low) * self.roll(name)

    def choice(self, name: str, among: Sequence[Choice]) -> Choice:
        return among[int(self.roll(name) * len(among))]

    def some(self, name: str, of: int, count: int) -> list[int]:
        """So many different numbers from 0 to below `of`."""
        return sorted(range(of), key=lambda number: self.roll(f"{name} {number}"))[:count] if count else []

    def weighted(self, name: str, shares: dict[Choice, float]) -> Choice:
        left = self.roll(name) * sum(shares.values())
        for value, share in shares.items():
            left -= share
            if left < 0:
                return value
        return next(reversed(shares))


class TrialIds(SeededIds):
    """Ids from a stream, since no rule looks at them; pauses by the effort they follow."""

    effort: Chance | None = None

    def jitter(self) -> float:
        return self.effort.roll("pause") if self.effort else 0.5
