"""Being the only one: a lock on a file that ends with its process, whatever ends that."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator

LOOK_AGAIN = 0.02


@contextlib.contextmanager
def alone(path: str) -> Iterator[None]:
    """Wait until nobody else has the lock, and have it for the block."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


@contextlib.contextmanager
def alone_within(path: str, seconds: float) -> Iterator[bool]:
    """Wait so long for the lock, and have it for the block; gives whether it was got. The kernel cannot wait so."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _got(fd, time.monotonic() + seconds) and _is_at(path, fd)
    finally:
        os.close(fd)


def _is_at(path: str, fd: int) -> bool:
    """Who had it before may have removed the file: the lock on it keeps nobody out then."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(fd))
    except FileNotFoundError:
        return False


def _got(fd: int, until: float) -> bool:
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(LOOK_AGAIN)
