"""Wake-ups: told by the kernel when the board's log file is written to, by whichever process."""

import ctypes
import os
import select
import struct
import threading
from collections.abc import Callable

MODIFY, CREATE, MOVED_TO = 0x2, 0x100, 0x80
EVENT = struct.Struct("iIII")


class FileWatch:
    """Calls `wake` when a file whose name begins so is written in the folder. A wake-up is only ever a hint.

    Where the kernel has no such service, nobody is woken, and the worker looks every few seconds as it does anyway.
    """

    def __init__(self, folder: str, prefix: str, wake: Callable[[], None]) -> None:
        self._prefix = prefix.encode()
        self._wake = wake
        self._stop_read, self._stop_write = os.pipe2(os.O_CLOEXEC)
        self._fd = _watch(folder)
        self._thread: threading.Thread | None = None
        if self._fd >= 0:
            self._thread = threading.Thread(target=self._follow, name="moot-wake", daemon=True)
            self._thread.start()

    def _follow(self) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._stop_read, select.POLLIN)
        while True:
            ready = {fd for fd, _ in poll.poll()}
            if self._stop_read in ready:
                return
            if any(name.startswith(self._prefix) for name in _names(os.read(self._fd, 65_536))):
                self._wake()

    def close(self) -> None:
        os.write(self._stop_write, b"x")
        if self._thread is not None:
            self._thread.join()
        for fd in (self._stop_read, self._stop_write, self._fd):
            if fd >= 0:
                os.close(fd)


def _watch(folder: str) -> int:
    """The descriptor of a watch on the folder, or -1."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        fd: int = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, AttributeError):
        return -1
    if fd >= 0 and libc.inotify_add_watch(fd, os.fsencode(folder), MODIFY | CREATE | MOVED_TO) < 0:
        os.close(fd)
        return -1
    return fd


def _names(data: bytes) -> list[bytes]:
    names, at = [], 0
    while at + EVENT.size <= len(data):
        _, _, _, length = EVENT.unpack_from(data, at)
        at += EVENT.size
        names.append(data[at : at + length].rstrip(b"\0"))
        at += length
    return names
