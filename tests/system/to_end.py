"""Runs a command with a keeper to its end, and keeps what it said."""

import os
import select
import signal
import time
from collections.abc import Callable

from folkmoot.worker.ports import Child, Ended, Keeper, Launch

CHUNK = 65536
PIPE_MAX = 1024 * 1024  # more is in no pipe, so more than that was written after the end, by nobody of the tree
END_GRACE = 5.0
END_PATIENCE = 60.0  # seconds beyond the grace until a warden is held to be stuck


class _Kept:
    """The head and the tail of what came, if it is more than `cap`."""

    def __init__(self, cap: int) -> None:
        self._head_max = cap // 2
        self._tail_max = cap - self._head_max
        self._head = bytearray()
        self._tail = bytearray()
        self._lost = 0

    def add(self, data: bytes) -> None:
        room = self._head_max - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        self._shorten(self._tail_max + CHUNK)  # not at every piece, since it moves the bytes

    def _shorten(self, most: int) -> None:
        if len(self._tail) > most:
            surplus = len(self._tail) - self._tail_max
            self._lost += surplus
            del self._tail[:surplus]

    def all(self) -> bytes:
        self._shorten(self._tail_max)
        gap = b"\n[%d bytes left out]\n" % self._lost if self._lost else b""
        return bytes(self._head + gap + self._tail)


def run_to_end(keeper: Keeper, launch: Launch, timeout: float, cap: int) -> tuple[Ended, bytes, bytes]:
    """Run it and give how it ended and what it said, of each stream at most `cap` bytes (head and tail).

    After the timeout it is ended; then there is a fault and no code, since a program may well end with 0 when it is
    asked to end.
    """
    child = keeper.start(launch)
    try:
        out, err = _Kept(cap), _Kept(cap)
        ended = _follow(child, {child.output: out.add, child.errors: err.add}, timeout)
    finally:
        child.close()
    return ended, out.all(), err.all()


def _follow(child: Child, hearers: dict[int, Callable[[bytes], None]], timeout: float) -> Ended:
    until = time.monotonic() + timeout
    late = ""
    poll = select.poll()
    for fd in (child.control, *hearers):
        poll.register(fd, select.POLLIN)
    while True:
        ready = {fd for fd, _ in poll.poll(max(0.0, until - time.monotonic()) * 1000 + 1)}
        ended = child.ended()  # before the last look at the output, so that nothing is written after it
        for fd in list(hearers) if ended else ready & hearers.keys():
            if not _drain(fd, hearers[fd], whole=ended is not None):
                poll.unregister(fd)
                del hearers[fd]
        if ended is not None:
            return Ended(signal=ended.signal or signal.SIGTERM, killed=ended.killed, fault=late) if late else ended
        if time.monotonic() < until:
            continue
        if late:
            return Ended(fault=f"{late}, but it is not known to be over")
        late = f"was not over after {timeout:g} seconds and was ended"
        child.end(END_GRACE)
        until = time.monotonic() + END_GRACE + END_PATIENCE


def _drain(fd: int, hear: Callable[[bytes], None], whole: bool) -> bool:
    """Read a piece, or the whole that is there. False when no more will come."""
    try:
        for _ in range(PIPE_MAX // CHUNK if whole else 1):
            data = os.read(fd, CHUNK)
            if not data:
                return False
            hear(data)
    except BlockingIOError:
        pass
    return True
