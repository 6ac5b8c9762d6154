"""Threads of one process share commits: the first thread at an idle connection leads; later threads queue.

The leader executes the queued requests of others with its own and commits once. There is no writer thread, so one
caller never waits for another thread, and a simulation stays deterministic.

Threads whose requests were executed wake each other in a chain, and the next leader starts after the last is awake.
Woken all at once they would compete for the interpreter with each statement of the next leader.

An interrupt can come between any two steps. Every `enter` is therefore followed by `leave`, `leave` may be repeated,
and a request that is not settled counts as not executed.
"""

from _thread import LockType, allocate_lock, get_ident
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any


class WriteRequest:
    """The work of one caller. With `work=None` the caller uses the connection itself, and no other thread executes it.

    With `alone` it leads and executes no other request: its commit is for its own work.
    """

    __slots__ = ("_next", "_turn", "alone", "fault", "result", "settled", "work")

    def __init__(self, work: Callable[[Any], Any] | None, *, alone: bool = False) -> None:
        self.work = work
        self.alone = alone or work is None
        self.result: Any = None
        self.fault: BaseException | None = None
        self.settled = False  # the result is durable, or the fault is final
        self._turn: LockType | None = None  # held while its thread sleeps; None: nobody waits for it
        self._next: WriteRequest | None = None  # the request whose thread it wakes next


class WriterQueue:
    def __init__(self) -> None:
        self._door = allocate_lock()
        self._leader: WriteRequest | None = None
        self._waiting: deque[WriteRequest] = deque()
        self._waking = False  # some threads of settled requests still sleep
        self.thread = 0  # of the leader

    def enter(self, request: WriteRequest, wait: bool = True) -> bool:
        """Whether the request leads now. If not, another thread executed it, or it may not wait. `leave` follows."""
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
        """Move the next request that can share the commit from the queue to `carried`."""
        with self._door:
            if not self._waiting or self._waiting[0].alone:
                return False
            carried.append(self._waiting[0])  # first there, then gone from here: an interrupt between must lose nobody
            self._waiting.popleft()
            return True

    def leave(self, request: WriteRequest, carried: Sequence[WriteRequest] = ()) -> None:
        """Wake the threads of settled requests, queue the others again, and let the next request lead."""
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
            elif request.settled:  # the last of the chain
                self._waking = False
            if self._leader is None and not self._waking and self._waiting:
                self._leader = self._waiting[0]
            if self._waiting and self._leader is self._waiting[0]:
                _wake(self._waiting[0])  # after it was appointed, and again if an interrupt came between

    def _wait_again(self, unsettled: list[WriteRequest]) -> None:
        again = [other for other in unsettled if other._turn is not None and other not in self._waiting]
        self._waiting.extendleft(reversed(again))

    def _wake_all(self, sleeping: list[WriteRequest]) -> None:
        """Wake the first here; each thread wakes the next. An interrupted thread wakes the next early."""
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
