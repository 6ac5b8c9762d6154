"""What this machine can tell of a board's workers: which of their processes are there."""

import os
from typing import TYPE_CHECKING

import msgspec

from folkmoot.core.decoding import reader

if TYPE_CHECKING:
    from folkmoot.engine.screen.register import Attending


class MachineWorkers:
    """Looks at processes only when it is asked; no command needs what it imports before that."""

    def __init__(self, home: str) -> None:
        self._home = home

    def dead(self, worker: str) -> bool:
        from folkmoot.worker.removing import is_dead

        return is_dead(worker, self._home)

    def attending(self) -> "list[Attending]":
        from folkmoot.worker.removing import attending

        return [_told(mark, words) for mark, words in sorted(attending(os.path.abspath(self._home)).items())]

    def alive(self) -> int:
        """By the marks that processes leave in the board's folder while they make something there. Our own is none."""
        from folkmoot.worker.removing import ALIVE, is_alive

        folder = os.path.join(self._home, ALIVE)
        marks = os.listdir(folder) if os.path.isdir(folder) else []
        others = [mark for mark in marks if mark.partition(".")[0] != str(os.getpid())]
        return sum(is_alive(mark, self._home) for mark in others)


def _told(mark: str, words: bytes) -> "Attending":
    """A worker of an older version says nothing of itself."""
    from folkmoot.engine.screen.register import Attending

    try:
        told: Attending = reader(Attending)(words)
        return told
    except msgspec.MsgspecError:
        return Attending(worker=f"{os.uname().nodename}-{mark}")
