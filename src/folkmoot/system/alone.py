"""Being the only one: a lock on a file that ends with its process, whatever ends that."""

import contextlib
import fcntl
import os
from collections.abc import Iterator


@contextlib.contextmanager
def alone(path: str) -> Iterator[None]:
    """Wait until nobody else has the lock, and have it for the block."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
