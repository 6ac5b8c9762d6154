"""A control group for one process tree, where the kernel and the machine's owner let us make one.

A tree that forks without end grows faster than anybody can look: only the kernel holds it. Version 2 is used where the
group above hands its `pids` controller down to us, version 1 where its `pids` hierarchy can be written. The standard
library alone: it runs in the keeper.
"""

import os
from contextlib import suppress

from folkmoot.system.processes.trees import content, state_and_parent

TASKS = 4  # the kernel counts threads, we count processes
PREFIX = "moot-"


class Group:
    """Made by the warden; `path` is empty where there is none."""

    def __init__(self, processes: int | None) -> None:
        self.path = _made(processes * TASKS) if processes else ""

    def enter(self) -> None:
        """In the fresh fork: from here on the kernel counts it, with all that it forks."""
        if self.path:
            _write(f"{self.path}/cgroup.procs", "0")

    def close(self) -> None:
        if self.path:
            with suppress(OSError):  # what could not be killed is still in it
                os.rmdir(self.path)


def above() -> str:
    """The folder below which a group with limits can be made; empty if there is none. Nothing is made here."""
    named = [line.split(":", 2) for line in content("/proc/self/cgroup").decode("utf-8", "replace").splitlines()]
    where = {kinds or "unified": path for _, kinds, path in (entry for entry in named if len(entry) == 3)}
    for line in content("/proc/self/mounts").decode("utf-8", "replace").splitlines():
        _, place, kind, options = line.split(" ")[:4]
        if kind == "cgroup2" and "unified" in where:
            # A group that holds processes hands nothing down, so ours stands beside the one we are in.
            folder = os.path.dirname((place + where["unified"]).rstrip("/")) or place
            folder = folder if folder.startswith(place) else place
            if b"pids" in content(f"{folder}/cgroup.subtree_control").split() and _is_ours(folder):
                return folder
        if kind == "cgroup" and "pids" in options.split(",") and "pids" in where:
            folder = (place + where["pids"]).rstrip("/")
            if _is_ours(folder):
                return folder
    return ""


def _is_ours(folder: str) -> bool:
    return os.access(folder, os.W_OK) and os.access(f"{folder}/cgroup.procs", os.W_OK)


def _made(tasks: int) -> str:
    folder = above()
    if not folder:
        return ""
    path = f"{folder}/{PREFIX}{os.getpid()}"
    try:
        _clear(folder)
        os.mkdir(path)
        _write(f"{path}/pids.max", str(tasks))
    except OSError:
        with suppress(OSError):
            os.rmdir(path)
        return ""
    return path


def _clear(folder: str) -> None:
    """Remove what killed wardens left: an empty group is a folder that can be removed."""
    for name in os.listdir(folder):
        pid = name.removeprefix(PREFIX)
        if name.startswith(PREFIX) and pid.isdecimal() and state_and_parent(int(pid))[0] in "XZ":
            with suppress(OSError):
                os.rmdir(f"{folder}/{name}")


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
