"""What setups left, on the disk of the board, each under a key of all that it depends on.

Who may make one and who gets it is decided by the key: what an agent wrote, and nobody has proved, is kept under a key
of that very work. No process of a run comes here; every run gets a copy.
"""

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct, field

from folkmoot.core.decoding import reader
from folkmoot.errors import Unavailable
from folkmoot.worker.ports import Bounds
from folkmoot.worker.removing import maker, remove_tree
from folkmoot.worker.setups.copying import Copier, NotKept

SETUPS = "setups"
FILES, ABOUT, LOCKS = "files", "about.json", ".locks"
KEPT_MAX = 8
BYTES_MAX = 10 << 30  # of all that is kept
ONE_FILES_MAX, ONE_BYTES_MAX = 500_000, 4 << 30
FREE_MIN = 1 << 30  # so much of the disk is left to others
LOOK_EVERY = 1_000
# Programs that installers use without being named in a command: another version of one may leave other files.
TOOLS = ("python3", "python", "node", "npm", "ruby", "go", "cargo", "java", "php", "cc")
VERSION = 1


class About(Struct, frozen=True, kw_only=True):
    workspaces: list[bytes]  # by which paths the clone was known in which it was made
    holding: list[bytes] = field(default_factory=list)  # files that hold such a path
    entries: list[bytes] = field(default_factory=list)
    files: int = 0
    size: int = 0


def key_of(depends: Mapping[str, Any]) -> str:
    return sha256(msgspec.json.encode([VERSION, *sorted(depends.items())])).hexdigest()[:40]


def tools_of(commands: Sequence[list[str]], find: Callable[[str], str | None]) -> list[tuple[str, str, int, int]]:
    """Which programs there are now, as far as can be told without starting one."""
    found = []
    for name in sorted({*TOOLS, *(command[0] for command in commands if "/" not in command[0])}):
        path = find(name)
        with suppress(OSError):
            if path is not None:
                there = os.stat(path)
                found.append((name, os.path.realpath(path), there.st_size, there.st_mtime_ns))
    return found


class KeptSetups:
    def __init__(self, home: str) -> None:
        self._home = home
        self._folder = os.path.join(home, SETUPS)

    @contextmanager
    def making(self, key: str, wait: Callable[[], None]) -> Iterator[None]:
        """One at a time makes what is kept under a key. The others `wait` for it, which may raise."""
        locks = os.path.join(self._folder, LOCKS)
        os.makedirs(locks, mode=0o700, exist_ok=True)
        with (
            suppress(FileExistsError),
            open(os.path.join(self._folder, ".gitignore"), "x", encoding="ascii") as ignored,
        ):
            ignored.write("*\n")  # beside a board of an older version, which does not name the folder
        lock = os.open(os.path.join(locks, key[:2]), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    wait()
            yield
        finally:
            os.close(lock)

    def keep(
        self, key: str, workspace: str, entries: Sequence[str], bounds: Bounds, skip: frozenset[str] = frozenset()
    ) -> None:
        """Keep copies of these files and folders of a clone. Raises NotKept where that cannot be."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        aside = tempfile.mkdtemp(prefix=f".making-{maker(self._home)}-", dir=self._folder)
        files = os.path.join(aside, FILES)
        os.mkdir(files, 0o700)
        entries = [entry for entry in entries if entry not in skip]
        counted = Counted(self._folder, bounds)
        paths = _paths(workspace)
        copier = Copier({path: path for path in paths}, counted)
        try:
            for entry in entries:
                copier.copy(workspace, files, entry, skip)
            about = About(
                workspaces=paths,
                holding=[os.fsencode(path) for path in copier.found],
                entries=[os.fsencode(entry) for entry in entries],
                files=counted.files,
                size=counted.size,
            )
            with open(os.path.join(aside, ABOUT), "wb") as out:
                out.write(msgspec.json.encode(about))
            self._gone(key)
            os.rename(aside, os.path.join(self._folder, key))
        except OSError as error:
            remove_tree(aside)
            raise NotKept("setup_not_kept", "{why}", "", error.strerror or str(error)) from error
        except BaseException:
            remove_tree(aside)
            raise
        self._prune(key)

    def place(self, key: str, workspace: str, bounds: Bounds) -> bool:
        """Put what is kept into a clone, as if setup had run there. False: nothing is kept under this key."""
        folder = os.path.join(self._folder, key)
        try:
            file = open(os.path.join(folder, ABOUT), "rb")  # noqa: SIM115
        except FileNotFoundError:
            return False
        with file:
            fcntl.flock(file, fcntl.LOCK_SH)  # it is not pruned now
            about: About = reader(About)(file.read())
            words = dict(zip(about.workspaces, _paths(workspace), strict=False))
            if any(len(old) != len(new) for old, new in words.items()) or not os.path.isdir(folder):
                return False
            os.utime(file.fileno())  # the one that was not used for longest goes first
            try:
                self._copy(about, os.path.join(folder, FILES), workspace, words, bounds)
                return True
            except OSError as error:
                why = f"{error.strerror}: {error.filename}" if error.filename else str(error)
        self._gone(key)
        raise Unavailable("setup_failed", "what an earlier setup left cannot be put into the clone: {why}", "", why)

    @staticmethod
    def _copy(about: About, source: str, workspace: str, words: Mapping[bytes, bytes], bounds: Bounds) -> None:
        def saw(path: str, size: int) -> None:
            bounds.left()

        copier = Copier(words, saw, frozenset(os.fsdecode(path) for path in about.holding))
        for entry in about.entries:
            copier.copy(source, workspace, os.fsdecode(entry))

    def _prune(self, newest: str) -> None:
        kept: list[tuple[float, str, int]] = []
        for name in os.listdir(self._folder):
            about = os.path.join(self._folder, name, ABOUT)
            with suppress(OSError, msgspec.DecodeError), open(about, "rb") as file:
                if not name.startswith("."):
                    size = reader(About)(file.read()).size
                    kept.append((os.stat(about).st_mtime, name, size))
        kept.sort(reverse=True)
        total = 0
        for number, (_, name, size) in enumerate(kept):
            total += size
            if name != newest and (number >= KEPT_MAX or total > BYTES_MAX):
                self._gone(name)

    def _gone(self, key: str) -> None:
        """Take one away, unless somebody copies from it at this moment."""
        folder = os.path.join(self._folder, key)
        with suppress(FileNotFoundError, BlockingIOError), open(os.path.join(folder, ABOUT), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            aside = tempfile.mkdtemp(prefix=f".gone-{maker(self._home)}-", dir=self._folder)
            os.rename(folder, os.path.join(aside, "it"))
            remove_tree(aside)


class Counted:
    """Sees each file that is copied, and ends it where that is too much."""

    def __init__(self, folder: str, bounds: Bounds) -> None:
        self._folder = folder
        self._bounds = bounds
        self.files = 0
        self.size = 0

    def __call__(self, path: str, size: int) -> None:
        self._bounds.left()
        self.files += 1
        self.size += size
        if self.files > ONE_FILES_MAX or self.size > ONE_BYTES_MAX:
            most = f"{ONE_FILES_MAX:,} files and {ONE_BYTES_MAX >> 30} GB"
            raise NotKept("setup_not_kept", "it is more than {most}", "", most)
        if self.files % LOOK_EVERY == 1:
            disk = os.statvfs(self._folder)
            if disk.f_bavail * disk.f_frsize < FREE_MIN + size:
                raise NotKept("setup_not_kept", "the disk is nearly full", "")


def _paths(workspace: str) -> list[bytes]:
    """The path of a clone as tools write it down: as it is named, and as it really is."""
    return list(dict.fromkeys(os.fsencode(path) for path in (workspace, os.path.realpath(workspace))))
