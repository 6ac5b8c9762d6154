"""The mirror at work: look at what others wrote, say it to the engine, then write what the log says.

Whatever ends it between two steps, the next one finds its own files by their hashes, and says nothing twice.
"""

from collections.abc import Callable

from folkmoot.engine.application import Application
from folkmoot.engine.reads.history import History
from folkmoot.errors import MootError, Refused, Unavailable
from folkmoot.mirror import names
from folkmoot.mirror.folder import Folder, Found, target_of
from folkmoot.mirror.keys import key_of
from folkmoot.mirror.reading.texts import Unfinished
from folkmoot.mirror.record import Record, digest
from folkmoot.mirror.scribe import Scribe
from folkmoot.mirror.taking import Taking
from folkmoot.mirror.tracked import STOOD_BEFORE, Ask, Tracked, nothing
from folkmoot.mirror.voice import NotYet, Voice
from folkmoot.mirror.watch import Waiting, Watch
from folkmoot.mirror.writer import PATIENCE, PUT_OFF, Aside, Late, Writer

SETTLE = 2.0  # seconds without a change, after which what cannot be read is taken for whole
BREATH_NS = 10**9  # within which an agent that hands on and ends says both at once, in either order
ROUNDS_MAX = 20  # in which what came in while files were written is looked at
CANDIDATES_MAX = 64  # that are taken in before what came of them is written; the rest follows at once
EVENTS_MAX = 5_000  # behind which all files are looked at, instead of those that the events name
OTHERS_MAX = 100  # folders that somebody has made in the mirror's, which are looked into
OWN = (names.STATE, names.EVENTS)
FOLDERS = (names.HANDOFFS, *names.STAGES, names.INBOX, names.KANBAN, names.QUESTS)
TAKEN = ".taken-"  # before the name of a report that is being handed in, after its run and token


class Mirror:
    """`record` is the file beside the board in which it is kept what was written in the folder; `tracked` tells which
    of its paths git tracks: those are no word of anybody's. `named` is the folder as the flow names it, where the
    mirror ends when the flow names another."""

    def __init__(
        self,
        application: Application,
        folder: Folder,
        record: str,
        *,
        named: str | None = None,
        watch: Watch | None = None,
        tracked: Ask = nothing,
        tell: Callable[[str], None] = lambda words: None,
    ) -> None:
        self._application = application
        self._named = named
        self._watch = watch
        self._tell = tell
        self._told: set[str] = set()
        self.folder = folder
        self.record = Record(record)
        self.scribe = Scribe(History(application.engine.store, application.engine.clock))
        self._voice = Voice(application, self.scribe.picture)
        self._aside = Aside(folder)
        self._taking = Taking(self.scribe, self._voice, self._aside)
        self._writer = Writer(self.folder, self.record, self.scribe, application.now)
        self._tracked = Tracked(folder, tracked)
        self._waiting: dict[str, Waiting] = {}
        self._left: list[str] = []  # what there was no time to look at in the last pass
        self._later: dict[str, str] = {}  # what cannot hold yet, and the message it is
        self._is_first, self._was_cut_off, self.rejected, self.taken = True, False, 0, 0
        self._follows: list[str] = []

    def close(self) -> None:
        if self._watch is not None:
            self._watch.close()
        self.record.close()

    def is_left(self) -> bool:
        """Does the flow, by the last event that was followed, show the board somewhere else, or nowhere?"""
        return self._named is not None and self.scribe.picture.flow.mirror != self._named

    def run(self, is_over: Callable[[], bool]) -> None:
        """Until it is said that it is over; then once more, so that the files show the end. Or until it is left."""
        while True:
            seen = self._application.change_signal.count
            last = is_over()
            self.pass_(puts_off=not last)
            if last or self.is_left():
                return
            if not is_over():
                self._application.changed(seen, self._rest())

    def _rest(self) -> float:
        """How long to sleep if nothing happens. Whoever closes a file wakes us."""
        if self._left:
            return 0.0
        now = self._application.now()
        due = [SETTLE - (now - one.since) for one in self._waiting.values() if not one.is_open]
        due += [PATIENCE - (now - since) for since in self._writer.postponed.values()]
        due += [PUT_OFF - (now - since) for since in [self._writer.owed_since] if since is not None]
        return max(0.0, min([*due, self._application.look_again]))

    def pass_or_raise(self) -> None:
        """Once, until all that is not being written just now is either taken in or set aside."""
        while True:
            with self.folder.opened():
                self._pass()
            if not self._left and all(one.is_open for one in self._waiting.values()):
                return
            self._application.changed(self._application.change_signal.count, self._rest())

    def pass_(self, *, puts_off: bool = False) -> None:
        """What could not be done is said once, and tried again the next time."""
        try:
            with self.folder.opened():
                self._pass(puts_off=puts_off)
        except (OSError, Unavailable) as error:
            self._say_once(f"the mirror {self.folder.root} cannot be written: {error}")
        else:
            for words in self._writer.problems.values():
                self._say_once(words)
            if not self._writer.problems:
                self._told.clear()

    def _say_once(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            self._tell(words)

    def _pass(self, *, puts_off: bool = False) -> None:
        changed = None if self._watch is None or self._was_cut_off else self._watch.take()
        self._was_cut_off = True  # until its end is reached: of what it was told, nobody tells again
        self.scribe.follow()
        if self.is_left():
            return  # from then on nothing is shown here, and what stands here is nobody's word
        if self._is_first:
            self._begin()
        if self._is_first or changed is None or self._follows != self._folders():
            changed = None
            self._look_everywhere()
        later, self._later = self._later, {}
        self._writer.held.clear()
        self._taking.begin()
        found = list(dict.fromkeys([*later, *self._left, *self._candidates(changed)]))
        self._left = found[CANDIDATES_MAX:]
        self._tracked.begin(found[:CANDIDATES_MAX], found if self._is_first and self.record.is_new else ())
        for path in found[:CANDIDATES_MAX]:
            self._look_at(path)
        for _ in range(ROUNDS_MAX):
            self.scribe.follow()
            if self.is_left():
                break
            late = self._writer.write(puts_off=puts_off and not self._is_first)
            for one in late:
                self._take_late(one)
            if not late:
                break
        self._taking.tell_unended()
        self.folder.flush_moves()
        if not (self._writer.owes() or self.scribe.touched or self.is_left()):
            self.record.reached(self.scribe.picture.seq)
        self.record.flush(durable=False)
        self._is_first = self._was_cut_off = False

    def _begin(self) -> None:
        self._writer.check_foreign()
        self.scribe.remember()  # the state that a mirror before this one has left here
        self._find_left_behind()
        picture, touched = self.scribe.picture, self.scribe.touched
        behind = picture.seq - self.record.seq
        if self.record.is_new or behind < 0 or behind > EVENTS_MAX or not self._writer.has_same_history():
            touched |= {*self.scribe.paths(), *self.record.files}
            self._writer.forget_archives()
        elif behind:
            for event in self.scribe.feed.after(self.record.seq, EVENTS_MAX):
                touched |= self.scribe.paths_touched_by(event)

    def _find_left_behind(self) -> None:
        """Files that a mirror was writing when it was killed; in one may stand what somebody else had just written."""
        for folder in self._folders():
            for name in self.folder.listing(folder):
                target = target_of(name)
                if target is None:
                    continue
                beside = f"{folder}/" if folder else ""
                path, found = f"{beside}{target}", self.folder.read(f"{beside}{name}")
                is_mine = found is None or not found.data or self._writer.is_known(path, found.data)
                is_mine = is_mine or path == names.EVENTS or folder == names.ARCHIVE
                if found is not None and not is_mine and self._is_ours(folder, target):
                    self._take_late(Late(path, found.data or b""))
                self.folder.remove(f"{beside}{name}")

    def _look_everywhere(self) -> None:
        """All folders are there and watched, also those that came with a new artifact; then all is looked at."""
        self._writer.write_own_notes(self._tell)
        for folder in (*FOLDERS, names.REJECTED):
            self._writer.make(folder)
        self._follows = self._folders()
        if self._watch is not None:
            self._watch.follow(self._follows)

    def _folders(self) -> list[str]:
        beside = {file.rpartition("/")[0] for file in self.scribe.picture.artifacts}
        beside |= {f"{names.HANDOFFS}/{name}" for name in self.folder.folders(names.HANDOFFS)}
        return sorted({"", names.ARCHIVE, *FOLDERS, *beside, *self._other_folders()})

    def _other_folders(self) -> list[str]:
        """Folders that somebody has made in the mirror: a comment file may lie there with no artifact beside it. Where
        the mirror is the project itself, other folders are the user's."""
        found: list[str] = []
        to_visit = [name for name in self.folder.folders("") if name not in names.RESERVED] if self.folder.name else []
        while to_visit and len(found) < OTHERS_MAX:
            found.append(to_visit.pop(0))
            to_visit += [f"{found[-1]}/{name}" for name in self.folder.folders(found[-1])]
        return found

    # -- what others wrote

    def _candidates(self, changed: set[tuple[str, str]] | None) -> list[str]:
        """Paths at which something is other than it was written, as they were said; what is missing is written anew."""
        if changed is not None:
            paths = [f"{folder}/{name}" if folder else name for folder, name in changed if self._is_ours(folder, name)]
            due = [path for path, one in self._waiting.items() if self._application.now() - one.since >= SETTLE]
            listed = {path: self.folder.look(path) for path in {*paths, *due}}
        else:
            listed = {}
            for folder in self._folders():
                for name, seen in self.folder.listing(folder).items():
                    if self._is_ours(folder, name):
                        listed[f"{folder}/{name}" if folder else name] = seen
            listed |= {path: None for path in self.record.files if path not in listed}
        found: list[str] = []
        for path, there in listed.items():
            known = self.record.files.get(path)
            if there is None:
                self._waiting.pop(path, None)
                if known is not None:
                    self.record.removed(path)
                    self.scribe.touched.add(path)
            elif known is None or known.seen != there:
                found.append(path)
        return sorted(found, key=self._said_at)

    def _said_at(self, path: str) -> tuple[int, bool, str]:
        """What is sent counts before the end of the stage it belongs to: a review that is completed beside its
        `fix_request` is no approval."""
        at = self.folder.changed_at(path)
        return (at - BREATH_NS if names.is_sent(path) else at), path.startswith(names.STAGES[2]), path

    def _is_ours(self, folder: str, name: str) -> bool:
        path = f"{folder}/{name}" if folder else name
        is_taken = folder == names.INBOX and name.startswith(TAKEN)
        if is_taken or path in OWN or path in self.scribe.picture.artifacts:
            return True
        if folder == names.ARCHIVE:
            return path in self.record.files
        if self.folder.name and name.endswith(names.META) and folder.partition("/")[0] not in names.RESERVED:
            return not names.is_passing(name)
        return (folder in FOLDERS or folder.startswith(f"{names.HANDOFFS}/")) and not names.is_passing(name)

    def _look_at(self, path: str) -> None:
        if (found := self.folder.read(path)) is None:
            self.scribe.touched.add(path)
            return
        if found.data is None:
            if not self._writer.is_users(path):
                self._reject_entry(path, found.why)
            return
        own = self.record.is_own(path, found.data) or self._writer.is_moved(path, found.data)
        if own or found.data == self.scribe.content(path):
            self.record.found(path, found.seen, found.data)
            self.scribe.touched.add(path)
        elif path == names.EVENTS or path.startswith(f"{names.ARCHIVE}/"):
            self._reject(path, found.data, Refused("not_editable", "the log is only shown", "say it by a command"))
        elif self._tracked.has(path, found.seen):
            self._refuse_tracked(path, found)
        elif self._tracked.stood_before(path, found.seen):
            self._reject(path, found.data, STOOD_BEFORE)
        elif found.is_open:
            self._wait(path, found)
        else:
            self._take(path, found)

    def _wait(self, path: str, found: Found) -> bool:
        """False: it has not changed for so long that it will not."""
        known = self._waiting.get(path)
        if known is None or known.seen != found.seen or known.is_open != found.is_open:
            self._waiting[path] = Waiting(found.seen, self._application.now(), found.is_open)
            return True
        return found.is_open or self._application.now() - known.since < SETTLE

    def _take(self, path: str, found: Found) -> None:
        data, stamp = found.data or b"", f"{found.seen.mtime_ns} {found.seen.inode}"
        try:
            if path.startswith(f"{names.INBOX}/"):
                self._take_report(path, data, stamp)
            else:
                self._take_file(path, data, stamp)
        except NotYet as later:
            self._later[path] = later.message
            self._writer.held.add(later.message)
            self._waiting.pop(path, None)
            return
        except Unavailable:
            raise
        except MootError as error:
            if isinstance(error, Unfinished) and self._wait(path, found):
                self._taking.refused(path, data)
                return
            self._reject(path, data, error)
        else:
            self.taken += 1
        self._waiting.pop(path, None)
        self.scribe.follow()

    def _take_file(self, path: str, data: bytes, stamp: str) -> None:
        target = self._taking.take(path, data, stamp)
        self._writer.expect(path, digest(data))
        self.scribe.touched.add(path)
        if target is not None and target != path:
            self._writer.expect(target, digest(data))
            self.scribe.touched.add(target)
            if not self.folder.move(path, target):
                self._remove(path, data)

    def _take_report(self, path: str, data: bytes, stamp: str) -> None:
        """In two steps with the run in the file's name between them: so that it is clear whose it was, and it is
        reported once, whenever it is killed."""
        name = path.rpartition("/")[2]
        if not name.startswith(TAKEN):
            begun = self._taking.begin_report(name, data, key_of(path, data, stamp))
            if begun is None:
                self._remove(path, data)
                return
            path, before = f"{names.INBOX}/{TAKEN}{begun[0]}-{begun[1]}-{name}", path
            if not self.folder.move(before, path, flush=True):
                return
        run, token, name = path.rpartition("/")[2].removeprefix(TAKEN).split("-", 2)
        try:
            self._taking.end_report(name, data, run, int(token) if token.isdigit() else 0)
        except Unavailable:
            raise
        except MootError as error:
            self._reject(path, data, error, name)
            return
        self.folder.remove(path)

    def _remove(self, path: str, data: bytes) -> None:
        """What was taken in; what came in its place meanwhile stays."""
        there = self.folder.read(path)
        if there is not None and there.data == data:
            self.folder.remove(path)

    def _take_late(self, late: Late) -> None:
        """What somebody wrote in the moment before our own write: it is in our hands, and taken in like any other."""
        try:
            if self._tracked.has(late.path, None):
                raise self._tracked.refusal(late.path)
            self._taking.take(late.path, late.data, digest(late.data))
            self.taken += 1
        except Unavailable:
            raise
        except MootError as error:
            self._rejects(late.path, late.data, error)
        if late.left is not None:
            self.folder.remove(late.left)
        self.scribe.touched.add(late.path)
        self.scribe.follow()

    def _refuse_tracked(self, path: str, found: Found) -> None:
        """What is no file of the mirror's is left as it is: to take it away would be a change of the user's tree."""
        error = self._tracked.refusal(path)
        if self.scribe.content(path) is not None and not self._writer.is_users(path):
            self._reject(path, found.data or b"", error)
        elif self._tracked.is_new(path, found.seen):
            self.rejected += 1
            self._tell(f"{error.message}; {error.hint}")
        self._waiting.pop(path, None)

    def _rejects(self, path: str, data: bytes, error: MootError, name: str = "") -> None:
        self.rejected += 1
        self._taking.refused(path, data)
        self._aside.put(name or path.rpartition("/")[2], data, error)

    def _reject(self, path: str, data: bytes, error: MootError, name: str = "") -> None:
        """A copy and the reason are kept first; then the last good content is restored, or the file is gone."""
        if self._writer.is_users(path):
            return
        self._rejects(path, data, error, name)
        self._writer.expect(path, digest(data))
        self.scribe.touched.add(path)
        if self.scribe.content(path) is None:
            home = self._writer.home_of(path)
            if home is None or not self.folder.move(path, home):
                self._remove(path, data)
            if home is not None:
                self._writer.expect(home, digest(data))
                self.scribe.touched.add(home)

    def _reject_entry(self, path: str, why: str) -> None:
        self.rejected += 1
        self._aside.put_entry(path, why)
        self._waiting.pop(path, None)
        self.scribe.touched.add(path)
