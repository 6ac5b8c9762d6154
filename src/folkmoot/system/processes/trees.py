"""Looking at process trees, and ending them. The standard library alone, and Linux: the keeper's script uses it too."""

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Callable

KILL_MAX = 20.0  # seconds of killing before it is said that something cannot be killed
FREEZE_ROUNDS = 200
GONE = (FileNotFoundError, ProcessLookupError, PermissionError)  # or hidden, where the system hides processes

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME, PR_SET_CHILD_SUBREAPER = 1, 4, 15, 36
LIBC = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int | bytes) -> None:
    none = ctypes.c_ulong(0)
    if LIBC.prctl(option, value if isinstance(value, bytes) else ctypes.c_ulong(value), none, none, none):
        error = ctypes.get_errno()
        raise OSError(error, f"prctl {option}: {os.strerror(error)}")


def send(pid: int, number: int) -> None:
    """A signal; whom it cannot reach any more, or may not, is seen by the next look at who is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def content(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except GONE:
        return b""


def children(pid: int) -> list[int]:
    """Its children, the ended ones that nobody has waited for included."""
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except GONE:
        return []
    return [int(word) for task in tasks for word in content(f"/proc/{pid}/task/{task}/children").split()]


def state_and_parent(pid: int) -> tuple[str, int]:
    words = content(f"/proc/{pid}/stat").rpartition(b")")[2].split()  # the name before it may hold anything
    return (words[0].decode(), int(words[1])) if words else ("X", 0)


def descendants(spare: set[int], thorough: bool) -> set[int]:
    """Everything below this process but the spared and theirs. The kernel's lists of children are quick, but not kept
    by every kernel, and may leave one out while another ends; the thorough way reads of everybody who its parent is."""
    below: dict[int, list[int]] = {}
    for pid in [int(name) for name in os.listdir("/proc") if name.isdecimal()] if thorough else []:
        below.setdefault(state_and_parent(pid)[1], []).append(pid)
    found: set[int] = set()
    to_ask = [os.getpid()]
    while to_ask:
        pid = to_ask.pop()
        of_it = below.get(pid, []) if thorough else children(pid)
        new = [child for child in of_it if child not in spare and child not in found]
        found.update(new)
        to_ask += new
    return found


def freeze(spare: set[int], thorough: bool) -> set[int]:
    """Stop all descendants. A process with a stop before it cannot fork, so when a look shows nobody new, it is all."""
    stopped: set[int] = set()
    there: set[int] = set()
    for _ in range(FREEZE_ROUNDS):
        there = descendants(spare, thorough)
        if there <= stopped:
            break
        for pid in there - stopped:
            send(pid, signal.SIGSTOP)
        stopped |= there
    return there


def kill_all(nobody_left: Callable[[], bool], spare: set[int], killed: set[int]) -> set[int]:
    """Kill all descendants, however they fork and hide, until `nobody_left`, which also waits for the dead. Notes in
    `killed` who was alive, and gives back who could not be killed."""
    until = time.monotonic() + KILL_MAX
    pause, thorough = 0.0005, False
    while not nobody_left():
        there = freeze(spare, thorough)
        for pid in there:
            if state_and_parent(pid)[0] not in "ZX":
                killed.add(pid)
            send(pid, signal.SIGKILL)
        if time.monotonic() > until:
            return there
        thorough = not there  # somebody is left, but the quick way does not show him
        time.sleep(pause)
        pause = min(pause * 2, 0.02)
    return set()
