"""Whose turn it is at the connection: one thread leads, and those who come meanwhile are carried along or lead next.

No thread stands by for this. With one caller nothing is ever waited for, and a simulation stays deterministic.

An interrupt may come between any two steps. So whoever enters leaves, whatever happens; leaving may be repeated; and
what was not settled counts as not done.
"""

from _thread import LockType, allocate_lock, get_ident
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any


class Wish:
    """What one caller wants done. With `work=None` he wants the connection for himself, and is carried by nobody."""

    __slots__ = ("_turn", "fault", "result", "settled", "work")

    def __init__(self, work: Callable[[Any], Any] | None) -> None:
        self.work = work
        self.result: Any = None
        self.fault: BaseException | None = None
        self.settled = False  # the result is durable, or the fault is final
        self._turn: LockType | None = None  # held while its thread sleeps; None: nobody waits for it


class Turns:
    def __init__(self) -> None:
        self._door = allocate_lock()
        self._leader: Wish | None = None
        self._waiting: deque[Wish] = deque()
        self.thread = 0  # of the leader

    def enter(self, wish: Wish, wait: bool = True) -> bool:
        """Whether the wish leads now. Else another has carried it out, or it may not wait. `leave` must follow."""
        with self._door:
            if self._leader is None:
                self._leader = wish
                self.thread = get_ident()
                return True
            if not wait:
                return False
            wish._turn = allocate_lock()
            wish._turn.acquire()
            self._waiting.append(wish)
        wish._turn.acquire()
        if wish.settled:
            return False
        with self._door:
            self._waiting.remove(wish)
            self.thread = get_ident()
            return True

    def take(self, carried: list[Wish]) -> bool:
        """Add the next wish that can be carried along to the leader's own."""
        with self._door:
            if not self._waiting or self._waiting[0].work is None:
                return False
            carried.append(self._waiting[0])  # first there, then gone from here: an interrupt between must lose nobody
            self._waiting.popleft()
            return True

    def leave(self, wish: Wish, carried: Sequence[Wish] = ()) -> None:
        """Wake those whose wish is settled, let the others wait again, and let the next one lead."""
        unsettled = []
        for other in carried:
            if other.settled:
                _wake(other)
            elif other is not wish:
                unsettled.append(other)
        with self._door:
            if unsettled:
                again = [other for other in unsettled if other._turn is not None and other not in self._waiting]
                self._waiting.extendleft(reversed(again))
            if wish in self._waiting:
                self._waiting.remove(wish)
            wish._turn = None
            if self._leader is wish:
                self.thread = 0
                if self._waiting:
                    _wake(self._waiting[0])
                    self._leader = self._waiting[0]
                else:
                    self._leader = None


def _wake(wish: Wish) -> None:
    """Waking twice does no harm: the second time nobody sleeps there."""
    turn = wish._turn
    if turn is not None and turn.locked():
        turn.release()
