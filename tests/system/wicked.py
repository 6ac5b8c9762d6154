"""Agents that do their worst. Run as a script: `python -I -S wicked.py <kind> <mark>`.

Each prints "ready" once it has done what its kind is named for. The mark stands in the command line, which forks keep,
so that they can be counted even after they have thrown away their environment.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable

LONG = 600.0


def ready() -> None:
    os.write(1, b"ready\n")


def ignore(*numbers: int) -> None:
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


def fork_deaf() -> int:
    """A child that never heard TERM, not even in its first moment; the parent does."""
    ignore(signal.SIGTERM)
    pid = os.fork()
    if pid:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return pid


def leave_behind(act: Callable[[], None]) -> None:
    """Double fork and setsid, as daemons do: it has no parent any more, and another session. It ignores TERM."""
    if fork_deaf() == 0:
        os.setsid()
        if os.fork() == 0:
            act()
        os._exit(0)
    os.wait()


def plain() -> None:
    ready()
    time.sleep(LONG)


def silent() -> None:
    """Ends well at once and says nothing more."""
    ready()


def deaf() -> None:
    ignore(signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
    plain()


def family() -> None:
    """Children that ignore TERM, each in a session of its own."""
    for _ in range(3):
        if fork_deaf() == 0:
            os.setsid()
            time.sleep(LONG)
    plain()


def daemon() -> None:
    """Ends well, and leaves one behind that keeps the output open and ignores TERM."""
    leave_behind(lambda: time.sleep(LONG))
    ready()


def daemons() -> None:
    leave_behind(lambda: time.sleep(LONG))
    plain()


def naked() -> None:
    """Throws its environment away and starts itself again, in another session, without its parent."""
    if os.environ.get("NAKED") != "yes":
        leave_behind(lambda: os.execve(sys.executable, [sys.executable, "-I", "-S", *sys.argv], {"NAKED": "yes"}))
        time.sleep(LONG)
    deaf()


def flood() -> None:
    """Writes until the pipe is full, and then waits in the middle of a write."""
    ready()
    while True:
        os.write(1, b"x" * 65536)


def mute() -> None:
    ready()
    for fd in (0, 1, 2):
        os.close(fd)
    time.sleep(LONG)


def frozen() -> None:
    """Stopped, and a child of another session that is stopped and ignores TERM."""
    if fork_deaf() == 0:
        os.setsid()
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(LONG)
    ready()
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(LONG)


def hare(pause: float = 0.005) -> None:
    """Is another process in another session every few milliseconds, so that a list of processes is old when read."""
    ignore(signal.SIGTERM, signal.SIGCHLD)
    if os.fork() == 0:
        ready()
        while True:
            if os.fork():
                os._exit(0)
            os.setsid()
            time.sleep(pause)
    time.sleep(LONG)


def quick_hare() -> None:
    hare(0.0)


def litter() -> None:
    """Answers TERM with more children, and each of them with more."""

    def breed(*_: object) -> None:
        with contextlib.suppress(BlockingIOError):
            for _child in range(2):
                if os.fork() == 0:
                    os.setsid()

    ignore(signal.SIGCHLD)
    signal.signal(signal.SIGTERM, breed)
    ready()
    while True:
        time.sleep(LONG)


def bomb() -> None:
    """Doubles itself all the time; slowly, since others use the machine as well, and up to 64 of them."""
    ignore(signal.SIGTERM, signal.SIGCHLD)
    ready()
    for _ in range(6):
        time.sleep(0.02)
        if os.fork() == 0:
            os.setsid()
    while True:
        time.sleep(LONG)


def threads() -> None:
    """The child of a thread, while the first thread is over."""
    import threading

    def act() -> None:
        if os.fork() == 0:
            os.setsid()
            deaf()
        time.sleep(LONG)

    threading.Thread(target=act).start()
    threading.Event().wait(LONG)


KINDS: dict[str, Callable[[], None]] = {
    act.__name__: act
    for act in (
        *(plain, silent, deaf, family, daemon, daemons, naked, flood),
        *(mute, frozen, hare, quick_hare, litter, bomb, threads),
    )
}
# For crowds: without the one that takes a whole core.
GENTLE = [kind for kind in KINDS if kind != "quick_hare"]


# The other side: what a test needs to start them and to count them.


def command(kind: str, mark: str) -> list[str]:
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), kind, mark]


def read(pid: int | str, name: str) -> bytes:
    """A file about a process; empty if that is gone."""
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""


def state_of(pid: int) -> str:
    words = read(pid, "stat").rpartition(b")")[2].split()
    return words[0].decode() if words else "X"


def processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal() and int(name) != os.getpid()]


def marked(mark: str) -> dict[int, str]:
    """Who lives and has the mark in its environment or its command line."""
    return {
        pid: read(pid, "cmdline").replace(b"\0", b" ").decode("utf-8", "replace")
        for pid in processes()
        if mark.encode() in read(pid, "environ") + read(pid, "cmdline") and state_of(pid) not in "ZX"
    }


def below(root: int) -> set[tuple[int, str]]:
    """All descendants of a process, each with the time it began, since numbers come again."""
    parents = {pid: read(pid, "stat").rpartition(b")")[2].split() for pid in processes()}
    found = {root}
    while more := {pid for pid, words in parents.items() if words and int(words[1]) in found} - found:
        found |= more
    return {(pid, parents[pid][19].decode()) for pid in found - {root}}


def until(true: Callable[[], object], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


if __name__ == "__main__":
    KINDS[sys.argv[1]]()
