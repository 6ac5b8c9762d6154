"""Puts the files in place: those whose content is another, each whole, and nothing that others wrote is lost by it."""

from collections.abc import Callable
from itertools import count, islice

from msgspec import Struct

from folkmoot.errors import MootError, Refused
from folkmoot.mirror import names
from folkmoot.mirror.folder import IN_THE_WAY, MANY, Folder, Prepared
from folkmoot.mirror.record import Record, digest
from folkmoot.mirror.scribe import Scribe
from folkmoot.mirror.voice import told

CHUNK = 20_000  # files that are flushed together: each flush is of the whole disk
LARGE = 1_000  # items, from which on the shared state may wait
PUT_OFF = 0.05  # seconds, at most
PATIENCE = 2.0  # seconds that others may take to write a file in place
REJECTED_MAX = 1_000  # files that were set aside; then the oldest go
CANDIDATES = 200  # names by which those may be more before that is looked at again
NOTE = (
    b"These files show a Folkmoot board (see .moot/), and what is written here is taken in.\n"
    b"They can be deleted: they are written anew. docs/how-to/work-with-files.md says how to use them.\n"
)
IGNORED = "".join(f"{rule}\n" for rule in (*names.ignore_rules(""), f"/{names.IGNORE}")).encode()


class Late(Struct, frozen=True):
    """What stood in a place that was just written, and was neither ours nor known."""

    path: str
    data: bytes
    left: str | None = None  # where it still is; removed when it has been taken in


class Writer:
    def __init__(self, folder: Folder, record: Record, scribe: Scribe, now: Callable[[], float]) -> None:
        self._folder = folder
        self._now = now
        self.postponed: dict[str, float] = {}  # what others write just now, and since when we wait for them
        self._record = record
        self._scribe = scribe
        self._expected: dict[str, set[str]] = {}
        self.problems: dict[str, str] = {}  # what could not be written in the last pass, and why
        self.owed_since: float | None = None  # the shared state is to be written, and was put off
        self.held: set[str] = set()  # messages whose files stay where somebody has put them, for now

    def expect(self, path: str, hash: str) -> None:
        """This content was taken in: it may be written over."""
        self._expected.setdefault(path, set()).add(hash)

    # -- the first look

    def check_foreign(self) -> None:
        """What is there and was never ours is not written over."""
        if not self._record.is_new or self._folder.look(names.MARK) is not None:
            return
        there = [path for path in (names.STATE, names.EVENTS) if self._folder.look(path) is not None]
        for folder in (names.KANBAN, names.QUESTS, names.ARCHIVE):
            there += [f"{folder}/{name}" for name in islice(self._folder.listing(folder), 1)]
        there += [path for path in self._scribe.picture.artifacts if self._folder.look(path) is not None][:1]
        if there:
            words = "{folder} has {path}, which this board has not written"
            hint = "move it away, or name another folder: <mirror dir>"
            raise Refused("not_a_mirror", words, hint, self._folder.root, there[0])

    def write_own_notes(self, tell: Callable[[str], None]) -> None:
        """Git passes the files over, unless the user has put it otherwise; and it is said what they are."""
        theirs = self._folder.read(names.IGNORE) if self._folder.look(names.MARK) is None else None
        if theirs is not None and theirs.data != IGNORED:
            rules = " ".join(names.ignore_rules(""))
            tell(f"{self._folder.root}/{names.IGNORE} is yours: so that git passes these files over, add {rules}")
        for name, data in ((names.MARK, NOTE), (names.IGNORE, IGNORED)):
            if self._folder.look(name) is None:
                self._folder.write(name, data)

    def make(self, folder: str) -> None:
        try:
            self._folder.make(folder)
        except OSError as error:
            if error.errno not in IN_THE_WAY:
                raise

    def has_same_history(self) -> bool:
        """Is the log still the one that was written? A board that was restored may have gone another way since."""
        archives = [path for path in self._record.files if path.startswith(f"{names.ARCHIVE}/")]
        if not archives:
            return True
        last = self._folder.read(max(archives))
        wanted = self._scribe.content(max(archives))
        return wanted is not None and last is not None and last.data == wanted

    def forget_archives(self) -> None:
        for path in [path for path in self._record.files if path.startswith(f"{names.ARCHIVE}/")]:
            self._record.files[path].seen = None

    # -- whose file it is

    def is_moved(self, path: str, data: bytes) -> bool:
        """Is it a file of ours that we had moved to where it belongs, and not written anew yet?"""
        message = self._message(path)
        if message is None or self._scribe.content(path) is None:
            return False
        return any(self._record.is_own(other, data) for other in _places(message))

    def home_of(self, path: str) -> str | None:
        """Where a file of this name belongs, if there is one."""
        message = self._scribe.picture.messages.get(self._message(path) or "")
        return names.handoff_path(message.id, message.status) if message is not None else None

    def _message(self, path: str) -> str | None:
        found = names.HANDOFF.fullmatch(path.rpartition("/")[2]) if path.startswith(f"{names.HANDOFFS}/") else None
        return found.group(1) if found else None

    def is_users(self, path: str) -> bool:
        """Is it beside an artifact in the project itself, and no file of ours? A run says by a word which artifacts
        there are, so it may be anybody's: it stays, unless what it says was taken in."""
        if self._folder.name or not path.endswith(names.META) or path in self._record.files or path in self._expected:
            return False
        return self._folder.look(path) is not None

    def is_known(self, path: str, data: bytes) -> bool:
        hash, message = digest(data), self._message(path)
        places = _places(message) if message is not None else [path]
        own = any(self._record.is_own(place, data) for place in places)
        return own or any(hash in self._expected.get(place, ()) for place in places)

    # -- writing

    def write(self, *, puts_off: bool = False) -> list[Late]:
        """All that has changed. Gives what others had written there in the moment before.

        The state names everything, and is large on a large board: nothing else waits for it. With `puts_off` it may
        wait itself, for a moment: in a burst of commits the other files of the next come first.
        """
        touched, self._scribe.touched = self._scribe.touched | {*self.problems, *self.postponed}, set()
        self.problems.clear()
        late = self._write_all(touched - {names.STATE})
        is_owed = self.owed_since is not None or names.STATE in touched
        if is_owed and puts_off and self._may_wait():
            self.owed_since = self._now() if self.owed_since is None else self.owed_since
        elif is_owed:
            self.owed_since = None
            late += self._write_all({names.STATE})
        self._expected.clear()
        return late

    def owes(self) -> bool:
        """Is something still to be written? A mirror after a kill writes only what happened since the last one."""
        return self.owed_since is not None or bool(self.postponed)

    def _may_wait(self) -> bool:
        if len(self._scribe.picture.items) < LARGE:
            return False
        return self.owed_since is None or self._now() - self.owed_since < PUT_OFF

    def _write_all(self, touched: set[str]) -> list[Late]:
        late: list[Late] = []
        wanted: list[tuple[str, bytes]] = []
        for path in sorted(touched):
            if self._is_kept(path) or (self._message(path) or "") in self.held:
                continue
            data = self._scribe.content(path)
            if data is None:
                late += self._clear(path)
            elif self.is_users(path):
                self.problems[path] = f"{self._folder.root}/{path} is left as it is: this board has not written it"
            elif not self._is_there(path, data) and not self._waits_for_others(path):
                wanted.append((path, data))
        for start in range(0, len(wanted), CHUNK):
            late += self._write_some(wanted[start : start + CHUNK])
        return late

    def _waits_for_others(self, path: str) -> bool:
        """Whoever writes a file in place would write into one that nobody sees any more. So it has a moment."""
        since = self.postponed.get(path)
        if path not in self._record.files or not self._folder.is_written(path):
            self.postponed.pop(path, None)
            return False
        if since is not None and self._now() - since > PATIENCE:
            return False
        self.postponed.setdefault(path, self._now())
        return True

    def _is_kept(self, path: str) -> bool:
        """A full part of the log never changes."""
        known = self._record.files.get(path) if path.startswith(f"{names.ARCHIVE}/") else None
        return known is not None and known.seen is not None and self._folder.look(path) == known.seen

    def _is_there(self, path: str, data: bytes) -> bool:
        known = self._record.files.get(path)
        same = known is not None and known.seen is not None and self._record.last(path) == digest(data)
        return same and known is not None and self._folder.look(path) == known.seen

    def _clear(self, path: str) -> list[Late]:
        """There shall be no file of this name: a handoff goes where it belongs, and is never in two places."""
        there = self._folder.read(path)
        data = there.data if there is not None else None
        own = data is not None and self.is_known(path, data)
        known = path in self._record.files
        if known:
            self._record.removed(path)
        if data is None or not (known or own):
            return []
        home = self.home_of(path)
        if home is not None and self._folder.move(path, home):
            self.expect(home, digest(data))
            return [] if own else [Late(home, data)]
        self._folder.remove(path)
        return [] if own else [Late(path, data)]

    def _write_some(self, wanted: list[tuple[str, bytes]]) -> list[Late]:
        if not wanted:
            return []
        known = {path: self._record.files[path].seen for path, _ in wanted if path in self._record.files}
        for path, data in wanted:
            self._record.announce(path, digest(data))
        self._record.flush()
        many = len(wanted) > MANY
        prepared = [(one, data) for path, data in wanted if (one := self._prepared(path, data, not many)) is not None]
        if many:
            self._folder.flush()
        late: list[Late] = []
        for one, data in prepared:
            try:
                placed = self._folder.place(one, over=self._is_handed_on(one.path), known=known.get(one.path))
            except FileNotFoundError:
                continue  # somebody has just moved it on: that is looked at in the next pass
            self._record.wrote(one.path, placed.seen)
            before = placed.before
            if before is not None and before != data and not self.is_known(one.path, before):
                late.append(Late(one.path, before, placed.left))
            elif placed.left is not None:
                self._folder.remove(placed.left)
        self._folder.flush_names([one.path for one, _ in prepared])
        self._record.flush(durable=False)
        return late

    def _is_handed_on(self, path: str) -> bool:
        """Is the handoff in some folder already? Then it is written over where it lies, and nowhere a second time.

        Looked for in the order in which it is moved on, so that one which is being moved is not missed.
        """
        message = self._message(path)
        return message is not None and any(self._folder.look(place) is not None for place in _places(message))

    def _prepared(self, path: str, data: bytes, flush: bool) -> Prepared | None:
        """None: a link, or a file, stands where a folder should be. The other files are written all the same."""
        try:
            return self._folder.prepare(path, data, flush=flush)
        except OSError as error:
            if error.errno not in IN_THE_WAY:
                raise
            self.problems[path] = f"{self._folder.root}/{path} cannot be written: {error.strerror}"
            return None


def _places(message: str) -> list[str]:
    return [f"{names.HANDOFFS}/{status}/handoff-{message}.json" for status in names.STATUSES]


# -- what cannot be taken in


class Aside:
    """The folder of what could not be taken in. It is listed once for each pass, not once for each file."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._there: set[str] | None = None

    def forget(self) -> None:
        """Others may remove what is there, or put something there: look again the next time."""
        self._there = None

    def put(self, name: str, data: bytes, error: MootError) -> None:
        """A copy with the reason beside it; both are on the disk then, since the file itself may go."""
        kept = f"{names.REJECTED}/{self._free_name(name)}"
        self._folder.write_together({f"{kept}.why.txt": told(error).encode("utf-8", "replace"), kept: data})

    def put_note(self, name: str, words: str) -> None:
        """What is told of a file that was taken in: it stands where its agent looks for what went otherwise."""
        self._folder.write(f"{names.REJECTED}/{self._free_name(name)}.why.txt", f"{words}\n".encode("utf-8", "replace"))

    def put_entry(self, path: str, why: str) -> None:
        """What is no plain file is moved as it is: it is not opened, and what a link leads to is not touched."""
        kept = f"{names.REJECTED}/{self._free_name(path.rpartition('/')[2])}"
        self._folder.write(f"{kept}.why.txt", f"{why}\n".encode("utf-8", "replace"))
        self._folder.move(path, kept)

    def _free_name(self, name: str) -> str:
        there = self._listed()
        name = name.lstrip(".")[:120] or "file"
        names_of = (f"{number}-{name}" if number > 1 else name for number in count(1))
        free = next(one for one in names_of if one not in there and f"{one}.why.txt" not in there)
        there |= {free, f"{free}.why.txt"}
        return free

    def _listed(self) -> set[str]:
        if self._there is not None and len(self._there) <= 2 * REJECTED_MAX + CANDIDATES:
            return self._there
        self._folder.make(names.REJECTED)
        listed = self._folder.listing(names.REJECTED)
        oldest = sorted((seen.mtime_ns, one) for one, seen in listed.items())
        gone = {one for _, one in oldest[: max(0, len(oldest) - 2 * REJECTED_MAX)]}
        for one in gone:
            self._folder.remove(f"{names.REJECTED}/{one}")
        self._there = set(listed) - gone
        return self._there
