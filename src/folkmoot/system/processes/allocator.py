"""What the C library keeps of memory that was given back: little, in a process that lives long and has many threads."""

import ctypes

# Of glibc's malloc.h.
TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
ARENAS = 2
LARGE = 131_072  # bytes: what is larger goes back to the kernel as soon as it is free


def keep_little() -> None:
    """By itself glibc gives each thread a heap of its own, each of which keeps the most it ever had; and larger and
    larger texts are taken from them. Other C libraries do neither, and have no such call."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    for what, value in ((ARENA_MAX, ARENAS), (MMAP_THRESHOLD, LARGE), (TRIM_THRESHOLD, LARGE)):
        mallopt(what, value)
