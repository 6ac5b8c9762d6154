"""Whose turn it is to ask a forge: of the workers that watch one board, here and on other machines, one asks."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from folkmoot.engine.engine import Engine
from folkmoot.engine.screen import turns
from folkmoot.errors import MootError


class Turns:
    """Of one kind. `alone` is the lock of all on this machine, which is free when its process is gone; `machine` is the
    name of this one, for the others."""

    def __init__(
        self, engine: Engine, kind: str, machine: str, alone: Callable[[str], AbstractContextManager[bool]]
    ) -> None:
        self._engine, self._kind, self._machine, self._alone = engine, kind, machine, alone

    @contextmanager
    def turn(self, home: str, seconds: float) -> Iterator[bool]:
        """Is it time, so long after the last one began, and nobody else's turn?"""
        with self._alone(os.path.join(home, f"{self._kind}.lock")) as got:
            is_turn = got and turns.begin(self._engine, self._kind, self._machine, seconds)
            try:
                yield is_turn
            finally:
                if is_turn:
                    with suppress(MootError):  # else it ends by itself after a while
                        turns.end(self._engine, self._kind, self._machine)

    def since(self) -> float | None:
        """How long ago the last one began; None: not known."""
        with suppress(MootError):
            return turns.since(self._engine, self._kind)
        return None
