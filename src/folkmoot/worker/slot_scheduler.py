"""Which slots are filled, and when the board is asked for more: decided from facts alone."""

LOOK_AGAIN = 5.0  # seconds after which the board is asked even if nobody said that it has changed
PATIENCE = 120.0  # seconds for which a worker that ends when idle waits for something that rests


class SlotScheduler:
    """The slots of one worker. `wants` says whether to ask the board for an item now."""

    def __init__(self, slots: int, *, until_idle: bool = False) -> None:
        self.slots = slots
        self.until_idle = until_idle
        self.runs: set[str] = set()
        self.interrupts = 0
        self._ask_at = 0.0
        self._idle_wait: float | None = 0.0  # seconds until something may be ready, as the board last said
        self._asked = False  # since anything last happened
        self._stale = False  # was something written after the board was asked, so that its answer is old?

    @property
    def stopping(self) -> bool:
        return self.interrupts > 0

    @property
    def has_room(self) -> bool:
        return len(self.runs) < self.slots

    def wants(self, now: float) -> bool:
        return not self.stopping and self.has_room and now >= self._ask_at

    def asks(self) -> None:
        """The board is about to be asked."""
        self._stale = False

    def claimed(self, run: str) -> None:
        self.runs.add(run)
        self._asked = False

    def nothing(self, now: float, wait: float | None) -> None:
        """No item is ready; in `wait` seconds one may be. None: nothing will be, unless somebody does something.

        What was written while the board was being asked may have made one ready: then it is asked again at once.
        """
        if self._stale:
            return
        self._asked = True
        self._idle_wait = wait
        self._ask_at = now + min(LOOK_AGAIN, max(0.02, wait if wait is not None else LOOK_AGAIN))

    def woken(self) -> None:
        """Something was written to the board: a slot that is free is filled by that, not by a tick (R-23)."""
        self._stale = True
        self._ask_at = 0.0
        self._asked = False

    def ended(self, run: str) -> None:
        """Its slot is free. It may be told twice: when all is said, and when all is cleaned up."""
        if run in self.runs:
            self.runs.remove(run)
            self.woken()

    def interrupted(self) -> int:
        """How often it was asked to stop: once, and runs may finish; twice, and they are ended."""
        self.interrupts += 1
        return self.interrupts

    def is_over(self) -> bool:
        if self.runs:
            return False
        if self.stopping:
            return True
        wait = self._idle_wait
        return self.until_idle and self._asked and (wait is None or wait > PATIENCE)

    def next_at(self) -> float:
        return float("inf") if self.stopping or not self.has_room else self._ask_at
