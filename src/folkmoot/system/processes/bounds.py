"""What a process tree may use up. The warden looks at it; a limit that the kernel can hold is given to the kernel.

The standard library alone: it runs in the keeper. What is looked at twice a second can be passed for a moment, so
these are limits against harm to the machine, and not exact ones.
"""

import os
import resource
import stat
import time
from collections.abc import Iterator
from typing import Any

from folkmoot.system.processes.groups import Group
from folkmoot.system.processes.trees import content

PAGE = os.sysconf("SC_PAGE_SIZE")
LOOK = 0.5  # seconds between two looks
LOOK_SOON = 0.05  # where the tree has grown to a quarter of what it may be
NEAR = 0.25
WALK_EVERY = 60.0  # seconds between two walks through its folders, or earlier, as the disk fills
WALK_SLICE = 0.02  # seconds of walking at a time: the warden has to hear as well
WALK_SHARE = 20  # a walk is followed by a pause of so many times its length
ENTRY_BYTES = 1024  # what a file or folder takes beside its content
PATH_MAX = 3000  # of the 4096 bytes that one call may name
SCRATCH = ("tmp", "var/tmp", "dev")  # in a box these lie in memory


class Bounds:
    """The limits of one tree; each may be None. `over` says which of them it has passed."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.memory: int | None = asked.get("memory")
        self.processes: int | None = asked.get("processes")
        self.open_files: int | None = asked.get("open_files")
        self.disk: int | None = asked.get("disk")
        self.places: list[str] = asked.get("places", []) if self.disk else []
        self.group = Group(None)
        self.pause = LOOK
        self._walk: Iterator[int] | None = None
        self._walk_began = 0.0
        self._walk_at = time.monotonic() + WALK_EVERY
        self._free = free_bytes(self.places)  # of the disk, when the last walk began

    @property
    def any(self) -> bool:
        return bool(self.memory or self.processes or self.places)

    def begin(self) -> None:
        """In the warden, before the fork: a control group for the tree, where one can be made."""
        self.group = Group(self.processes)

    def apply(self) -> None:
        """In the fresh fork: what the kernel holds by itself. A core file would be as large as memory."""
        self.group.enter()
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if self.open_files:
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            most = self.open_files if hard == resource.RLIM_INFINITY else min(hard, self.open_files)
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, most) if soft >= 0 else most, most))

    def over(self, tree: set[int]) -> str:
        """The limit that the tree has passed; empty if none."""
        self.pause = LOOK
        if self.processes is not None:
            if len(tree) > self.processes:
                return "processes"
            self._grows(len(tree), self.processes)
        if self.memory is not None and self._uses_too_much(tree, self.memory):
            return "memory"
        return "disk" if self.disk is not None and self._fills(self.disk) else ""

    def _grows(self, used: int, most: int) -> None:
        if used > most * NEAR:
            self.pause = LOOK_SOON

    def _uses_too_much(self, tree: set[int], most: int) -> bool:
        """Quickly by pages, each counted for everyone who shares it; only where that is too much by their shares."""
        scratch = in_scratch(tree)
        quick = scratch + sum(resident(pid) for pid in tree)
        self._grows(quick, most)
        return quick > most and scratch + sum(own_share(pid) for pid in tree) > most

    def _fills(self, most: int) -> bool:
        """Walk through its folders, a piece at each look. Whoever fills the disk is looked at sooner."""
        now = time.monotonic()
        if self._walk is None:
            free = free_bytes(self.places)
            if now < self._walk_at and free > self._free - most * NEAR:
                return False
            self._walk, self._walk_began, self._free = walk(self.places), now, free
        until = now + WALK_SLICE
        for used in self._walk:
            if used > most:
                return True
            if time.monotonic() > until:
                self.pause = LOOK_SOON
                return False
        self._walk = None
        took = time.monotonic() - self._walk_began
        self._walk_at = time.monotonic() + max(WALK_EVERY, took * WALK_SHARE)
        return False


def resident(pid: int) -> int:
    words = content(f"/proc/{pid}/statm").split()
    return int(words[1]) * PAGE if words else 0


def own_share(pid: int) -> int:
    """Its share of the memory that it uses, shared pages divided by who shares them; without that, what is its own."""
    try:
        for line in content(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # it has just ended, or has no memory of its own
    words = content(f"/proc/{pid}/statm").split()
    return (int(words[1]) - int(words[2])) * PAGE if words else 0


def in_scratch(tree: set[int]) -> int:
    """What lies in the folders of a box that are kept in memory; a tree without a box has none."""
    here = {_device(f"/{name}") for name in SCRATCH}
    found: dict[int, int] = {}
    for pid in sorted(tree, reverse=True)[:4]:  # the newest are in the box, the first ones made it
        for name in SCRATCH:
            place = f"/proc/{pid}/root/{name}"
            device = _device(place)
            if device and device not in here and device not in found:
                try:
                    told = os.statvfs(place)
                except OSError:
                    continue
                found[device] = (told.f_blocks - told.f_bfree) * told.f_frsize
    return sum(found.values())


def _device(path: str) -> int:
    try:
        return os.stat(path).st_dev
    except OSError:
        return 0


def free_bytes(places: list[str]) -> int:
    """Of the disk that the first of them lies on."""
    try:
        told = os.statvfs(places[0]) if places else None
    except OSError:
        told = None
    return told.f_bavail * told.f_frsize if told else 0


def walk(places: list[str]) -> Iterator[int]:
    """What the folders hold so far, again and again. What may not be looked at is not counted."""
    used = 0
    linked: set[tuple[int, int]] = set()  # what has several names takes its place once
    to_look = list(places)
    while to_look:
        folder = to_look.pop()
        try:
            place = open_folder(folder)
        except OSError:
            continue
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    used += ENTRY_BYTES
                    try:
                        told = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue  # it has just gone
                    if stat.S_ISDIR(told.st_mode):
                        to_look.append(f"{folder}/{entry.name}")
                    elif told.st_nlink > 1:
                        if (told.st_dev, told.st_ino) in linked:
                            continue
                        linked.add((told.st_dev, told.st_ino))
                    used += told.st_blocks * 512
                    yield used
        finally:
            os.close(place)


def open_folder(path: str) -> int:
    """A folder, also one so deep that its whole path is too long for the system."""
    at: int | None = None
    while path:
        cut = len(path) if len(path) <= PATH_MAX else path.rindex("/", 0, PATH_MAX)
        try:
            below = os.open(path[:cut], os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
        finally:
            if at is not None:
                os.close(at)
        at, path = below, path[cut:].lstrip("/")
    assert at is not None
    return at
