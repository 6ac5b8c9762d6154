"""A terminal for a process: what it writes there, and what is left on the screen of it."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE = 120.0
AGAIN = 2.0
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
ERASE = "\r\x1b[2K"


class Terminal:
    def __init__(self, command: Sequence[str], *, columns: int, env: Mapping[str, str], folder: Path) -> None:
        self.code: int | None = None
        self.said = b""
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            try:
                for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
                    signal.signal(
                        number, signal.SIG_DFL
                    )  # as at a real one, also where the tests run in the background
                os.chdir(folder)
                os.execve(command[0], list(command), dict(env))
            finally:
                os._exit(127)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))

    def wait_for(self, words: str) -> None:
        while words.encode() not in self.said:
            assert self.read_some(), f"{words!r} never came: {self.said.decode()}"

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def end_by(self, key: str) -> str:
        """Press a key until it ends, and read the rest: an interrupt that comes just before Python reads is not seen
        by that read."""
        end = time.monotonic() + PATIENCE
        self.type(key)
        while True:
            assert time.monotonic() < end, f"it does not end: {self.said.decode()}"
            if not select.select([self._fd], [], [], AGAIN)[0]:
                self.type(key)
            elif not self.read_some():
                return self.read_to_end()

    def read_to_end(self) -> str:
        while self.read_some():
            pass
        self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self._fd)
        return self.said.decode()

    def read_some(self) -> bool:
        assert select.select([self._fd], [], [], PATIENCE)[0], f"nothing came any more: {self.said.decode()}"
        try:
            data = os.read(self._fd, 65_536)
        except OSError:  # how Linux says that nobody has the other end open
            return False
        self.said += data
        return bool(data)


def shown(written: str) -> str:
    """What is left on the screen, without colours: an erased line is gone."""
    lines = [line.split(ERASE)[-1] for line in written.replace("\r\n", "\n").split("\n")]
    return "\n".join(COLOURS.sub("", line) for line in lines)
