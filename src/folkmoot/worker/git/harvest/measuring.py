"""How much there is to take in, told before any of it is read."""

import contextlib
import os
import stat

from folkmoot.worker.git.harvest.bounds import BYTES_A_SECOND, Allowed, TooMuch
from folkmoot.worker.git.looking import found_at


def is_folder(path: bytes) -> bool:
    return (there := found_at(path)) is not None and stat.S_ISDIR(there.st_mode)


def measured(top: bytes, names: set[bytes], allowed: Allowed) -> int:
    """What is listed as changed, in bytes; raises if it is more than the flow allows. Its time grows with it."""
    size = sum(size_at(os.path.join(top, name)) for name in names) if len(names) <= allowed.files else 0
    if len(names) > allowed.files or size > allowed.bytes:
        raise TooMuch(len(names), size)
    allowed.bounds.more(size / BYTES_A_SECOND)
    return size


def entries_of(index: str) -> int:
    """How many files the engine's index lists: its header says so."""
    with contextlib.suppress(FileNotFoundError), open(index, "rb") as file:
        head = file.read(12)
        return int.from_bytes(head[8:12], "big") if head.startswith(b"DIRC") else 0
    return 0


def size_at(path: bytes) -> int:
    return there.st_size if (there := found_at(path)) is not None and stat.S_ISREG(there.st_mode) else 0
