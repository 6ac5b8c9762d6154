"""Watches over the keepers: an agent without a sandbox is the same user as they are, and can stop or kill them."""

import os
import select
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Protocol

from folkmoot.system.processes import own
from folkmoot.system.processes.trees import (
    KILL_MAX,
    PR_SET_CHILD_SUBREAPER,
    children,
    content,
    kill_all,
    prctl,
    send,
    state_and_parent,
)

LOOK = 1.0  # seconds between two looks at whether a keeper was stopped
BEAT = 5.0  # seconds between two signs of life
MISSED = 24  # signs of life that may be missed, by a warden or by the worker, before the tree is ended
FALL_MAX = KILL_MAX + 10  # seconds for what a killed keeper left to be killed
STOPPED = "Tt"  # by a signal, or by somebody who traces it


class Kept(Protocol):
    """A tree, as far as its warden is watched."""

    warden: int | None

    def alive(self) -> bool: ...
    def beat(self) -> None: ...
    def missed(self) -> int: ...
    def kill_warden(self, number: int) -> None: ...


class Stopped:
    """Whoever is found stopped is woken once: all of us may have been stopped together. The next time he is killed."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def look(self, pid: int, signal_to: Callable[[int], None]) -> None:
        if state_and_parent(pid)[0] not in STOPPED:
            return
        signal_to(signal.SIGKILL if pid in self._seen else signal.SIGCONT)
        self._seen.add(pid)


class Guard:
    """A thread for as long as anything runs. `kept` and `servers` say what there is to be watched."""

    def __init__(self, kept: Callable[[], list[Kept]], servers: Callable[[], list[int]]) -> None:
        self._kept = kept
        self._servers = servers
        self._stopped = Stopped()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def watch(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="moot-guard", daemon=True)
                self._thread.start()

    def close(self) -> None:
        self._closed.set()

    def _run(self) -> None:
        beat_at = 0.0
        while not self._closed.wait(LOOK):
            with self._lock:
                trees = [tree for tree in self._kept() if tree.alive()]
                if not trees:
                    self._thread = None
                    return
            now = time.monotonic()
            beats, beat_at = now >= beat_at, now + BEAT if now >= beat_at else beat_at
            for tree in trees:
                if tree.warden is not None:
                    self._stopped.look(tree.warden, tree.kill_warden)
                if beats:
                    tree.beat()
                    if tree.missed() > MISSED:
                        tree.kill_warden(signal.SIGKILL)
            for server in self._servers():
                self._stopped.look(server, partial(send, server))


def adopt_orphans() -> None:
    """Let what falls out of the hands of killed keepers become children of this process."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def kill_orphans(spare: set[int]) -> set[int]:
    """Kill all that is below this process and that it did not start itself; gives back who could not be killed."""
    with own.nobody_else_starts() as started:
        spared = started | spare

        def nobody_left() -> bool:
            left = [pid for pid in children(os.getpid()) if pid not in spared]
            for pid in left:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            return not [pid for pid in children(os.getpid()) if pid not in spared]

        return kill_all(nobody_left, spared, set())


def wait_for_word(fd: int, seconds: float) -> bool:
    """Is there something to be read, now or within the time?"""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def end_left(home: str) -> int:
    """Kill what is left of a run whose keepers and worker are all gone: it is known by its HOME, which is its run's
    alone. Gives the number of those that were killed."""
    mark = b"HOME=" + os.fsencode(home)
    killed: set[int] = set()
    until = time.monotonic() + KILL_MAX
    while left := [pid for pid in everybody() if mark in content(f"/proc/{pid}/environ").split(b"\0")]:
        for pid in left:
            send(pid, signal.SIGKILL)
        killed.update(left)
        if time.monotonic() > until:
            break
        time.sleep(0.01)
    return len(killed)


def everybody() -> list[int]:
    """All processes that live, but this one."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    return [pid for pid in pids if pid != os.getpid() and state_and_parent(pid)[0] not in "ZX"]
