"""Whose turn it is to ask a forge: several workers may watch one board on one machine, and one of them asks.

Who asks writes down that he has, by the time of a file, and the others leave it.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

SECONDS = 60.0


class Turns:
    """`alone` is the lock of all who watch this board here; `wall` the time of day, as files have it."""

    def __init__(
        self, name: str, alone: Callable[[str], AbstractContextManager[bool]], wall: Callable[[], float]
    ) -> None:
        self._name = name
        self._alone = alone
        self._wall = wall

    @contextmanager
    def turn(self, home: str, now: bool) -> Iterator[bool]:
        """Is it time, and nobody else's turn? With `now` it is time."""
        looked = os.path.join(home, f"{self._name}.looked")
        with self._alone(os.path.join(home, f"{self._name}.lock")) as got:
            is_turn = got and (now or self._is_time(looked))
            if is_turn:
                os.close(os.open(looked, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
                os.utime(looked, (self._wall(), self._wall()))
            yield is_turn

    def _is_time(self, looked: str) -> bool:
        with suppress(FileNotFoundError):
            return not 0 <= self._wall() - os.stat(looked).st_mtime < SECONDS - 1.0
        return True
