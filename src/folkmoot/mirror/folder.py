"""The mirror's folder: every step of a path is opened by itself, no link is followed, and files change as a whole."""

import ctypes
import errno
import fcntl
import os
import signal
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from msgspec import Struct

from folkmoot.mirror.names import BEGINS, ENDS

BYTES_MAX = 4_000_000  # a larger file is nobody's message
ENTRIES_MAX = 200_000
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NOREPLACE, EXCHANGE = 1, 2
IN_THE_WAY = (errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY)
NAME_BYTES_MAX = 255
MANY = 24  # from so many files on they are flushed together
_libc = ctypes.CDLL(None, use_errno=True)


class Seen(Struct, frozen=True):
    """A file as it is listed. Two that are equal are taken for the same content."""

    size: int
    mtime_ns: int
    inode: int
    regular: bool = True


class Found(Struct, frozen=True):
    """What a file holds; None: it is nothing that is read, and `why` says so."""

    data: bytes | None
    seen: Seen
    why: str = ""
    is_open: bool = False  # somebody has it open for writing


class Prepared(Struct, frozen=True):
    path: str
    temporary: str


class Placed(Struct, frozen=True):
    """How a file is listed that was put in place; what stood there before, and under which name it is left."""

    seen: Seen
    before: bytes | None = None
    left: str | None = None


class Folder:
    """`base` is trusted as it is; from there on, through `below` to the files, no step may be a link.

    All paths are from `below` on, with slashes.
    """

    def __init__(self, base: str, below: str = "") -> None:
        self._base = base
        self._below = [part for part in below.split("/") if part not in ("", ".")]
        self.root = os.path.join(base, *self._below)
        self.name = "/".join(self._below)  # empty: the project itself
        self._fds: dict[str, int] = {}
        self._temporary = 0
        self._moved: set[str] = set()  # folders in which a name has changed, and may not be on the disk yet

    @contextmanager
    def opened(self) -> Iterator["Folder"]:
        """For one pass: the folders on the way are opened once, and looked for anew the next time."""
        try:
            self._root()
            yield self
        finally:
            self._moved.clear()
            for fd in self._fds.values():
                os.close(fd)
            self._fds.clear()

    def _folder(self, path: str, *, make: bool = False) -> int:
        """The descriptor of a folder below the root; OSError if a step is missing, a link, or no folder."""
        known = self._fds.get(path)
        if known is not None:
            return known
        if not path:
            fd = self._root()
        else:
            above, _, name = path.rpartition("/")
            parent = self._folder(above, make=make)
            try:
                fd = os.open(name, DIRECTORY, dir_fd=parent)
            except FileNotFoundError:
                if not make:
                    raise
                os.mkdir(name, 0o777, dir_fd=parent)
                os.fsync(parent)
                fd = os.open(name, DIRECTORY, dir_fd=parent)
        self._fds[path] = fd
        return fd

    def _root(self) -> int:
        known = self._fds.get("")
        if known is not None:
            return known
        fd = os.open(self._base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        made: list[tuple[int, str]] = []  # so that a way which leads nowhere is not left behind
        with ExitStack() as above:
            try:
                for part in self._below:
                    above.callback(os.close, fd)
                    try:
                        fd = os.open(part, DIRECTORY, dir_fd=fd)
                    except FileNotFoundError:
                        os.mkdir(part, 0o777, dir_fd=fd)
                        made.append((fd, part))
                        fd = os.open(part, DIRECTORY, dir_fd=fd)
            except OSError:
                for parent, name in reversed(made):
                    with suppress(OSError):
                        os.rmdir(name, dir_fd=parent)
                raise
        self._fds[""] = fd
        return fd

    def make(self, path: str) -> None:
        self._folder(path, make=True)

    def listing(self, path: str) -> dict[str, Seen]:
        """The entries of one folder, folders not among them; empty where there is no such folder."""
        try:
            fd = self._folder(path)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            if error.errno == errno.ELOOP:
                return {}
            raise
        found: dict[str, Seen] = {}
        with os.scandir(fd) as entries:
            for entry in entries:
                if len(found) >= ENTRIES_MAX:
                    break
                try:
                    if not entry.is_dir(follow_symlinks=False):
                        found[entry.name] = seen(entry.stat(follow_symlinks=False))
                except FileNotFoundError:
                    continue  # it went away while we looked
        return found

    def folders(self, path: str) -> list[str]:
        """The names of the folders in one; links are none, and hidden ones are left out."""
        try:
            with os.scandir(self._folder(path)) as entries:
                found = (entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
                return sorted(name for name in found if not name.startswith("."))
        except OSError:
            return []

    def look(self, path: str) -> Seen | None:
        folder, _, name = path.rpartition("/")
        try:
            return seen(os.stat(name, dir_fd=self._folder(folder), follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                return None
            raise

    def changed_at(self, path: str) -> int:
        """When it came to be as and where it is: a file that is moved keeps the time at which it was written."""
        folder, _, name = path.rpartition("/")
        try:
            there = os.stat(name, dir_fd=self._folder(folder), follow_symlinks=False)
        except OSError:
            return 0  # gone meanwhile: whoever reads it finds nothing
        return max(there.st_ctime_ns, there.st_mtime_ns)

    def read(self, path: str) -> Found | None:
        """The file, if it is a plain one with an end; None if there is none."""
        folder, _, name = path.rpartition("/")
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=self._folder(folder))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            there = self.look(path)
            if there is None:
                return None
            why = "it is a link, and links are not followed" if error.errno == errno.ELOOP else error.strerror or ""
            return Found(None, there, f"it cannot be read: {why}")
        try:
            return _content(fd)
        finally:
            os.close(fd)

    def write(self, path: str, data: bytes) -> None:
        """Put a file in place, whole or not at all, whatever stands there."""
        self.write_together({path: data})

    def write_together(self, files: dict[str, bytes]) -> None:
        """Each whole or not at all, in this order; on the disk when all are there."""
        for prepared in [self.prepare(path, data) for path, data in files.items()]:
            placed = self.place(prepared)
            if placed.left is not None:
                self.remove(placed.left)
        self.flush_names(list(files))

    def is_written(self, path: str) -> bool:
        """Has somebody the file open for writing?"""
        folder, _, name = path.rpartition("/")
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=self._folder(folder))
        except OSError:
            return False
        try:
            return _is_written(fd)
        finally:
            os.close(fd)

    def prepare(self, path: str, data: bytes, *, flush: bool = True) -> "Prepared":
        """Write the content beside its place, where nobody looks."""
        folder, _, name = path.rpartition("/")
        return Prepared(path, self._write_beside(self._folder(folder, make=True), name, data, flush))

    def place(self, prepared: "Prepared", *, over: bool = False, known: Seen | None = None) -> "Placed":
        """With `over` only where there is a file of that name; FileNotFoundError if it has gone.

        What stood there before is in our hands then, under the other name: nobody's words are lost between a look and a
        write. Whoever has seen to it removes it. What is still as it was last seen (`known`) is not read again.
        """
        folder, _, name = prepared.path.rpartition("/")
        fd, temporary = self._folder(folder), prepared.temporary
        try:
            there = seen(os.stat(temporary, dir_fd=fd, follow_symlinks=False))
            if not over and _rename(fd, temporary, fd, name, NOREPLACE):
                return Placed(there)
            _rename(fd, temporary, fd, name, EXCHANGE)
        except BaseException:
            _unlink(fd, temporary)
            raise
        left = f"{folder}/{temporary}" if folder else temporary
        if known is not None and self.look(left) == known:
            return Placed(there, None, left)
        found = self.read(left)
        return Placed(there, found.data if found is not None else None, left)

    def _write_beside(self, fd: int, name: str, data: bytes, flush: bool) -> str:
        self._temporary += 1
        temporary = f"{BEGINS}{self._temporary}-{name}{ENDS}"
        if len(os.fsencode(temporary)) > NAME_BYTES_MAX:
            temporary = f"{BEGINS}{self._temporary}-{ENDS}"
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=fd)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(file, left) :]
            if flush:
                os.fsync(file)
        except BaseException:
            _unlink(fd, temporary)
            raise
        finally:
            os.close(file)
        return temporary

    def move(self, path: str, to: str, *, flush: bool = False) -> bool:
        """Rename inside the folder, replacing nothing. False: it is gone, or something is there already.

        Without `flush` the new name is on the disk after `flush_moves`.
        """
        folder, _, name = path.rpartition("/")
        above, _, new = to.rpartition("/")
        source, target = self._folder(folder), self._folder(above, make=True)
        try:
            done = _rename(source, name, target, new, NOREPLACE)
        except FileNotFoundError:
            return False
        if done:
            self._moved |= {folder, above}
        if done and flush:
            self.flush_moves()
        return done

    def flush_moves(self) -> None:
        moved, self._moved = self._moved, set()
        for folder in moved:
            os.fsync(self._folder(folder))

    def remove(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        try:
            fd = self._folder(folder)
        except FileNotFoundError:
            return
        _unlink(fd, name)

    def flush(self) -> None:
        """All that was written in this pass, together."""
        if self._fds and _libc.syncfs(self._folder("")) != 0:
            os.sync()

    def flush_names(self, paths: list[str]) -> None:
        """The names of these files."""
        folders = {path.rpartition("/")[0] for path in paths}
        self._moved -= folders
        for folder in folders:
            os.fsync(self._folder(folder))


def target_of(name: str) -> str | None:
    """The name of the file for which this one was written beside it; None if it is none of those."""
    if not (name.startswith(BEGINS) and name.endswith(ENDS)):
        return None
    return name.removeprefix(BEGINS).removesuffix(ENDS).partition("-")[2]


def seen(there: os.stat_result) -> Seen:
    return Seen(there.st_size, there.st_mtime_ns, there.st_ino, stat.S_ISREG(there.st_mode))


def _content(fd: int) -> Found:
    there = os.fstat(fd)
    listed = seen(there)
    if not listed.regular:
        return Found(None, listed, "it is no plain file")
    if there.st_nlink > 1:
        return Found(None, listed, "it has a second name somewhere else")
    if there.st_size > BYTES_MAX:
        return Found(None, listed, f"it has more than {BYTES_MAX} bytes")
    parts = []
    left = BYTES_MAX + 1
    while left > 0:
        part = os.read(fd, min(left, 1 << 20))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return Found(b"".join(parts), seen(os.fstat(fd)), "", _is_written(fd))


def _is_written(fd: int) -> bool:
    """Has anybody this file open for writing? The kernel lends nobody a file that is being written."""
    try:
        # Whoever wants to write it in that instant makes the kernel tell us, by default in a way that ends a process.
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False


def _rename(source: int, name: str, target: int, new: str, how: int) -> bool:
    """False: something is there that must not be replaced."""
    done = _libc.renameat2(source, os.fsencode(name), target, os.fsencode(new), how)
    if done == 0:
        return True
    code = ctypes.get_errno()
    if code == errno.EEXIST:
        return False
    if code == errno.ENOENT:
        raise FileNotFoundError(code, os.strerror(code), name)
    if code in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
        return _renamed_plainly(source, name, target, new, how)
    raise OSError(code, os.strerror(code), new)


def _renamed_plainly(source: int, name: str, target: int, new: str, how: int) -> bool:
    """Where the file system cannot swap two names: the old content is only looked at, a moment before."""
    if how == NOREPLACE:
        try:
            os.link(name, new, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
        except FileExistsError:
            return False
        os.unlink(name, dir_fd=source)
        return True
    kept = f"{name}.old"
    os.link(new, kept, src_dir_fd=target, dst_dir_fd=source, follow_symlinks=False)
    os.rename(name, new, src_dir_fd=source, dst_dir_fd=target)
    os.rename(kept, name, src_dir_fd=source, dst_dir_fd=source)
    return True


def _unlink(fd: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=fd)
    except FileNotFoundError:
        return
