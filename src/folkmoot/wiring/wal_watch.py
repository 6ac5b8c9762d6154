"""Wake-ups between processes: whoever has written touches the board's log file, and whoever waits watches it."""

import os
from _thread import allocate_lock
from typing import TYPE_CHECKING

from folkmoot.store.change_signal import ChangeSignal

if TYPE_CHECKING:
    from folkmoot.system.wake import FileWatch

LOG = "-wal"


class BoardSignal(ChangeSignal):
    """Heard by the threads of this process at once, and by those of other processes through the kernel.

    SQLite writes the log file before others can see the commit, so that write alone would wake them too early: the
    file is touched when the commit is done.
    """

    __slots__ = ("_log", "_making", "_watch")

    def __init__(self, store: str) -> None:
        super().__init__()
        self._log = os.path.realpath(store) + LOG
        self._making = allocate_lock()
        self._watch: FileWatch | None = None

    def notify(self) -> None:
        super().notify()
        try:
            os.utime(self._log)
        except OSError:
            return  # only a hint is lost, and who waits for it looks again by itself

    def wait(self, seen: int, seconds: float) -> int:
        if self._watch is None:
            self._listen()
        return super().wait(seen, seconds)

    def close(self) -> None:
        with self._making:
            watch, self._watch = self._watch, None
        if watch is not None:
            watch.close()
        super().notify()

    def _listen(self) -> None:
        """One watch for all threads of the process, made when the first of them waits."""
        from folkmoot.system.wake import FileWatch

        with self._making:
            if self._watch is None:
                folder, name = os.path.split(self._log)
                self._watch = FileWatch(folder, name, super().notify)
