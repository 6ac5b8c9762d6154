"""Where writers of several processes queue, first come, first served.

SQLite lets waiting writers sleep and try again, so that with many of them one may wait for seconds. The kernel's queue
for a file lock is fair and wakes only the next. It is a courtesy: what keeps two writers apart is SQLite's own lock.
"""

import os
from _thread import allocate_lock, start_new_thread
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock


class FairFileLock:
    def __init__(self, path: str) -> None:
        self._path = path
        self._file = self._open()
        self._stand_in: StandIn | None = None

    def enter(self, seconds: float) -> bool:
        """Wait for our turn. False: it did not come in time."""
        try:
            flock(self._file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return self._queue(seconds)
        return True

    def leave(self) -> None:
        flock(self._file, LOCK_UN)

    def close(self) -> None:
        if self._stand_in is not None:
            self._stand_in.dismiss()
        os.close(self._file)

    def _open(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _queue(self, seconds: float) -> bool:
        stand_in = self._stand_in or StandIn(self._file)
        try:
            came = stand_in.wait(seconds)
        except BaseException:
            self._forget()
            raise
        if came:
            self._stand_in = stand_in
        else:
            self._forget()
        return came

    def _forget(self) -> None:
        """The stand-in that still waits keeps the file and closes it; we take another one."""
        self._stand_in = None
        self._file = self._open()


class StandIn:
    """A thread that stands in the queue for us, because the kernel's queue knows no time limit.

    `decided` is taken by who comes first: the turn, or the one who gave up waiting for it.
    """

    def __init__(self, file: int) -> None:
        self._file = file
        self._dismissed = False
        self._asked = allocate_lock()
        self._came = allocate_lock()
        self._decided = allocate_lock()
        self._asked.acquire()
        self._came.acquire()
        start_new_thread(self._stand, ())

    def wait(self, seconds: float) -> bool:
        """Whether the turn came in time. If not, or if this raises, the stand-in is of no more use."""
        self._asked.release()
        try:
            came = self._came.acquire(timeout=seconds)
            if not came:
                if self._decided.acquire(blocking=False):
                    return False
                self._came.acquire()  # at the last moment
            self._decided.release()
            return True
        except BaseException:
            if not self._decided.acquire(blocking=False):
                os.close(self._file)  # it came, and nobody wants it any more
                self.dismiss()
            raise

    def dismiss(self) -> None:
        self._dismissed = True
        self._asked.release()

    def _stand(self) -> None:
        while True:
            self._asked.acquire()
            if self._dismissed:
                return
            flock(self._file, LOCK_EX)
            if not self._decided.acquire(blocking=False):
                os.close(self._file)
                return
            self._came.release()
