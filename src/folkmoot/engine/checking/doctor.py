"""The whole examination: the log's chain, the fold of the log against the rows, and every invariant."""

from collections.abc import Callable
from typing import Any

from folkmoot.api.machine import Check, Examination
from folkmoot.core.events import type_of_table
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import queue_position
from folkmoot.core.records import Hold, Question, Run
from folkmoot.core.rules.sharing.choice import Ground, waiting_for, waits_by_row, wanted, writes_now
from folkmoot.core.rules.sharing.holds import in_the_way, is_landing
from folkmoot.core.rules.sharing.paths import LastPlaces, Places
from folkmoot.engine.checking.audit import Audit
from folkmoot.engine.checking.invariants import (
    CHECKS,
    ONLY_IN_MOTION,
    Violation,
    check_circles,
    check_holds,
    check_item,
    check_messages,
    check_pauses,
)
from folkmoot.engine.claiming import is_barred_by
from folkmoot.engine.engine import Engine
from folkmoot.engine.loading import flow_in_force
from folkmoot.store.port import Reading

PAGE = 5000
Tell = Callable[[str, int, int], None]  # what is looked at, how many of them, of how many


def examine(engine: Engine, tell: Tell = lambda what, over, of: None) -> Examination:
    """Check everything that can be checked on a board, and name what is wrong. `tell` hears how far it has come."""
    tell("the log", 0, 1)
    violations = [Violation("chain", text) for text in engine.store.broken_links()]
    try:
        violations += engine.store.read(lambda reading: examine_rows(reading, tell))
    except Exception as fault:
        # A log that is known to be damaged may hold anything; one that is not, must fold.
        if not violations:
            raise
        violations.append(Violation("I14", f"the log cannot be folded: {type(fault).__name__}: {fault}"))
    checks = []
    for check, meaning in CHECKS.items():
        if check in ONLY_IN_MOTION:
            continue
        wrong = [violation for violation in violations if violation.check == check]
        checks.append(Check(check=check, holds=meaning, ok=not wrong, wrong=[v.words for v in wrong[:20]]))
    return Examination(ok=not violations, checks=checks)


def examine_rows(reading: Reading, tell: Tell = lambda what, over, of: None) -> list[Violation]:
    audit = Audit()
    while events := reading.events(audit.seq, limit=PAGE):
        audit.feed(events)
        tell("events", audit.seq, reading.head().seq)
        if events[-1].seq != audit.seq:
            break
    tell("items", 0, reading.head().items)
    audit.compare(reading, type_of_table)
    flow = flow_in_force(reading)
    return [*audit.violations, *check_rows(audit, flow), *check_bars(reading, audit, flow)]


def check_bars(reading: Reading, audit: Audit, flow: Flow) -> list[Violation]:
    """Whoever is noted as kept out is kept out by that, where it stands; else no claim would ever look at the item."""
    items: dict[str, Any] = audit.tables.get("items", {})
    found = []
    for one, bar in reading.barred().items():
        queue = queue_position(flow, items[one]).queue if one in items else None
        if queue is None or not is_barred_by(flow, queue, items[one], bar):
            found.append(Violation("R-03", f"it is hidden: {bar!r} is noted, and does not keep it out", one))
    return found


def check_rows(audit: Audit, flow: Flow) -> list[Violation]:
    """Every item by its rows; the audit has them all, and has said where the store's differ."""
    items = {row.id: row for row in audit.tables.get("items", {}).values() if isinstance(row, Item)}
    runs: dict[str, list[Run]] = {}
    questions: dict[str, list[Question]] = {}
    for run in audit.tables.get("runs", {}).values():
        if isinstance(run, Run):
            runs.setdefault(run.item, []).append(run)
    for question in audit.tables.get("questions", {}).values():
        if isinstance(question, Question):
            questions.setdefault(question.item, []).append(question)
    found = check_board(audit, flow)
    for item in items.values():
        found += check_item(flow, item, runs.get(item.id, []), questions.get(item.id, []), items)
    return found


def check_board(audit: Audit, flow: Flow) -> list[Violation]:
    """What no item shows by itself: chains of waiting, holds, messages."""
    tables: dict[str, dict[str, Any]] = audit.tables
    items: dict[str, Item] = tables.get("items", {})
    runs: dict[str, Run] = tables.get("runs", {})
    found = check_circles(
        items.values(), blocked(flow, items, list(audit.held.values()), lambda run: writes_now(flow, runs.get(run)))
    )
    in_force = [hold for hold in audit.held.values() if hold.until is None or hold.until > audit.time]
    found += check_holds(in_force, items, audit.open_runs)
    found += check_pauses(tables.get("pauses", {}).values(), tables.get("questions", {}))
    return found + check_messages(flow, tables.get("messages", {}), items)


def blocked(
    flow: Flow, items: dict[str, Item], holds: list[Hold], writing: Callable[[str], bool]
) -> dict[str, list[str]]:
    """Items that could be taken if others did not hold or reserve their paths, and those others (R-20, R-23).

    Looked at as if time had passed: locks are over, and whatever is ready has waited too long. Of those that wait for a
    path each keeps out all that came after it: `Elders` says so without naming every one of them.
    """
    queues = {item.id: queue_position(flow, item).queue for item in items.values() if item.files or item.changed}
    landing = [items[one] for one, queue in queues.items() if queue == LANDING]
    ready = [items[one] for one, queue in queues.items() if queue is not None and items[one].files]
    if not (ready or landing) or not (holds or len(ready) > 1):
        return {}
    known = {item.id: item for item in (*ready, *landing)}
    waiters = Waiters(items, None, writers_by_path(flow, list(known.values())), writing)
    lasting = Places(([hold.path], hold) for hold in holds if hold.until is None)
    elders = Elders()
    found: dict[str, list[str]] = {}
    desired: Places[str] = Places((item.files, item.id) for item in ready)
    for item in sorted(ready, key=lambda one: (one.ready_at, one.number)):
        agent = flow.agents.get(queues[item.id] or "")
        if agent is not None and agent.write != "none":
            before = waiters.of(item.id)
            near = {hold.id: hold for hold in lasting.meeting(item.files)}
            way = in_the_way(item.files, near.values(), item.id, before)
            others = [hold.item for hold in way if hold.item and items[hold.item].run is None]
            held = [path for one in (item.id, *before) for path in items[one].holds]
            if next(desired.meeting(held), None) is None:  # else it goes before those that have waited longer
                others += elders.of(item)
            if others:
                found[item.id] = list(dict.fromkeys(others))
        elders.add(item)
    stands = Ground([hold for hold in holds if hold.until is None], [], waiters.of)
    return found | elders.waits | _kept_from_landing(items, landing, stands)


def _kept_from_landing(items: dict[str, Item], landing: list[Item], stands: Ground) -> dict[str, list[str]]:
    """Those that are done but for their work, and who holds a path of it without a run."""
    found = {}
    for item in landing:
        waits = set(stands.waiters_of(item.id))
        way = in_the_way(item.changed, [hold for hold in stands.holds if not is_landing(hold)], item.id, waits)
        others = [hold.item for hold in way if hold.item and items[hold.item].run is None]
        if others:
            found[item.id] = list(dict.fromkeys(others))
    return found


class Elders:
    """Who has waited longer for a path, in a chain: the last link leads to all before it. No item has a link's name."""

    def __init__(self) -> None:
        self.waits: dict[str, list[str]] = {}
        self._last = LastPlaces()

    def of(self, item: Item) -> list[str]:
        return self._last.meeting(item.files)

    def add(self, item: Item) -> None:
        for before, link in self._last.add(item.files, item.id):
            self.waits[link] = [item.id, *before]


def writers_by_path(flow: Flow, ready: list[Item]) -> Callable[[list[str]], list[Item]]:
    """A way to find those that need paths, to write them or to land on them; made when it is first asked for."""
    known: list[Places[Item]] = []

    def on(paths: list[str]) -> list[Item]:
        if not known:
            known.append(Places((wanted(flow, item), item) for item in ready))
        return list({item.id: item for item in known[0].meeting(paths)}.values())

    return on


class Waiters:
    """Who waits for an item, directly or through others, and has no run; looked up only if anybody wants to know."""

    def __init__(
        self,
        items: dict[str, Item],
        direct: dict[str, set[str]] | None,
        writers_on: Callable[[list[str]], list[Item]],
        writing: Callable[[str], bool],  # may this open run change files?
    ) -> None:
        self._writing = writing
        self._items = items
        self._direct = (
            direct  # learnt when it is first asked for; where nobody waits it is empty, and known all the same
        )
        self._writers_on = writers_on

    def of(self, item: str) -> set[str]:
        found = waiting_for(item, self._by_need, self._held_by, self._writers_on, self._items[item].holds)
        return {waiter for waiter in found if not self._is_in_the_way(waiter, self._items[item].asker)}

    def _is_in_the_way(self, waiter: str, asker: str | None) -> bool:
        run = self._items[waiter].run
        return run is not None and (waiter != asker or self._writing(run))

    def _held_by(self, item: str) -> list[str]:
        return self._items[item].holds if self._items[item].run is None else []

    def _by_need(self, item: str) -> set[str]:
        if self._direct is None:
            self._direct = self._learn()
        return self._direct.get(item, set())

    def _learn(self) -> dict[str, set[str]]:
        direct: dict[str, set[str]] = {}
        for item in self._items.values():
            for waiter, need in waits_by_row(item):
                direct.setdefault(need, set()).add(waiter)
        return direct
