"""A line for whoever waits at a terminal: what takes so long. Nobody else gets it, and nothing of it stays."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SOON = 1.0  # seconds: what is over before needs no words


@contextmanager
def told_if_long(words: str, soon: float = SOON) -> Iterator[None]:
    stream = sys.stderr
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    said = threading.Event()

    def say() -> None:
        said.set()
        stream.write(f"\r\x1b[2K{words} …")
        stream.flush()

    timer = threading.Timer(soon, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if said.is_set():
            stream.write("\r\x1b[2K")
            stream.flush()
