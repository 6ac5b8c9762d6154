"""Keys as they are pressed, where somebody sits at a terminal; and whether somebody does."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO


def is_watched(stream: TextIO) -> bool:
    """Is somebody at a terminal who sees what is written there, and can type?"""
    try:
        return stream.isatty() and is_ours(sys.stdin.fileno())
    except (OSError, ValueError, AttributeError):
        return False


def is_ours(fd: int) -> bool:
    """Is it a terminal, and are we in its foreground? Whoever reads it from behind is stopped by the kernel."""
    try:
        return os.isatty(fd) and os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:
        return False


@contextmanager
def one_by_one() -> Iterator[None]:
    """Keys are heard one by one and not echoed: the last line of the screen is ours meanwhile. A shell that had us
    stopped for a while has put it back."""
    import termios
    import tty

    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)

    def again(number: int, frame: FrameType | None) -> None:
        if is_ours(fd):
            tty.setcbreak(fd)

    tty.setcbreak(fd)
    known = signal.signal(signal.SIGCONT, again)
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, known)
        if is_ours(fd):
            termios.tcsetattr(fd, termios.TCSADRAIN, before)
