"""Backups of a board, the way back to one, and its log as text."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from typing import BinaryIO

import apsw
from msgspec import Struct
from msgspec.structs import replace

from folkmoot.api.machine import BackedUp, Exported, Imported, Restored
from folkmoot.engine.checking.doctor import examine
from folkmoot.engine.engine import Engine
from folkmoot.engine.reads.views import moment_text
from folkmoot.engine.rebuild import Fold, give_back
from folkmoot.errors import Invalid, Refused, Unavailable
from folkmoot.flows.spans import format_span
from folkmoot.store.codec import Unreadable
from folkmoot.store.lines import read_lines
from folkmoot.store.sqlite import faults
from folkmoot.store.sqlite.backup import backup as backups
from folkmoot.store.sqlite.backup import exclusive, log
from folkmoot.store.sqlite.backup.archive import STORE, Manifest
from folkmoot.store.sqlite.backup.backup import FILES, SET_ASIDE, WORK, look_into, stamp, telling_disk, workspace
from folkmoot.store.sqlite.create import PARTS, give_name, left_behind, sync
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.system.clock import SystemClock, SystemIds
from folkmoot.wiring.files.brought import begin_here, note_brought
from folkmoot.wiring.files.flow_files import FLOW
from folkmoot.wiring.files.locating import FOLDER
from folkmoot.wiring.files.making import IGNORED
from folkmoot.wiring.packing import pack_board, repository_of
from folkmoot.wiring.reading import write_new
from folkmoot.wiring.trust import git_for, made_for_this, make_private
from folkmoot.wiring.users_files import REPOSITORY, BringBack
from folkmoot.worker.git import bundle

BEFORE_RESTORE = "before restore"


def back_up(home: str, file: str | None) -> BackedUp:
    """Keep the board as it is now in one file, while others work on it."""
    with telling_disk(home), workspace(home, "backup") as unfinished:
        copy, seq, chain = backups.proven_copy(os.path.join(home, STORE), unfinished)
        return pack_board(home, file, unfinished, copy, seq, chain, "")


def restore(home: str, file: str | None, at: int | None, ago: float | None = None) -> Restored:
    """Make the board what it was when a backup was made, after an event, or so many seconds ago.

    What is there now is kept.
    """
    path = os.path.join(home, STORE)
    if file is None and at is None and ago is None:
        file = faults.newest_backup(path)
        if file is None:
            words = "there is no backup in {folder}"
            hint = "name a backup, or go back in the board's own log: <restore at>"
            raise Invalid("no_backup", words, hint, os.path.join(home, faults.BACKUPS))
    if file is None and not os.path.exists(path):
        raise Unavailable("no_board", "there is no board in {home} whose log could be read", "name a backup", home)
    made = not os.path.isdir(home)
    os.makedirs(home, mode=0o700, exist_ok=True)
    try:
        with telling_disk(home), workspace(home, "restore") as unfinished, ExitStack() as stack:
            task = _Restore(home, path, unfinished)
            manifest = task.unpack(file) if file is not None else None
            connection = task.take(stack)
            return task.go(connection, file, manifest, at, ago)
    except BaseException:
        if not os.path.lexists(path):
            begin_here(home)
        if made:
            with suppress(OSError):  # not empty: something of the board is there already
                os.rmdir(home)
        raise


class _Restore:
    """One way back: the steps in their order, and what is told of them."""

    def __init__(self, home: str, path: str, unfinished: str) -> None:
        self.home = home
        self.path = path
        self.mark = stamp()
        self.notes: list[str] = []
        self.aside: str | None = None
        self._log_damage: Unavailable | None = None
        self._unfinished = unfinished
        self._old = os.path.join(self._folder("old"), STORE)
        self._backup = self._folder("backup")
        self._new = os.path.join(self._folder("new"), STORE)

    def _folder(self, name: str) -> str:
        folder = os.path.join(self._unfinished, name)
        os.mkdir(folder)
        return folder

    def unpack(self, file: str) -> Manifest:
        return look_into(file, self._backup)

    def take(self, stack: ExitStack) -> apsw.Connection | None:
        """Have the board's file alone; None if there is none, or it is so damaged that it cannot be opened."""
        if not os.path.lexists(self.path):
            return None
        try:
            self._log_damage = exclusive.damage_of_log(self.path)
            if self._log_damage is not None:
                # Before anything else: what SQLite does not read any more is gone when the file is used.
                with exclusive.locked(self.path):
                    exclusive.copy_raw(self.path, self._set_aside())
            return stack.enter_context(exclusive.alone(self.path, proven=self._log_damage is None))
        except Unavailable as fault:
            if not faults.damage_is(fault):
                raise
            stack.enter_context(exclusive.locked(self.path))
            return None

    def go(
        self,
        connection: apsw.Connection | None,
        file: str | None,
        manifest: Manifest | None,
        at: int | None,
        ago: float | None,
    ) -> Restored:
        """Nothing of the board is touched before the new one stands beside it, proven."""
        source = os.path.join(self._backup, STORE) if file is not None else self._old
        if connection is not None:
            self._copy(connection)
        if file is None and not os.path.exists(source):
            raise faults.damaged(self.path, "its log cannot be read")
        shown = self.path if file is None else file
        told = rebuild(source, self._new, at if ago is None else _event_at(source, shown, ago), shown)
        if file is not None and not (os.path.exists(self._old) and log.is_past(source, self._old, told.at)):
            note_brought(self.home)  # before it is there: nobody meets it without
        kept = self._keep() if connection is not None else None
        refs = self._bring_work(manifest)
        self._put(connection)
        missing = self._hold_work(refs, told.heads)
        files = self._bring_files(manifest) if manifest is not None else []
        return Restored(
            board=self.home,
            source=file,
            at=told.at,
            of=told.of,
            seq=told.seq,
            items=told.items,
            ended_runs=told.ended_runs,
            wrong=told.wrong,
            backup=kept,
            set_aside=self.aside,
            files=files,
            missing=missing,
            notes=self.notes,
        )

    def _copy(self, connection: apsw.Connection) -> None:
        """The board as it is. Where it is too damaged even for that, only its bytes can be kept."""
        with suppress(apsw.CorruptError, apsw.NotADBError):
            exclusive.snapshot(connection, self._old)

    def _keep(self) -> str | None:
        """What is there now, so that this can be undone: as a backup, or, if it is damaged, its bytes."""
        if self._log_damage is not None:
            self.notes.append(f"the board was not sound: {self._log_damage}")
            return None  # the bytes are kept; a backup of what can still be read would pass for the whole
        try:
            with log.reading(self._old, self.path) as copy:
                seq, chain = log.prove(copy, self.path)
            kept = pack_board(self.home, None, self._unfinished, self._old, seq, chain, BEFORE_RESTORE)
            self.notes += kept.notes
            path: str = kept.path
            return path
        except Unavailable as fault:
            if not faults.damage_is(fault) and fault.code != "store_missing":
                raise
            self.notes.append(f"the board was not sound: {fault}")
            exclusive.copy_raw(self.path, self._set_aside())
            return None

    def _set_aside(self) -> str:
        if self.aside is None:
            self.aside = os.path.join(self.home, SET_ASIDE, self.mark)
            number = 1
            while os.path.lexists(self.aside):
                number += 1
                self.aside = os.path.join(self.home, SET_ASIDE, f"{self.mark}-{number}")
            os.makedirs(self.aside, mode=0o700)
            ignored = os.path.join(self.home, SET_ASIDE, ".gitignore")
            if not os.path.exists(ignored):
                with open(ignored, "w", encoding="ascii") as file:
                    file.write("*\n")
        return self.aside

    def _bring_work(self, manifest: Manifest | None) -> dict[str, str]:
        """Only objects, which do no harm while nobody names them; gives where the refs were."""
        git, git_dir = git_for(self.home), repository_of(self.home)
        file = os.path.join(self._backup, WORK)
        if manifest is None or manifest.objects is None or not os.path.exists(file):
            return {}
        try:
            if os.path.isdir(git_dir) and not bundle.is_whole(git, git_dir):
                os.rename(git_dir, os.path.join(self._set_aside(), REPOSITORY))
                self.notes.append(f"{git_dir} was no repository: it was set aside")
            return bundle.unpack(git, git_dir, file, manifest.objects, manifest.shallow)
        except Unavailable as fault:
            if fault.code == "repository_in_the_way":
                raise
            self.notes.append(f"the work in git was not brought back: {fault}")
            return {}

    def _hold_work(self, refs: dict[str, str], heads: dict[str, str]) -> list[str]:
        """After the rows, which they follow: a restore that came to no end has moved no ref."""
        if not refs and not heads:
            return []
        try:
            return bundle.hold(git_for(self.home), repository_of(self.home), refs, heads, self.mark)
        except Unavailable as fault:
            self.notes.append(f"the branches of the work were not moved: {fault}")
            return list(heads)

    def _put(self, connection: apsw.Connection | None) -> None:
        if connection is not None:
            try:
                return exclusive.put_in_place(connection, self._new)
            except (apsw.CorruptError, apsw.NotADBError):
                connection.close()  # too much is broken to write into it; its bytes are kept already
        if any(os.path.lexists(self.path + part) for part in PARTS):
            exclusive.move_aside(self.path, self._set_aside())
        exclusive.one_file(self._new)
        give_name(self._new, self.path)
        sync(self.home)

    def _bring_files(self, manifest: Manifest) -> list[str]:
        """The user's files, as they were; what is in their way is moved aside."""
        modes = {member.name.removeprefix(FILES): member.mode for member in manifest.members}
        bring = BringBack(self.home, modes, self._set_aside)
        bring(os.path.join(self._backup, FILES.rstrip("/")))
        self.notes += bring.notes
        return bring.changed


class Rebuilt(Struct, frozen=True, kw_only=True):
    """A board's file as it was made from a log."""

    at: int
    of: str | None
    seq: int
    items: int
    ended_runs: list[str]
    wrong: list[str]
    heads: dict[str, str]


def rebuild(source: str, new: str, at: int | None, shown: str, end_runs: bool = True) -> Rebuilt:
    """A board's file, made from the log of another: the board as it stood after an event."""
    fold = Fold()
    with log.reading(source, shown) as connection:
        seq = log.cut(connection, at)
        log.copy_log(log.walk(connection, shown, seq), new, fold.feed)
        written = log.moment_of(connection, seq)
    store = SqliteStore.open(new, durable=False)
    try:
        with log.telling(shown):
            fold.write(store)
        log.copy_beside(source, new, seq)
        engine = Engine(store, SystemClock(), SystemIds())
        ended = give_back(engine) if end_runs else []
        last = store.read(lambda reading: reading.head().seq)
        return Rebuilt(
            at=seq,
            of=moment_text(written),
            seq=last,
            items=len(fold.tables["items"]),
            ended_runs=ended,
            wrong=fold.wrong() + wrong_with(engine),
            heads=fold.heads(),
        )
    finally:
        store.close()


def _event_at(source: str, shown: str, ago: float) -> int:
    """The last event that was written so many seconds ago or earlier, by the wall clock."""
    moment = SystemClock().wall() - round(ago * 1000)
    with log.reading(source, shown) as connection:
        seq = log.last_by(connection, moment)
        if seq == 0:
            words, hint = (
                "there was no board {ago} ago: its first event is of {first}",
                "name a shorter span, or an event: ",
            )
            first = moment_text(log.moment_of(connection, 1))
            raise Invalid("unknown_event", words, hint + "<restore at>", format_span(ago), first)
    return seq


def export(lines: Iterable[bytes], file: str | None, write: Callable[[bytes], object]) -> Exported:
    """The log as JSON lines: into a file that is not there yet, or handed on piece by piece."""
    events, size = -2, 0  # neither the first line nor the last is an event

    def pieces() -> Iterator[bytes]:
        nonlocal events, size
        for line in lines:
            events += 1
            size += len(line)
            yield line

    if file is None:
        for piece in pieces():
            write(piece)
        return Exported(path=None, events=events, size=size)
    if os.path.lexists(file):
        raise backups.exists(file)
    unfinished = f"{file}.{os.getpid()}-{os.urandom(4).hex()}.new"
    try:
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:
            out.writelines(pieces())
            out.flush()
            os.fsync(out.fileno())
        backups.give_name(unfinished, file)
        sync(os.path.dirname(file) or os.curdir)
    finally:
        if os.path.lexists(unfinished):
            os.unlink(unfinished)
    return Exported(path=file, events=events, size=size)


def import_log(folder: str, home: str, source: BinaryIO, name: str) -> Imported:
    """A new board from an exported log; it is there whole, or nothing of it is."""
    path = os.path.join(home, STORE)
    if os.path.lexists(path):
        raise Refused("board_exists", "there is a board in {home} already", "use a folder without one", home)
    if (left := left_behind(path)) is not None:
        words = "{left} was left by another board, and would be read into this one"
        raise Refused("board_exists", words, "move it away, then repeat", left)
    with workspace(folder, "moot-import") as unfinished:
        new = os.path.join(unfinished, STORE)
        fold = Fold()
        try:
            seq = log.copy_log(read_lines(source, name), new, fold.feed)
            store = SqliteStore.open(new, durable=False)
            try:
                fold.write(store)
                wrong = fold.wrong() or wrong_with(Engine(store, SystemClock(), SystemIds()))
            finally:
                store.close()
        except (Unreadable, Unavailable, Refused, ValueError, OverflowError, RecursionError) as fault:
            if isinstance(fault, Unavailable) and not faults.damage_is(fault):
                raise
            raise no_board_in(name, str(fault)) from fault
        if wrong:
            raise no_board_in(name, "; ".join(wrong[:3]))
        made = not os.path.isdir(home)
        os.makedirs(home, mode=0o700, exist_ok=True)
        try:
            exclusive.one_file(new)
            note_brought(home)  # before it is there: nobody meets it without
            give_name(new, path)
        except BaseException:
            if not os.path.lexists(path):  # else somebody else was quicker, who may have brought a board too
                begin_here(home)
            if made:
                os.rmdir(home)
            raise
        sync(home)
    return Imported(board=home, source=name, events=seq, seq=seq, items=len(fold.tables["items"]))


def no_board_in(name: str, words: str) -> Invalid:
    hint = "give a file that `<export>` wrote from a board that `<doctor>` finds sound"
    return Invalid("bad_log", "{name} does not make a board: {why}", hint, name, words)


def wrong_with(engine: Engine) -> list[str]:
    """What the doctor finds."""
    return [f"{check.check}: {words}" for check in examine(engine).checks for words in check.wrong]


def import_board(folder: str, source: BinaryIO, name: str) -> Imported:
    """A new board below the folder, with its own files around the store."""
    home = os.path.normpath(os.path.join(folder, FOLDER))
    view = import_log(folder, home, source, name)
    make_private(home)
    made_for_this(home)
    write_new(os.path.join(home, ".gitignore"), IGNORED)
    return replace(view, flow_file=os.path.exists(os.path.join(home, FLOW)))
