"""Copying what git does not track, between a clone and where it is kept: never through a link, never over a file.

Nothing is shared by a hard link: an agent that writes its copy would write everybody's. Where the file system can, the
copy shares its blocks until one of the two is written (a reflink).
"""

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

from folkmoot.errors import Unavailable
from folkmoot.worker.git.looking import found_at

FICLONE = 0x40049409  # the kernel's number for "share the blocks of that file"
NO_REFLINK = (errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.ENOSYS)
WHOLE = 8 << 20  # a file up to this size is read at once
PERMISSIONS = 0o777  # no copy has rights of its own (setuid)
Saw = Callable[[str, int], None]


class NotKept(Unavailable):
    """It cannot be kept, or not wholly: then it is made anew for each run."""


class Copier:
    """Copies trees. `words` are byte strings that become others of the same length: the path of a clone, which tools
    write into what they install. `known` are the files that hold one; None: all are looked through."""

    def __init__(
        self,
        words: Mapping[bytes, bytes],
        saw: Saw = lambda path, size: None,
        known: Collection[str] | None = None,
    ) -> None:
        self._words = words
        self._saw = saw
        self._known = known
        self.found: list[str] = []  # files that hold one of the words
        self._reflinks = True

    def copy(self, source: str, target: str, name: str, skip: frozenset[str] = frozenset()) -> None:
        """The file or folder `name` of a tree, to the same place of another. What is there stays; folders are filled.
        Where a link or a file stands in the way to it, it is left out."""
        if not _way(target, os.path.dirname(name)):
            return
        closed: list[tuple[str, int]] = []
        waiting = [name]
        while waiting:
            path = waiting.pop()
            if path in skip:
                continue
            there = os.lstat(os.path.join(source, path))
            self._saw(path, there.st_size)
            if stat.S_ISDIR(there.st_mode):
                if not _way(target, path):
                    continue
                closed.append((path, there.st_mode & PERMISSIONS))
                waiting += [os.path.join(path, entry) for entry in os.listdir(os.path.join(source, path))]
            elif found_at(os.fsencode(os.path.join(target, path))) is None:
                self._one(source, target, path, there)
        for path, mode in reversed(closed):  # last: a folder may be closed to its own owner
            with suppress(FileNotFoundError):
                os.chmod(os.path.join(target, path), mode)

    def _one(self, source: str, target: str, path: str, there: os.stat_result) -> None:
        old, new = os.path.join(source, path), os.path.join(target, path)
        if stat.S_ISLNK(there.st_mode):
            os.symlink(os.fsdecode(self._said(os.fsencode(os.readlink(old)))), new)
        elif stat.S_ISREG(there.st_mode):
            self._file(old, new, path, there)
        else:
            raise NotKept("setup_not_kept", "{path} is neither a file nor a folder nor a link", "", path)

    def _file(self, old: str, new: str, path: str, there: os.stat_result) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with (
            open(os.open(old, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb", buffering=0) as source,
            open(os.open(new, flags, 0o600), "wb", buffering=0) as target,
        ):
            if self._holds(path, source.fileno()):
                data = _read(source.fileno())
                _write(target.fileno(), self._said(data))
            elif not self._shared(source.fileno(), target.fileno()):
                os.lseek(source.fileno(), 0, os.SEEK_SET)
                while data := os.read(source.fileno(), WHOLE):
                    _write(target.fileno(), data)
            os.fchmod(target.fileno(), there.st_mode & PERMISSIONS)
            os.utime(target.fileno(), ns=(there.st_atime_ns, there.st_mtime_ns))

    def _holds(self, path: str, file: int) -> bool:
        if not self._words or self._known is not None:
            return path in (self._known or ())
        overlap = max(map(len, self._words))
        last = b""
        os.lseek(file, 0, os.SEEK_SET)
        while data := os.read(file, WHOLE):
            if any(word in last + data for word in self._words):
                self.found.append(path)
                return True
            last = data[-overlap:]
        return False

    def _said(self, data: bytes) -> bytes:
        for word, instead in self._words.items():
            data = data.replace(word, instead)
        return data

    def _shared(self, source: int, target: int) -> bool:
        if self._reflinks:
            try:
                fcntl.ioctl(target, FICLONE, source)
                return True
            except OSError as error:
                if error.errno not in NO_REFLINK:
                    raise
                self._reflinks = False
        return False


def _way(top: str, folder: str) -> bool:
    """Make the folders to a place where they are missing; False where something else stands there."""
    at = top
    for step in folder.split(os.sep) if folder else []:
        at = os.path.join(at, step)
        there = found_at(os.fsencode(at))
        if there is None:
            os.mkdir(at, 0o700)
        elif not stat.S_ISDIR(there.st_mode):
            return False
    return True


def _read(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    parts = []
    while data := os.read(file, WHOLE):
        parts.append(data)
    return b"".join(parts)


def _write(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
