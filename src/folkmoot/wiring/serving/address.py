"""Where the board is served, for other processes of this machine: a file that counts while its server has its lock."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

FILE = os.path.join("access", "address")
BYTES_MAX = 1_000


@contextmanager
def told_at(home: str, address: str) -> Iterator[None]:
    """Of several servers of a board the first tells its address."""
    path = os.path.join(home, FILE)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(fd, 0)
            os.write(fd, address.encode())
        yield
    finally:
        os.close(fd)


def served_at(home: str) -> str | None:
    """None: nobody serves it now."""
    try:
        fd = os.open(os.path.join(home, FILE), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(fd, BYTES_MAX).decode("utf-8", "replace") or None
    finally:
        os.close(fd)
    return None
