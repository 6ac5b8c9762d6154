"""What a process tree may use up. The warden looks at it; a limit that the kernel can hold is given to the kernel.

The standard library alone: it runs in the keeper. What is looked at twice a second can be passed for a moment, so
these are limits against harm to the machine, and not exact ones.
"""

import contextlib
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
SPACE = "space"  # what a tree has passed that filled the disk itself, whatever it may use
# Of a disk: with less than the smaller of the two left, it is full. It has room for so many files, too.
LEFT_SHARE, LEFT_BYTES, LEFT_FILES = 0.02, 256 << 20, 10_000
WALK_AT_END = 2.0  # seconds
SHARE = 0.75  # of the open files that the worker may have: see `all_files`
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
        self._walk: Iterator[tuple[int, int]] | None = None
        self._walk_began = 0.0
        self._walk_at = time.monotonic() + WALK_EVERY
        self._again_at = 0.0  # where the disk is full
        room = Room(self.places)
        self._free = room.free  # when the last walk began
        self._floor = min(room.size * LEFT_SHARE, LEFT_BYTES)
        self._files_floor = min(room.files * LEFT_SHARE, LEFT_FILES)

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
            most = self.open_files if hard == resource.RLIM_INFINITY else min(int(hard * SHARE), self.open_files)
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
        return self._fills(self.disk) if self.disk is not None else ""

    def at_end(self) -> str:
        """The same when all of it has ended: it may have filled the disk since the last look."""
        room = Room(self.places)
        if not self._is_full(room):
            return ""
        until = time.monotonic() + WALK_AT_END
        for used, files in walk(self.places):
            if self._has_filled(room, used, files):
                return SPACE
            if time.monotonic() > until:
                break
        return ""

    def _is_full(self, room: "Room") -> bool:
        return bool(self.places) and (room.free < self._floor or room.files_free < self._files_floor)

    def _has_filled(self, room: "Room", used: int, files: int) -> bool:
        """Whoever has taken more than is to be left has filled it, and not the others."""
        bytes_too = room.free < self._floor and used > self._floor
        return bytes_too or (room.files_free < self._files_floor and files > self._files_floor)

    def _grows(self, used: int, most: int) -> None:
        if used > most * NEAR:
            self.pause = LOOK_SOON

    def _uses_too_much(self, tree: set[int], most: int) -> bool:
        """Quickly by pages, each counted for everyone who shares it; only where that is too much by their shares."""
        scratch = in_scratch(tree)
        quick = scratch + sum(resident(pid) for pid in tree)
        self._grows(quick, most)
        return quick > most and scratch + sum(own_share(pid) for pid in tree) > most

    def _fills(self, most: int) -> str:
        """Walk through its folders, a piece at each look. Whoever fills the disk is looked at sooner.

        On a disk that is full nobody can work, nor the board be told. Then those are ended who have taken of it more
        than is to be left, and others are not.
        """
        now = time.monotonic()
        room = Room(self.places)
        free, is_full = room.free, self._is_full(room)
        if self._walk is None:
            if now < (self._again_at if is_full else self._walk_at) and (is_full or free > self._free - most * NEAR):
                return ""
            self._walk, self._walk_began, self._free = walk(self.places), now, free
        until = now + WALK_SLICE
        for used, files in self._walk:
            if used > most:
                return "disk"
            if is_full and self._has_filled(room, used, files):
                return SPACE
            if time.monotonic() > until:
                self.pause = LOOK_SOON
                return ""
        self._walk = None
        took = time.monotonic() - self._walk_began
        self._again_at = time.monotonic() + max(LOOK, took * WALK_SHARE)
        self._walk_at = max(self._again_at, time.monotonic() + WALK_EVERY)
        return ""


@contextlib.contextmanager
def all_files() -> Iterator[None]:
    """May have all the open files that it can for a moment. Files that others of the same user have sent, and nobody
    has received, are held against each by this limit: an agent's is lower."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def has_filled(place: str) -> bool:
    """Is the disk full, and has this folder taken of it more than is to be left?"""
    return Bounds({"disk": 1, "places": [place]}).at_end() == SPACE


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


class Room:
    """Of the disk that the first of these folders lies on: what is free, and how large it is, in bytes and in files. A
    disk that does not count its files has none, and so is never full of them."""

    def __init__(self, places: list[str]) -> None:
        self.free = self.size = self.files_free = self.files = 0
        with contextlib.suppress(OSError, IndexError):
            told = os.statvfs(places[0])
            self.free, self.size = told.f_bavail * told.f_frsize, told.f_blocks * told.f_frsize
            self.files_free, self.files = told.f_favail, told.f_files


def walk(places: list[str]) -> Iterator[tuple[int, int]]:
    """What the folders hold so far, in bytes and files, again and again. What may not be looked at is not counted."""
    used = files = 0
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
                    files += 1
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
                    yield used, files
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
