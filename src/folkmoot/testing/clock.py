"""A clock that stands still until it is moved, and chance that comes from a seed."""

import random

# An evening in 2023: any moment would do, but a date in shown times should look like one.
EPOCH_MILLISECONDS = 1_700_000_000_000


class VirtualClock:
    """Time as the engine sees it. It can be moved, set wrong, turned back, and the machine started again."""

    def __init__(self) -> None:
        self.time = 0.0  # what has really passed; only the world knows it
        self._boots = 1
        self._booted_at = 0.0
        self._behind = 0.0
        self._wall_offset = 0.0

    def boot(self) -> tuple[str, float]:
        return f"boot-{self._boots}", max(0.0, self.time - self._booted_at - self._behind)

    def wall(self) -> int:
        return EPOCH_MILLISECONDS + round((self.time + self._wall_offset) * 1000)

    def move_to(self, time: float) -> None:
        self.time = max(self.time, time)

    def turn_back(self, seconds: float) -> None:
        """The clock that should never go back does; a machine that was copied and woken again can do this."""
        self._behind += seconds

    def set_wall(self, seconds: float) -> None:
        """Somebody set the date wrong, or right again."""
        self._wall_offset = seconds

    def reboot(self) -> None:
        self._boots += 1
        self._booted_at = self.time
        self._behind = 0.0


class SeededIds:
    """Ids and jitter from the world's one source of chance."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def run(self) -> str:
        return f"r{self._chance.getrandbits(48):012x}"

    def message(self) -> str:
        return f"{self._chance.getrandbits(128):032x}"

    def jitter(self) -> float:
        return self._chance.random()
