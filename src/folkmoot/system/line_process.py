"""A program that is spoken to line by line while it runs: what it answers is waited for no longer than was said."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

from folkmoot.errors import Unavailable
from folkmoot.system.processes import own

LINE_MAX = 65_536
WORDS_MAX = 2_000
GRACE = 1.0  # seconds in which a program that is told to end can take away its own locks


class SystemTalk:
    """Implements `folkmoot.worker.ports.Talk`."""

    def __init__(self, command: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        try:
            self._process = own.start(
                list(command),
                cwd=cwd,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            words = "git could not be started in {folder}: {why}"
            raise Unavailable("git_failed", words, "", cwd, str(error)) from error
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in, self._out, self._err = self._process.stdin, self._process.stdout, self._process.stderr
        os.set_blocking(self._in.fileno(), False)
        self._heard = b""

    def say(self, line: str) -> bool:
        """False: nobody listens any more. A line is shorter than a pipe, so that saying it never waits."""
        try:
            return os.write(self._in.fileno(), line.encode("utf-8", "surrogateescape") + b"\n") > len(line)
        except (OSError, ValueError):
            return False

    def hear(self, seconds: float) -> str | None:
        """The next line; nothing if it has ended; None if it says nothing within that time."""
        until = time.monotonic() + seconds
        while b"\n" not in self._heard and len(self._heard) < LINE_MAX:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._out], [], [], left)[0]:
                return None
            data = os.read(self._out.fileno(), LINE_MAX)
            if not data:
                return ""
            self._heard += data
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode("utf-8", "replace")

    def end(self, *, now: bool = False) -> tuple[bool, str]:
        """Hang up and see it ended: whether it has, and its last words. It may be called again.

        `now`: it is not waited for. Even then it is asked first, so that it can take away its locks.
        """
        if not self._in.closed:
            self._in.close()
        ways = (signal.SIGTERM, signal.SIGKILL) if now else (None, signal.SIGTERM, signal.SIGKILL)
        for number in ways:
            if number is not None and self._process.poll() is None:
                os.killpg(self._process.pid, number)
            try:
                self._process.wait(GRACE)
                break
            except subprocess.TimeoutExpired:
                continue
        ended = self._process.poll() is not None
        words = self._last_words() if ended and not self._err.closed else ""
        self._out.close()
        self._err.close()
        return ended, words

    def _last_words(self) -> str:
        """What is in the pipe: whoever else was handed it is not waited for."""
        os.set_blocking(self._err.fileno(), False)
        try:
            return os.read(self._err.fileno(), LINE_MAX).decode("utf-8", "replace").strip()[-WORDS_MAX:]
        except BlockingIOError:
            return ""
