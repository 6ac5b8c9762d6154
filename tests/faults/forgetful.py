"""A disk that forgets at a power cut what was never synced, as a file system that real processes can write on.

    python forgetful.py KEPT MOUNT

serves what lies in KEPT at MOUNT. A line `cut SEED INTO` on standard input is the power cut: what survives it is
written into the folder INTO, and the program is gone in the same moment, as a machine would be. With SEED `-` nothing
that was not synced survives; with a number, a part drawn from it does:

- of each page any version that was written since the last sync, or the one before; pages in no order among each other;
- of a file's lengths since then any one, whatever became of its pages;
- of a folder's names a first part of what was done to it: made, renamed, taken away. A file's own sync says nothing
  about its name: only that of its folder does.
"""

import errno
import itertools
import os
import random
import stat
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

PAGE = 4096
numbers = itertools.count(2)


class File:
    """What a process reads, what a cut cannot take, and all that was between them."""

    def __init__(self, mode: int, content: bytes = b"") -> None:
        self.number = next(numbers)
        self.mode = mode
        self.now = bytearray(content)
        self.safe = bytearray(content)
        self.pages: dict[int, list[bytes]] = {}  # versions since the last sync, the oldest first
        self.lengths: list[int] = []
        self.links = 0

    def write(self, data: bytes, offset: int) -> None:
        if offset > len(self.now):
            self.resize(offset)
        self.now[offset : offset + len(data)] = data
        self._changed(offset, offset + len(data))

    def resize(self, length: int) -> None:
        before = len(self.now)
        del self.now[length:]
        self.now.extend(bytes(length - len(self.now)))
        self._changed(min(before, length), max(before, length))

    def sync(self) -> None:
        self.safe[len(self.now) :] = bytes(max(0, len(self.now) - len(self.safe)))
        for page in self.pages:
            piece = self.now[page * PAGE : (page + 1) * PAGE]
            self.safe[page * PAGE : page * PAGE + len(piece)] = piece
        self.pages.clear()
        self.lengths.clear()

    def survives(self, chance: random.Random | None) -> bytes:
        if chance is None:
            return bytes(self.safe)
        found = bytearray(self.safe)
        for page, versions in self.pages.items():
            kept = chance.randrange(len(versions) + 1)
            if kept:
                found.extend(bytes(max(0, page * PAGE - len(found))))
                found[page * PAGE : (page + 1) * PAGE] = versions[kept - 1].ljust(PAGE, b"\0")
        length = chance.choice([len(self.safe), *self.lengths])
        del found[length:]
        return bytes(found.ljust(length, b"\0"))

    def _changed(self, begin: int, end: int) -> None:
        for page in range(begin // PAGE, -(-end // PAGE)):
            self.pages.setdefault(page, []).append(bytes(self.now[page * PAGE : (page + 1) * PAGE]))
        if len(self.now) != (self.lengths[-1] if self.lengths else len(self.safe)):
            self.lengths.append(len(self.now))


class Folder:
    """Names, and each state they were in since the folder was last synced."""

    def __init__(self, mode: int) -> None:
        self.number = next(numbers)
        self.mode = mode
        self.now: dict[str, File | Folder] = {}
        self.safe: dict[str, File | Folder] = {}
        self.states: list[dict[str, File | Folder]] = []

    def changed(self) -> None:
        self.states.append(dict(self.now))

    def sync(self) -> None:
        self.safe = dict(self.now)
        self.states.clear()

    def survives(self, chance: random.Random | None) -> "dict[str, File | Folder]":
        return self.safe if chance is None else chance.choice([self.safe, *self.states])


Node = File | Folder


def load(path: str) -> Folder:
    """What lies on a real disk, all of it safe."""
    folder = Folder(stat.S_IMODE(os.stat(path).st_mode))
    for entry in os.scandir(path):
        node: Node
        if entry.is_dir(follow_symlinks=False):
            node = load(entry.path)
        else:
            with open(entry.path, "rb") as file:
                node = File(stat.S_IMODE(entry.stat().st_mode), file.read())
            node.links = 1
        folder.now[entry.name] = node
    folder.sync()
    return folder


def keep(folder: Folder, path: str, chance: random.Random | None) -> None:
    """Write what survives into a new folder of a real disk."""
    os.mkdir(path, 0o700)
    for name, node in sorted(folder.survives(chance).items()):
        inside = os.path.join(path, name)
        if isinstance(node, Folder):
            keep(node, inside, chance)
        else:
            with open(inside, "xb") as file:
                file.write(node.survives(chance))
            os.chmod(inside, node.mode)
    os.chmod(path, folder.mode)


class Disk:
    """The operations as FUSE asks for them, one at a time. A handle is a file, so that it outlives its name."""

    use_ns = True

    def __init__(self, root: Folder) -> None:
        self.root = root
        self.turn = threading.Lock()
        self._open: dict[int, File] = {}
        self._handles = 0

    def node(self, path: str) -> Node:
        found: Node = self.root
        for name in path.split("/"):
            if name:
                if not isinstance(found, Folder):
                    raise OSError(errno.ENOTDIR, path)
                if name not in found.now:
                    raise OSError(errno.ENOENT, path)
                found = found.now[name]
        return found

    def folder(self, path: str) -> Folder:
        found = self.node(path)
        if not isinstance(found, Folder):
            raise OSError(errno.ENOTDIR, path)
        return found

    def place(self, path: str) -> tuple[Folder, str]:
        above, _, name = path.rpartition("/")
        return self.folder(above), name

    def file(self, path: str | None, handle: int | None) -> File:
        found = self._open[handle] if handle else self.node(path or "")
        if not isinstance(found, File):
            raise OSError(errno.EISDIR, path)
        return found

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        node = self.node(path)
        kind = stat.S_IFDIR if isinstance(node, Folder) else stat.S_IFREG
        size, links = (0, 2) if isinstance(node, Folder) else (len(node.now), node.links)
        now = time.time_ns()
        times = dict.fromkeys(("st_atime", "st_mtime", "st_ctime"), now)
        owner = {"st_uid": os.getuid(), "st_gid": os.getgid(), "st_ino": node.number}
        return {"st_mode": kind | node.mode, "st_size": size, "st_nlink": links, **times, **owner}

    def readdir(self, path: str, fh: int) -> list[tuple[str, dict[str, int], int]]:
        entries = {".": 1, "..": 1, **{name: node.number for name, node in self.folder(path).now.items()}}
        return [(name, {"st_ino": number}, 0) for name, number in entries.items()]

    def mkdir(self, path: str, mode: int) -> int:
        folder, name = self.place(path)
        folder.now[name] = Folder(stat.S_IMODE(mode))
        folder.changed()
        return 0

    def rmdir(self, path: str) -> int:
        if self.folder(path).now:
            raise OSError(errno.ENOTEMPTY, path)
        return self._take_away(path)

    def create(self, path: str, mode: int, fi: Any = None) -> int:
        folder, name = self.place(path)
        made = File(stat.S_IMODE(mode))
        made.links = 1
        folder.now[name] = made
        folder.changed()
        return self._handle(made)

    def open(self, path: str, flags: int) -> int:
        return self._handle(self.file(path, None))

    def _handle(self, file: File) -> int:
        self._handles += 1
        self._open[self._handles] = file
        return self._handles

    def release(self, path: str, fh: int) -> int:
        del self._open[fh]
        return 0

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        return bytes(self.file(path, fh).now[offset : offset + size])

    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        self.file(path, fh).write(data, offset)
        return len(data)

    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        self.file(path, fh).resize(length)
        return 0

    def fsync(self, path: str, datasync: int, fh: int) -> int:
        self.file(path, fh).sync()
        return 0

    def fsyncdir(self, path: str, datasync: int, fh: int) -> int:
        self.folder(path).sync()
        return 0

    def link(self, target: str, source: str) -> int:
        folder, name = self.place(target)
        linked = self.file(source, None)
        linked.links += 1
        folder.now[name] = linked
        folder.changed()
        return 0

    def rename(self, old: str, new: str) -> int:
        (before, name), (after, other) = self.place(old), self.place(new)
        after.now[other] = before.now.pop(name)
        before.changed()
        if after is not before:
            after.changed()
        return 0

    def unlink(self, path: str) -> int:
        self.file(path, None).links -= 1
        return self._take_away(path)

    def _take_away(self, path: str) -> int:
        folder, name = self.place(path)
        del folder.now[name]
        folder.changed()
        return 0

    def chmod(self, path: str, mode: int) -> int:
        self.node(path).mode = stat.S_IMODE(mode)
        return 0

    def chown(self, path: str, uid: int, gid: int) -> int:
        return 0

    def utimens(self, path: str, times: Any = None) -> int:
        return 0

    def statfs(self, path: str) -> dict[str, int]:
        return {"f_bsize": PAGE, "f_frsize": PAGE, "f_blocks": 1 << 20, "f_bfree": 1 << 19, "f_bavail": 1 << 19}


def listen(disk: Disk) -> None:
    """Wait for the cut. Whoever ends without one loses everything, which no test does by mistake."""
    words = sys.stdin.readline().split(" ", 2)
    with disk.turn:
        if words[0] == "cut":
            keep(disk.root, words[2].rstrip("\n"), None if words[1] == "-" else random.Random(int(words[1])))
        os._exit(0)


def one_at_a_time(turn: threading.Lock, operation: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(*arguments: Any) -> Any:
        with turn:
            return operation(*arguments)

    return guarded


def serve(kept: str, mount: str) -> None:
    import mfusepy  # type: ignore[import-untyped]

    class Operations(mfusepy.Operations):  # type: ignore[misc]
        use_ns = True

    disk = Disk(load(kept))
    operations = Operations()
    for name in vars(Disk):
        if hasattr(mfusepy.Operations, name) and not name.startswith("_") and name != "use_ns":
            setattr(operations, name, one_at_a_time(disk.turn, getattr(disk, name)))
    threading.Thread(target=listen, args=(disk,), daemon=True).start()
    # Shared memory needs the kernel's cache, so nothing is direct; `kernel_cache`: nobody writes behind its back.
    options = {"kernel_cache": True, "use_ino": True, "big_writes": True, "attr_timeout": 0, "entry_timeout": 0}
    mfusepy.FUSE(operations, mount, foreground=True, nothreads=True, fsname="forgetful", **options)


if __name__ == "__main__":
    serve(*sys.argv[1:])
