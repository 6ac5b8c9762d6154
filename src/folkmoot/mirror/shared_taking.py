"""What somebody has written into the shared state beyond the board: locks, and what agents say of themselves."""

from collections.abc import Callable
from typing import Any

from folkmoot.core.commands import RaiseConflict
from folkmoot.core.records import Hold, Wanted
from folkmoot.core.rules.sharing.mirrored import speaker_in_file
from folkmoot.core.rules.sharing.paths import bad_path, normal_path
from folkmoot.engine.reads.views import moment_text
from folkmoot.errors import Invalid, MootError, NothingToDo, Refused
from folkmoot.mirror import names
from folkmoot.mirror.keys import digest_of
from folkmoot.mirror.reading.forms import Lock, SharedState, read_state
from folkmoot.mirror.reading.shared import (
    ACTIVE,
    COMPLETED,
    IDLE,
    added_by_hand,
    changed_by_hand,
    not_editable,
    says_same,
    seconds_left,
    status_in,
    wanted_status,
)
from folkmoot.mirror.reading.texts import json_object
from folkmoot.mirror.scribe import Scribe, Version
from folkmoot.mirror.voice import Voice
from folkmoot.mirror.writing.state import Heard, locks_of


class SharedTaking:
    """One file, once. `check_heard` refuses an agent of which something was refused in the same look."""

    def __init__(self, scribe: Scribe, voice: Voice, check_heard: Callable[[str], None]) -> None:
        self._scribe = scribe
        self._picture = scribe.picture
        self._voice = voice
        self._check_heard = check_heard
        self._open: dict[str, str] = {}  # the changes that were not made yet, by what each is about
        self._subject = ""  # what is looked at just now: a refusal is about that

    def take(self, data: bytes, key: str) -> None:
        """Say what it changes; a refusal of one change names the others that were not made either."""
        state = read_state(data)
        read = self._scribe.version(self._picture.seq if state.version is None else state.version)
        try:
            self._take(state, read, key)
        except (Refused, Invalid, NothingToDo) as error:
            raise self._with_others(error) from error

    def _with_others(self, error: MootError) -> MootError:
        others = [words for about, words in self._open.items() if about != self._subject]
        if not others:
            return error
        words = "{refused}; nor were these taken, which stand in the same file: {others}"
        told = {**error.details, "refused": error.message, "others": others}
        return type(error)(error.code, words, f"{error.remedy}; then write the others again", **told)

    def _take(self, state: SharedState, read: Version, key: str) -> None:
        now = self._scribe.feed.now()
        board = {hold.path: hold for hold in locks_of(self._picture.holds.values(), now)}
        base = {hold.path: hold for hold in locks_of(read.holds, now)}  # a lock that has ended since is none
        wanted = {_place(resource): lock for resource, lock in state.locks.items()}
        added = {
            path: lock
            for path, lock in wanted.items()
            if not any(path in known and known[path].owner == lock.agent for known in (base, board))
            and not _is_as_read(read, path, lock)
            and seconds_left(lock, self._voice.wall) > 0  # an old file that is written back brings no lock to life
        }
        # Who does not say what it has read has taken nothing out.
        left = [] if state.version is None else [path for path in base if path not in wanted and path in board]
        self._open = _changes(state, read, added, left)
        whole = self._scribe.content(names.STATE) if state.version == self._picture.seq else None
        shown = read.shown if whole is None else json_object(whole)
        owned = changed_by_hand(state, shown)
        others = list(self._open.values())
        self._open |= {name: f"the field {name}, which follows from what happened" for name in owned}
        for path, lock in added.items():
            self._subject = _lock_on(path)
            speaker_in_file(self._picture.flow, lock.agent)
            if path in base:
                words = "locks: {path} is held by {owner}, and a lock is not handed on"
                raise Refused("path_held", words, "wait until it is released, or has expired", path, base[path].owner)
        for path in left:
            self._subject = _lock_on(path)
            self._check_release(board[path])
        self._agents(state.agents, read, key)
        for agent in dict.fromkeys(lock.agent for lock in added.values()):
            self._lock(agent, {path: lock for path, lock in added.items() if lock.agent == agent}, board, key)
        for path in left:
            self._subject = _lock_on(path)
            self._voice.unlock(board[path].owner, path, board[path].run, f"{key}:{digest_of(path)}")
            self._open.pop(self._subject, None)
        self._check_others(state, owned, others)

    def _check_others(self, state: SharedState, owned: list[str], taken: list[str]) -> None:
        """What the board says now by itself is no change: whoever hands over and ends writes the state it leads to."""
        self._scribe.follow()
        now = json_object(self._scribe.content(names.STATE) or b"{}") if state.others else {}
        left = [name for name in owned if not says_same(name, state.others[name], now.get(name))]
        added = added_by_hand(state, now) if now else []
        self._open.clear()
        if left or added:
            raise not_editable(left, added, taken)

    def _check_release(self, hold: Hold) -> None:
        """Before anything is done: of a file that cannot be taken in whole, nothing is."""
        speaker_in_file(self._picture.flow, hold.owner)
        if hold.item is not None and hold.run is None:
            words = "locks: {path} is what item {item} may change, and no lock that is taken out"
            hint = "it ends with the item; only a lock is released by a file"
            raise Refused("not_yours", words, hint, hold.path, hold.item)

    def _lock(self, agent: str, locks: dict[str, Lock], board: dict[str, Any], key: str) -> None:
        """All of one agent's at once, or none."""
        own = f"{key}:{digest_of(agent)}"
        self._subject = _lock_on(next((path for path in locks if path in board), next(iter(locks))))
        seconds = min(seconds_left(lock, self._voice.wall) for lock in locks.values())
        try:
            self._voice.lock(agent, list(locks), seconds, own)
        except Refused as error:
            run, taken = self._voice.run_of(agent), next((path for path in locks if path in board), None)
            # The item that has it is asked about first: only what that one gives up can be handed on.
            held_for = board[taken].item if taken is not None else None
            item = held_for or (run.item if run is not None else None)
            if error.code != "path_held" or taken is None or item is None or self._voice.is_bound(item):
                raise
            # Free when it was read, and taken by two since: neither came last.
            held = f"{taken} is held by {board[taken].owner}"
            wanted = Wanted(locks=list(locks), agent=speaker_in_file(self._picture.flow, agent).name, seconds=seconds)
            words = f"{', '.join(locks)} for {agent}"
            command = RaiseConflict(name="locks", board=held, file=words, where=names.STATE, wanted=wanted)
            self._voice.conflict(agent, item, command, own)
        for path in locks:
            self._open.pop(_lock_on(path), None)

    def _agents(self, agents: dict[str, dict[str, Any]], read: Version, key: str) -> None:
        """What an agent says of itself, beyond what it has read: that it begins, is alive, or is done. All of it can be
        taken, or none is."""
        told: dict[str, str | None] = {}
        for name, said in agents.items():
            self._subject = _status_of(name)
            told[name] = wanted_status(name, said, read.shown, self._picture.flow.agents)
        for name, status in told.items():
            self._subject = _status_of(name)
            self._check_status(name, status, read)
        for name, status in told.items():
            self._subject = _status_of(name)
            before, run = read.agents.get(name, Heard()), self._voice.run_of(name)
            # Read as idle, its run has begun since, with what it has sent: that is the one it ends.
            if status == COMPLETED and run is not None and (before.is_active or status_in(read.shown, name) == IDLE):
                self._voice.end(name, f"{key}:{name}")
            elif status == ACTIVE and before.is_active:
                if run is not None and agents[name].get("last_active") not in (None, before.last_active):
                    self._voice.renew(name)
            elif status == ACTIVE and not self._works(name):
                self._voice.begin(name, f"{key}:{name}")
            self._open.pop(self._subject, None)

    def _check_status(self, name: str, status: str | None, read: Version) -> None:
        """`completed` ends the run that files have begun, and no other; who says it again says nothing."""
        shown = status_in(read.shown, name)
        if status == COMPLETED and shown != COMPLETED:
            self._check_heard(name)
        if status != COMPLETED or self._voice.run_of(name) is not None or shown in (None, COMPLETED):
            return
        if self._works(name):
            words = "agents: the run of {name} was not begun by a file, or it has several"
            raise Refused("not_its_run", words, "let it report; or drop a report that names its item into inbox/", name)
        if not read.agents.get(name, Heard()).is_active:
            words = "agents: {name} has no run that it could complete"
            raise Refused("not_active", words, "set it to active first, or drop its report into inbox/", name)

    def _works(self, agent: str) -> bool:
        return any(run.agent == agent for run in self._picture.open_runs.values())


def _place(resource: str) -> str:
    """As the board says it; what is no path of the project stays as it was written, so that it is refused."""
    return resource if bad_path(resource) else normal_path(resource)


def _is_as_read(read: Version, path: str, lock: Lock) -> bool:
    """Is it the entry that the file had, which has perhaps ended since?"""
    known = (hold for hold in read.holds if hold.path == path and hold.owner == lock.agent)
    return any(lock.expires == moment_text(hold.expires_at) for hold in known if hold.expires_at is not None)


def _lock_on(path: str) -> str:
    return f"locks: {path}"


def _status_of(agent: str) -> str:
    return f"agents: {agent}"


def _changes(state: SharedState, read: Version, added: dict[str, Lock], left: list[str]) -> dict[str, str]:
    """What the file changes, in words, by what each change is about."""
    found = {_lock_on(path): f"the lock on {path[:120]} for {lock.agent[:80]}" for path, lock in added.items()}
    found |= {_lock_on(path): f"the end of the lock on {path}" for path in left}
    for name, said in state.agents.items():
        status, shown = said.get("status"), status_in(read.shown, name)
        if status != shown and not (shown is None and status == IDLE):
            found[_status_of(name)] = f"the status {str(status)[:60]} of {name[:80]}"
    return found
