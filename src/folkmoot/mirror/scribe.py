"""Which files there are, and what stands in each: follows the log, and says which files an event has changed."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from folkmoot.core.events import Event
from folkmoot.core.item import Item
from folkmoot.core.records import Hold, Run
from folkmoot.engine.reads.history import PAGE, History
from folkmoot.mirror import names
from folkmoot.mirror.picture import Picture
from folkmoot.mirror.writing.comments import meta_file
from folkmoot.mirror.writing.handoffs import handoff_file
from folkmoot.mirror.writing.items import is_quest, item_file, quest_file
from folkmoot.mirror.writing.log import LINES, LogLines
from folkmoot.mirror.writing.state import Heard, State, is_in_force

VERSIONS = 256  # of the shared state, whose locks are remembered


class Version(Struct, frozen=True):
    """Of the shared state: what was held, and of each agent whether it was active, and when last."""

    holds: list[Hold]
    agents: dict[str, Heard]
    shown: dict[str, Any] | None = None  # all but its long lists, as it was written; None: nobody knows any more


class Scribe:
    def __init__(self, feed: History) -> None:
        self.feed = feed
        self.picture = Picture(feed.snapshot())
        self._state = State()
        self._see_all()
        self._lines = LogLines(feed.item_at)
        self._tail: list[bytes] = []  # of the log, since the last full thousand
        self.touched: set[str] = set()
        self._versions: dict[int, Version] = {}  # of the shared state, as it was written the last few times
        # When the first lock in the shared state ends. What a mirror before this one has left there is looked at once.
        self._next_end = min((hold.until for hold in _held(self.picture.holds) if hold.until is not None), default=None)
        self._told = self.picture.seq // LINES * LINES  # the last event that is in the tail, or before it
        self._tell_log(self.picture.seq)

    def _see_all(self) -> None:
        self._state = State()
        for item in self.picture.items.values():
            self._state.see_item(self.picture.flow, item)
        for run in self.picture.runs.values():
            self._state.see_run(run)

    def _tell_log(self, until: int) -> None:
        while self._told < until:
            events = self.feed.told(self._told)
            if not events:
                return
            for event in events:
                if event.seq > until:
                    return
                self._tell(event)

    def _tell(self, event: Event) -> None:
        self._tail.append(self._lines.line(event))
        self._told = event.seq
        if event.seq % LINES == 0:
            self._tail.clear()

    def follow(self) -> None:
        """Take in what has happened since; the paths of the files that it may have changed are in `touched`."""
        touched = self.touched
        while True:
            events = self.feed.after(self.picture.seq)
            for event in events:
                for key in self.picture.fold(event):
                    touched |= self._paths_of(key)
                touched |= {names.STATE, names.EVENTS}
                self._tell(event)
                if event.seq % LINES == 0:
                    touched.add(names.archive_path(event.seq // LINES))
                self._see(event)
            if len(events) < PAGE:
                break
        # Nobody writes when a lock ends by itself: the shared state is to be written anew all the same.
        if self._next_end is not None and self._next_end <= self.feed.now():
            self._next_end = None
            touched.add(names.STATE)

    def paths_touched_by(self, event: Event) -> set[str]:
        """The files that an event before the picture may have changed."""
        keys = {key for change in event.changes for key in self.picture.keys(change.table, change.id)}
        found = {path for key in keys for path in self._paths_of(key)} | {names.STATE, names.EVENTS}
        return found | ({names.archive_path(event.seq // LINES)} if event.seq % LINES == 0 else set())

    def _see(self, event: Event) -> None:
        for change in event.changes:
            if change.table == "items":
                self._state.see_item(self.picture.flow, self.picture.items[change.id])
            elif change.table == "runs":
                self._state.see_run(self.picture.runs[change.id])
            elif change.table == "flows":
                self._see_all()

    def _paths_of(self, key: str) -> set[str]:
        kind, _, name = key.partition(":")
        if kind == "all":
            return set(self.paths())
        if kind == "message":
            found = {names.handoff_path(name, status) for status in names.STATUSES}
        elif kind == "item":
            found = {names.item_path(name)}
        elif kind == "quest":
            found = {names.quest_path(name)}
        else:
            found = {name}
        return {path for path in found if path is not None}

    def paths(self) -> Iterator[str]:
        """Every file there should be."""
        picture = self.picture
        yield names.STATE
        yield from filter(None, (names.handoff_path(m.id, m.status) for m in picture.messages.values()))
        for item in picture.items.values():
            path = names.item_path(item.id)
            if path is not None:
                yield path
            path = names.quest_path(item.id) if is_quest(picture.flow, item) else None
            if path is not None:
                yield path
        yield from (file for file, artifacts in picture.artifacts.items() if any(artifacts.values()))
        yield names.EVENTS
        yield from (names.archive_path(number) for number in range(1, picture.seq // LINES + 1))

    def content(self, path: str) -> bytes | None:
        """What stands in a file; None if there shall be none of that name."""
        picture, folder = self.picture, path.partition("/")[0]
        if path == names.STATE:
            self.remember()
            now = self.feed.now()
            ends = (hold.until for hold in picture.holds.values() if hold.until is not None and is_in_force(hold, now))
            self._next_end = min(ends, default=None)
            return self._state.file(picture, now)
        if path == names.EVENTS:
            return b"".join(self._tail)
        if path in picture.artifacts:
            return self._meta(path)
        if folder == names.HANDOFFS:
            found = names.HANDOFF.fullmatch(path.rpartition("/")[2])
            message = picture.messages.get(found.group(1)) if found else None
            fits = message is not None and names.handoff_path(message.id, message.status) == path
            return handoff_file(message) if message is not None and fits else None
        if folder == names.ARCHIVE:
            return self._archive(path)
        item = picture.items.get(names.item_of(path) or "")
        if item is None:
            return None
        if folder == names.KANBAN:
            return item_file(picture.flow, item, picture.attempts(item.id))
        return self._quest(item)

    def remember(self) -> None:
        """What the shared state says now, for whoever writes against it when the board has gone on."""
        self._versions[self.picture.seq] = self._now()
        if len(self._versions) > VERSIONS:
            del self._versions[next(iter(self._versions))]

    def version(self, number: int) -> Version:
        """What somebody has read who read this version of the shared state."""
        if number >= self.picture.seq:
            return self._now()
        known = self._versions.get(number)
        if known is None:
            known = Version(_held(self.feed.rows_at("holds", number)), self._heard_at(number))
        return known

    def _now(self) -> Version:
        heard = self._state.heard_of(self.picture.open_runs)
        return Version(_held(self.picture.holds), heard, self._state.shown(self.picture, self.feed.now()))

    def _heard_at(self, number: int) -> dict[str, Heard]:
        state, runs = State(), self.feed.rows_at("runs", number)
        for run in runs.values():
            state.see_run(run)
        return state.heard_of({run.id: run for run in runs.values() if run.ended_at is None})

    def _quest(self, item: Item) -> bytes | None:
        flow = self.picture.flow
        if not is_quest(flow, item):
            return None
        below: list[Item] = []
        waiting = [item]
        while waiting:
            children = self.picture.children(waiting.pop().id)
            below += children
            waiting += [child for child in children if child.kind == "task"]
        runs: list[Run] = [run for one in (item, *below) for run in self.picture.runs_of(one.id)]
        runs.sort(key=lambda run: (run.ended_at or 0, run.started_at, run.id))
        return quest_file(flow, item, sorted(below, key=lambda one: one.number), runs)

    def _meta(self, path: str) -> bytes | None:
        artifacts = {name: items for name, items in self.picture.artifacts[path].items() if items}
        if not artifacts:
            return None
        items = {item for known in artifacts.values() for item in known}
        several = len(artifacts) > 1 or len(items) > 1
        return meta_file(path, sorted(artifacts), self.picture.comments(path), several=several)

    def _archive(self, path: str) -> bytes | None:
        digits = path.rpartition("/")[2].partition(".")[0]
        number = int(digits) if digits.isdigit() else 0
        if number < 1 or number * LINES > self.picture.seq or path != names.archive_path(number):
            return None
        lines = LogLines(self.feed.item_at)
        return b"".join(lines.line(event) for event in self.feed.told((number - 1) * LINES, LINES))


def _held(holds: dict[str, Hold]) -> list[Hold]:
    return [hold for hold in holds.values() if hold.held]
