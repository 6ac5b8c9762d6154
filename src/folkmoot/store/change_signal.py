"""Tells the waiting threads of one process that the board has changed: notified after each commit."""

from _thread import TIMEOUT_MAX, LockType, allocate_lock


class ChangeSignal:
    """Counts notifications. A thread sleeps until the count differs from the one it has seen.

    Take the count first and look at the board after that: what is committed in between is then not missed, since
    `wait` returns at once when the count has moved on.
    """

    __slots__ = ("_count", "_guard", "_sleepers")

    def __init__(self) -> None:
        self._count = 0
        self._guard = allocate_lock()
        self._sleepers: set[LockType] = set()

    @property
    def count(self) -> int:
        return self._count

    def notify(self) -> None:
        with self._guard:
            self._count += 1
            if self._sleepers:
                for sleeper in self._sleepers:
                    sleeper.release()
                self._sleepers.clear()

    def wait(self, seen: int, seconds: float) -> int:
        """Sleep until the count is not `seen`, or the time is over; the count as it is then."""
        with self._guard:
            if self._count != seen or seconds <= 0:
                return self._count
            sleeper = allocate_lock()
            sleeper.acquire()
            self._sleepers.add(sleeper)
        try:
            sleeper.acquire(True, min(seconds, TIMEOUT_MAX))
        finally:
            with self._guard:
                self._sleepers.discard(sleeper)
        return self._count

    def listen(self) -> None:
        """Begin to hear what others write, for whoever is not going to wait here but to be woken otherwise."""

    def close(self) -> None:
        """Nobody will ring any more: who sleeps is let go."""
        self.notify()
