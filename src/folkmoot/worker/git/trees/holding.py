"""Git's own lock on a work tree of the user's, while a branch moves that is checked out there.

The lock file is the new index itself, whole before it has that name: a second name for a file of ours beside it. So the
lock is taken in one step, and it is known for ours as long as both names lead to one file: a lock that a git of the
user's has taken is another file, and is never touched. A note in the engine's repository says that a move is at work,
since a worker that is killed leaves the lock: whoever comes next finishes what it began, and others can say why git
waits.
"""

import contextlib
import filecmp
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from folkmoot.core.decoding import reader
from folkmoot.worker.removing import is_left, maker

MOVING = "moving"  # in the engine's repository: a note for each work tree that is being brought along
OURS = "moot-index-"
NOTE_MAX = 100_000

Seen = tuple[int, ...] | None


class Note(Struct, frozen=True):
    """A work tree that is being brought from one commit to another, and the file that is its lock.

    The project may be moved or copied after its process died: where the tree is now is found by the lock, among the
    trees of the repository, and what is written here of places is not followed.
    """

    branch: str
    old: str | None
    new: str
    path: str
    git_dir: str
    ours: str
    file: str = ""

    @property
    def lock(self) -> str:
        return os.path.join(self.git_dir, "index.lock")

    @property
    def is_locked(self) -> bool:
        """Is the lock there, and is it ours?"""
        return _is_one(self.ours, self.lock)

    @property
    def is_left(self) -> bool:
        board = os.path.dirname(os.path.dirname(os.path.dirname(self.file)))
        return is_left(self.file, "", None, board)


class Lock:
    """The lock on the index of one work tree. `seen` is how the index was when somebody looked at it."""

    def __init__(self, home: str, note: Note, seen: Seen) -> None:
        self._home = home
        self._index = os.path.join(note.git_dir, "index")
        self._seen = seen
        self._maker = maker(os.path.dirname(home))
        handle, ours = tempfile.mkstemp(prefix=f"{OURS}{self._maker}-", dir=note.git_dir)
        os.close(handle)
        if os.path.exists(self._index):
            shutil.copy2(self._index, ours)  # with its time, by which git knows which files may have changed since
        else:
            os.unlink(ours)  # git makes it: an empty file is no index
        self.note = msgspec.structs.replace(note, ours=ours)
        self._file = ""

    @property
    def ours(self) -> str:
        return self.note.ours

    def write_down(self) -> None:
        """Before it is taken: whoever finds a lock that nobody holds any more finds also what it was for."""
        if self._seen is not None:
            os.chmod(self.ours, stat.S_IMODE(os.stat(self._index).st_mode))
        folder = os.path.join(self._home, MOVING)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle, aside = tempfile.mkstemp(prefix=".", dir=folder)
        with open(handle, "wb") as out:
            out.write(msgspec.json.encode(self.note))
            out.flush()
            os.fsync(out.fileno())
        self._file = os.path.join(folder, f"{self._maker}-{os.path.basename(aside)[1:]}")
        os.rename(aside, self._file)

    def take(self) -> bool:
        """False where a git of the user's has it, or has changed the index since it was looked at."""
        try:
            os.link(self.ours, self.note.lock)
        except FileExistsError:
            return False
        if seen(self._index) == self._seen:
            return True
        self.drop()
        return False

    def finish(self) -> None:
        """The lock becomes the index."""
        settle(msgspec.structs.replace(self.note, file=self._file), forward=True)

    def drop(self) -> None:
        """Let the index be as it is."""
        settle(msgspec.structs.replace(self.note, file=self._file), forward=False)


def seen(index: str) -> Seen:
    """What differs as soon as anybody has written an index; None where there is none."""
    try:
        there = os.stat(index)
    except FileNotFoundError:
        return None
    return (there.st_dev, there.st_ino, there.st_size, there.st_mtime_ns, there.st_ctime_ns)


def settle(note: Note, *, forward: bool) -> bool:
    """Make the lock the index, or take it away, if it is there and ours; then forget it. Gives whether it was."""
    was_locked = note.is_locked
    if was_locked and forward:
        os.rename(note.lock, os.path.join(note.git_dir, "index"))
    elif was_locked:
        os.unlink(note.lock)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(note.ours)
    if note.file:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(note.file)
    return was_locked


def notes(home: str, trees: Iterable[tuple[str, str]]) -> list[Note]:
    """What is being brought along, or was when somebody died over it, in trees of the repository: each with its folder
    and its git folder. One whose tree is none of them, or whose lock is gone, is forgotten."""
    found = []
    own = list(trees)
    for note in _written(home):
        name = os.path.basename(note.ours)
        there = [tree for tree in own if os.path.lexists(os.path.join(tree[1], name))]
        if there:
            path, git_dir = there[0]
            ours = os.path.join(git_dir, name)
            found.append(msgspec.structs.replace(note, path=path, git_dir=git_dir, ours=ours))
        elif note.is_left:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(note.file)
    return found


def _written(home: str) -> list[Note]:
    folder = os.path.join(home, MOVING)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = []
    for name in names:
        file = os.path.join(folder, name)
        try:
            with open(file, "rb") as text:
                note = reader(Note)(text.read(NOTE_MAX))
        except (OSError, msgspec.DecodeError, msgspec.ValidationError):
            continue
        if not name.startswith("."):
            found.append(msgspec.structs.replace(note, file=file))
    return found


def told(home: str, trees: Iterable[tuple[str, str]]) -> list[str]:
    """Moves that died half-way, in words for the user."""
    words = []
    for note in notes(home, trees):
        if note.is_left and note.is_locked:
            so = f"a landing on {note.branch} was killed before the files in {note.path} came along"
            words.append(f"{so}; git is locked there ({note.lock}) until `moot run` or the next change to the board")
    return words


def _is_one(one: str, other: str) -> bool:
    """One file with two names; or two that are the same to the last byte, where the project was copied. Git writes
    times into its index, so no lock of the user's is that."""
    try:
        here, there = os.lstat(one), os.lstat(other)
        if os.path.samestat(here, there):
            return True
        plain = stat.S_ISREG(here.st_mode) and stat.S_ISREG(there.st_mode)
        return plain and here.st_nlink == there.st_nlink == 1 and filecmp.cmp(one, other, shallow=False)
    except OSError:
        return False
