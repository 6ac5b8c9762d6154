"""What this machine can tell of a board's workers: which of their processes are there."""

import os


class MachineWorkers:
    """Looks at processes only when it is asked; no command needs what it imports before that."""

    def __init__(self, home: str) -> None:
        self._home = home

    def dead(self, worker: str) -> bool:
        from folkmoot.worker.removing import is_dead

        return is_dead(worker, self._home)

    def alive(self) -> int:
        """By the marks that processes leave in the board's folder while they make something there. Our own is none."""
        from folkmoot.worker.removing import ALIVE, is_alive

        folder = os.path.join(self._home, ALIVE)
        marks = os.listdir(folder) if os.path.isdir(folder) else []
        others = [mark for mark in marks if mark.partition(".")[0] != str(os.getpid())]
        return sum(is_alive(mark, self._home) for mark in others)
