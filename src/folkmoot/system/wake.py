"""Wake-ups: told by the kernel when the board's log file is written to, by whichever process."""

import ctypes
import os
import select
import struct
import threading
from collections.abc import Callable

MODIFY, ATTRIB, CREATE, MOVED_TO, OVERFLOW = 0x2, 0x4, 0x100, 0x80, 0x4000
EVENT = struct.Struct("iIII")
SETTLE = 0.02  # seconds between the last write to the file and the moment when others see what was written


class FileWatch:
    """Calls `wake` when a file whose name begins so is touched or written in the folder. A wake-up is only ever a hint.

    A file is touched when what was written can be seen, so that this wakes at once. Writing alone wakes a moment later:
    the log file is written before the commit is done. Where the kernel has no such service, nobody is woken, and all
    who wait look every few seconds as they do anyway.
    """

    def __init__(self, folder: str, prefix: str, wake: Callable[[], None]) -> None:
        self._prefix = prefix.encode()
        self._wake = wake
        self._process = os.getpid()
        self._fd = inotify_on(folder)
        self._thread: threading.Thread | None = None
        if self._fd >= 0:
            self._stop_read, self._stop_write = os.pipe()
            self._thread = threading.Thread(target=self._follow, name="moot-wake", daemon=True)
            self._thread.start()

    def _follow(self) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._stop_read, select.POLLIN)
        written = False
        while True:
            ready = {fd for fd, _ in poll.poll(SETTLE * 1000 if written else None)}
            if self._stop_read in ready:
                return
            touched, written = heard(os.read(self._fd, 65_536), self._prefix) if ready else (True, False)
            if touched:
                self._wake()

    def close(self) -> None:
        """In a forked child the thread is its parent's, and goes on."""
        if self._thread is None:
            return
        if self._process == os.getpid():
            os.write(self._stop_write, b"x")
            self._thread.join()
        self._thread = None
        for fd in (self._stop_read, self._stop_write, self._fd):
            os.close(fd)


def inotify_on(folder: str) -> int:
    """The descriptor of a watch on the folder, or -1."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        fd: int = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, AttributeError):
        return -1
    if fd >= 0 and libc.inotify_add_watch(fd, os.fsencode(folder), MODIFY | ATTRIB | CREATE | MOVED_TO) < 0:
        os.close(fd)
        return -1
    return fd


def heard(data: bytes, prefix: bytes) -> tuple[bool, bool]:
    """Whether to wake now, and whether something was written after that."""
    touched = written = False
    at = 0
    while at + EVENT.size <= len(data):
        _, mask, _, length = EVENT.unpack_from(data, at)
        at += EVENT.size
        ours = data[at : at + length].startswith(prefix)
        at += length
        if mask & OVERFLOW or (ours and mask & ATTRIB):
            touched, written = True, False
        elif ours:
            written = True
    return touched, written
