"""A board made from its log alone: the rows are folded, and written by the same verbs that the engine writes with."""

from typing import TYPE_CHECKING, Any

import msgspec

from folkmoot.core.commands import Actor, ReleaseRun
from folkmoot.core.events import Change, Event, Row, evolve, type_of_table, typed
from folkmoot.core.order import QueuePosition, queue_position
from folkmoot.core.records import is_run_id
from folkmoot.engine.engine import Engine
from folkmoot.errors import Refused
from folkmoot.store.codec import Unreadable, number_of
from folkmoot.store.port import Store, Transaction

if TYPE_CHECKING:
    from folkmoot.core.item import Item


class Fold:
    """Feed it the events in order. Each table keeps its rows in the order in which they were first written."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Any]] = {table: {} for table in type_of_table}

    def feed(self, event: Event) -> None:
        for change in event.changes:
            if change.table == "runs":
                _check_name(event, change)
            try:
                _check_for_git(event, change.fields)
                rows = self.tables[change.table]
                rows[change.id] = evolve(rows.get(change.id), typed(change))
            except (KeyError, TypeError, ValueError, RecursionError, msgspec.ValidationError) as fault:
                raise Unreadable(f"event {event.seq} changes what is not known here: {fault}") from fault

    def heads(self) -> dict[str, str]:
        """The commits that items' branches are at, by item."""
        items: dict[str, Item] = self.tables["items"]
        return {item.id: item.head for item in items.values() if item.head is not None}

    def write(self, store: Store) -> None:
        """Into a store that has the log and no rows yet."""
        try:
            store.transact(self.save)
        except (ValueError, OverflowError, RecursionError) as fault:
            raise Unreadable(f"the log folds to a row that no store takes: {fault}") from fault

    def save(self, tx: Transaction) -> None:
        rows: list[tuple[str, Row, bool]] = []
        for table, folded in self.tables.items():
            rows += [(table, row, True) for row in folded.values()]
        tx.save([], rows, self._places())

    def wrong(self) -> list[str]:
        """What no row by itself shows: items that come after, wait for or belong to such as never were."""
        items: dict[str, Item] = self.tables["items"]
        found = []
        for item in items.values():
            named = {*item.after, *item.waits_for, *item.made, *([item.parent] if item.parent is not None else [])}
            unknown = sorted(name for name in named if name not in items)  # less all keys, it would walk through them
            if unknown:
                found.append(f"item {item.id} names {', '.join(unknown)}, and there is no such item")
        return found

    def _places(self) -> dict[str, QueuePosition]:
        if not self.tables["flows"]:
            raise Unreadable("the log takes in no flow, and without one there is no board")
        for version in self.tables["flows"]:
            if not number_of(version):
                raise Unreadable(f"the log takes in a flow of the version {version!r}, which is no number")
        in_force = max(self.tables["flows"].values(), key=lambda version: int(version.id))
        try:
            return {item.id: queue_position(in_force.flow, item) for item in self.tables["items"].values()}
        except (KeyError, ValueError, IndexError) as fault:
            raise Unreadable(f"the log puts an item where the flow has nothing: {fault}") from fault


def _check_name(event: Event, change: Change) -> None:
    """A log may come from anywhere, and folders are called as its runs are."""
    for name in (change.id, change.fields.get("id", change.id)):
        if not isinstance(name, str) or not is_run_id(name):
            raise Unreadable(f"event {event.seq} has a run {str(name)[:80]!r}, and no run can be called so")


# Fields that git is asked with: commits, trees and branches.
_GITS = frozenset({"head", "landed", "commit", "new", "old", "onto", "tree", "base", "found", "taking", "branch"})
_GITS |= {"landed_on", "target", "marked", "merged", "remote"}


def _check_for_git(event: Event, said: Any, name: str = "") -> None:
    """A log may come from anywhere, and what begins with a dash is an option for git. No commit and no branch does."""
    if isinstance(said, str) and name in _GITS and said.startswith("-"):
        raise Unreadable(f"event {event.seq} calls {said[:80]!r} a commit or a branch, and none is called so")
    if isinstance(said, dict):
        for key, part in said.items():
            _check_for_git(event, part, str(key))
    elif isinstance(said, list):
        for part in said:
            _check_for_git(event, part, name)


def give_back(engine: Engine) -> list[str]:
    """End every run that is open, so that no claim from before can write; the items can be taken again at once.

    Each is given back unworked, in its own name: nothing is counted against the item. A lease that ran out lapses.
    """
    ended: list[str] = []
    # Each once: one that will not end is for the doctor to name.
    while runs := [run for run in engine.store.read(lambda reading: reading.open_runs()) if run.id not in ended]:
        for run in runs:
            ended.append(run.id)
            try:
                engine.act(Actor(run.id, run.id, run.token), ReleaseRun())
            except Refused as refusal:
                if refusal.code != "stale_claim":  # the sweep of this command, or of one before, has ended it
                    raise
    return ended
