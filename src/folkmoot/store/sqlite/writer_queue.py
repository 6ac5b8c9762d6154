"""Whose turn it is at the connection: one thread leads, and those who come meanwhile are carried along or lead next.

No thread stands by for this. With one caller nothing is ever waited for, and a simulation stays deterministic.

Those who were carried wake each other, one after the other, and nobody leads before the last of them is awake. Woken
all at once they would wait a second time, for the interpreter, and disturb the next leader at each of his statements.

An interrupt may come between any two steps. So whoever enters leaves, whatever happens; leaving may be repeated; and
what was not settled counts as not done.
"""

from _thread import LockType, allocate_lock, get_ident
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any


class WriteRequest:
    """What one caller wants done. With `work=None` he wants the connection for himself, and is carried by nobody.

    With `alone` he leads, and carries nobody either: his commit is for his own work.
    """

    __slots__ = ("_next", "_turn", "alone", "fault", "result", "settled", "work")

    def __init__(self, work: Callable[[Any], Any] | None, *, alone: bool = False) -> None:
        self.work = work
        self.alone = alone or work is None
        self.result: Any = None
        self.fault: BaseException | None = None
        self.settled = False  # the result is durable, or the fault is final
        self._turn: LockType | None = None  # held while its thread sleeps; None: nobody waits for it
        self._next: WriteRequest | None = None  # whom its thread wakes when it is awake itself


class WriterQueue:
    def __init__(self) -> None:
        self._door = allocate_lock()
        self._leader: WriteRequest | None = None
        self._waiting: deque[WriteRequest] = deque()
        self._waking = False  # some of those who were carried sleep still
        self.thread = 0  # of the leader

    def enter(self, request: WriteRequest, wait: bool = True) -> bool:
        """Whether the wish leads now. Else another has carried it out, or it may not wait. `leave` must follow."""
        with self._door:
            if self._leader is None and not (self._waking and wait):
                self._leader = request
                self.thread = get_ident()
                return True
            if not wait:
                return False
            request._turn = allocate_lock()
            request._turn.acquire()
            self._waiting.append(request)
        request._turn.acquire()
        if request.settled:
            return False
        with self._door:
            self._waiting.remove(request)
            self.thread = get_ident()
            return True

    def take(self, carried: list[WriteRequest]) -> bool:
        """Add the next wish that can be carried along to the leader's own."""
        with self._door:
            if not self._waiting or self._waiting[0].alone:
                return False
            carried.append(self._waiting[0])  # first there, then gone from here: an interrupt between must lose nobody
            self._waiting.popleft()
            return True

    def leave(self, request: WriteRequest, carried: Sequence[WriteRequest] = ()) -> None:
        """Wake those whose wish is settled, let the others wait again, and let the next one lead."""
        with self._door:
            request._turn = None
            if not request.settled and request in self._waiting:
                self._waiting.remove(request)
            if self._leader is request:
                if self._waiting and self._waiting[0].settled:
                    self._waiting.popleft()  # an interrupt came while it was taken along
                if len(carried) > 1:  # others than the leader
                    self._wait_again([other for other in carried if not other.settled])
                    self._wake_all([other for other in carried if other.settled and other._turn is not None])
                self.thread = 0
                self._leader = None
            elif request._next is not None:
                _wake(request._next)
            elif request.settled:  # the last of those who were carried
                self._waking = False
            if self._leader is None and not self._waking and self._waiting:
                self._leader = self._waiting[0]
            if self._waiting and self._leader is self._waiting[0]:
                _wake(self._waiting[0])  # after it was appointed, and again if an interrupt came between

    def _wait_again(self, unsettled: list[WriteRequest]) -> None:
        again = [other for other in unsettled if other._turn is not None and other not in self._waiting]
        self._waiting.extendleft(reversed(again))

    def _wake_all(self, sleeping: list[WriteRequest]) -> None:
        """The first one here, each other by the one before it; by whoever is interrupted, before its time."""
        following: WriteRequest | None = None
        for other in reversed(sleeping):
            other._next, following = following, other
        if following is not None:
            self._waking = True
            _wake(following)


def _wake(request: WriteRequest) -> None:
    """Waking twice does no harm: the second time nobody sleeps there."""
    turn = request._turn
    if turn is not None and turn.locked():
        turn.release()
