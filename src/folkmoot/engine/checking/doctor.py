"""The whole examination: the log's chain, the fold of the log against the rows, and every invariant."""

from collections.abc import Callable
from typing import Any

from folkmoot.core.events import type_of_table
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import place
from folkmoot.core.records import Hold, Question, Run
from folkmoot.core.rules.sharing.choice import Ground, obstacle, waiting_for, writes, writes_now
from folkmoot.core.rules.sharing.holds import in_the_way
from folkmoot.engine.checking.audit import Audit
from folkmoot.engine.checking.invariants import (
    CHECKS,
    ONLY_IN_MOTION,
    Violation,
    check_circles,
    check_holds,
    check_item,
    check_messages,
)
from folkmoot.engine.claiming import is_barred_by
from folkmoot.engine.engine import Engine
from folkmoot.engine.loading import flow_in_force
from folkmoot.store.base import Reading

PAGE = 5000


def examine(engine: Engine) -> dict[str, Any]:
    """Check everything that can be checked on a board, and name what is wrong."""
    violations = [Violation("chain", text) for text in engine.store.broken_links()]
    try:
        violations += engine.store.read(examine_rows)
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
        checks.append({"check": check, "holds": meaning, "ok": not wrong, "wrong": [v.words for v in wrong[:20]]})
    return {"ok": not violations, "checks": checks}


def examine_rows(reading: Reading) -> list[Violation]:
    audit = Audit()
    while events := reading.events(audit.seq, limit=PAGE):
        audit.feed(events)
        if events[-1].seq != audit.seq:
            break
    audit.compare(reading, type_of_table)
    flow = flow_in_force(reading)
    return [*audit.violations, *check_rows(audit, flow), *check_bars(reading, audit, flow)]


def check_bars(reading: Reading, audit: Audit, flow: Flow) -> list[Violation]:
    """Whoever is noted as kept out is kept out by that, where it stands; else no claim would ever look at the item."""
    items: dict[str, Any] = audit.tables.get("items", {})
    found = []
    for one, bar in reading.barred().items():
        queue = place(flow, items[one]).queue if one in items else None
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
    return found + check_messages(tables.get("messages", {}), items, runs)


def blocked(
    flow: Flow, items: dict[str, Item], holds: list[Hold], writing: Callable[[str], bool]
) -> dict[str, list[str]]:
    """Items that could be taken if others did not hold or reserve their paths, and those others (R-20, R-23).

    Looked at as if time had passed: locks are over, and whatever is ready has waited too long.
    """
    queues = {item.id: place(flow, item).queue for item in items.values() if item.files}
    ready = [items[one] for one, queue in queues.items() if queue is not None]
    if not ready or not (holds or len(ready) > 1):
        return {}
    waiters = Waiters(items, None, lambda: [item for item in ready if writes(flow, item)], writing)
    lasting = [hold for hold in holds if hold.until is None]
    found: dict[str, list[str]] = {}
    for item in ready:
        agent = flow.agents.get(queues[item.id] or "")
        if agent is None or agent.write == "none":
            continue
        way = in_the_way(item.files, lasting, item.id, waiters.of(item.id))
        free = [hold for hold in lasting if hold not in way]
        others = [hold.item for hold in way if hold.item and items[hold.item].run is None]
        if obstacle(item, Ground(free, ready, waiters.of)):
            others += [one.id for one in ready if obstacle(item, Ground([], [one], waiters.of))]
        if others:
            found[item.id] = list(dict.fromkeys(others))
    return found


class Waiters:
    """Who waits for an item, directly or through others, and has no run; looked up only if anybody wants to know."""

    def __init__(
        self,
        items: dict[str, Item],
        direct: dict[str, set[str]] | None,
        writers: Callable[[], list[Item]],
        writing: Callable[[str], bool],  # may this open run change files?
    ) -> None:
        self._writing = writing
        self._items = items
        self._direct = direct if direct is not None else {}
        self._writers = writers

    def of(self, item: str) -> set[str]:
        found = waiting_for(item, self._by_need, self._held_by, self._writers, self._items[item].holds)
        return {waiter for waiter in found if not self._is_in_the_way(waiter, self._items[item].asker)}

    def _is_in_the_way(self, waiter: str, asker: str | None) -> bool:
        run = self._items[waiter].run
        return run is not None and (waiter != asker or self._writing(run))

    def _held_by(self, item: str) -> list[str]:
        return self._items[item].holds if self._items[item].run is None else []

    def _by_need(self, item: str) -> set[str]:
        if not self._direct:
            self._learn()
        found: set[str] = set()
        ahead = [item]
        while ahead:
            new = self._direct.get(ahead.pop(), set()) - found
            found |= new
            ahead += new
        return found - {item}

    def _learn(self) -> None:
        for item in self._items.values():
            for need in item.after:
                self._direct.setdefault(need, set()).add(item.id)
            if item.asker:
                self._direct.setdefault(item.id, set()).add(item.asker)
