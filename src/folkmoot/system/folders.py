"""Told by the kernel which entries of some folders have changed, by whichever process."""

import ctypes
import errno
import os
import select
import struct
import threading
from collections.abc import Callable, Iterable

CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x8, 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF, OVERFLOW, IGNORED, IS_DIR = 0x400, 0x800, 0x4000, 0x8000, 0x40000000
DONT_FOLLOW, ONLYDIR = 0x02000000, 0x01000000
WANTED = CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF | DONT_FOLLOW | ONLYDIR
EVENT = struct.Struct("iIII")
ENTRIES_MAX = 50_000
NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


class FolderWatch:
    """Collects folder and name of what has changed, and calls `wake`. Where the kernel cannot, everything may have."""

    def __init__(self, root: str, wake: Callable[[], None]) -> None:
        self._root = root
        self._wake = wake
        self._guard = threading.Lock()
        self._changed: set[tuple[str, str]] = set()
        self._is_lost = True  # what has changed before the first watch nobody knows
        self._unwatched: set[str] = set()  # there, and the kernel would not: it watches as many as it may already
        self._folders: dict[int, str] = {}
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd: int = self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        self._thread: threading.Thread | None = None
        if self._fd >= 0:
            self._stop_read, self._stop_write = os.pipe()
            self._thread = threading.Thread(target=self._listen, name="moot-folders", daemon=True)
            self._thread.start()

    def follow(self, folders: Iterable[str]) -> None:
        """From now on these too; one that is watched already stays so."""
        for folder in folders:
            path = os.fsencode(os.path.join(self._root, folder) if folder else self._root)
            number = self._libc.inotify_add_watch(self._fd, path, WANTED) if self._fd >= 0 else -1
            with self._guard:
                self._unwatched.discard(folder)
                if number >= 0:
                    self._folders[number] = folder
                elif ctypes.get_errno() not in NOT_THERE:
                    self._unwatched.add(folder)

    def take(self) -> set[tuple[str, str]] | None:
        with self._guard:
            changed, lost = self._changed, self._is_lost or self._fd < 0 or bool(self._unwatched)
            self._changed, self._is_lost = set(), False
        return None if lost else changed

    def _listen(self) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._stop_read, select.POLLIN)
        while True:
            ready = {fd for fd, _ in poll.poll()}
            if self._stop_read in ready:
                return
            if self._hear(os.read(self._fd, 1 << 18)):
                self._wake()

    def _hear(self, data: bytes) -> bool:
        at, told = 0, False
        with self._guard:
            while at + EVENT.size <= len(data):
                number, mask, _, length = EVENT.unpack_from(data, at)
                at += EVENT.size
                name = os.fsdecode(data[at : at + length].rstrip(b"\0"))
                at += length
                if mask & IGNORED:
                    self._folders.pop(number, None)
                    continue
                if mask & (OVERFLOW | DELETE_SELF | MOVE_SELF) or len(self._changed) > ENTRIES_MAX:
                    self._is_lost = told = True
                elif mask & IS_DIR and mask & (CREATE | MOVED_TO | MOVED_FROM | DELETE):
                    self._is_lost = told = True  # a folder came or went, and what is in it with it
                elif number in self._folders and not name.startswith(".moot-"):
                    self._changed.add((self._folders[number], name))
                    told = True
        return told

    def close(self) -> None:
        if self._thread is None:
            return
        os.write(self._stop_write, b"x")
        self._thread.join()
        self._thread = None
        for fd in (self._stop_read, self._stop_write, self._fd):
            os.close(fd)
