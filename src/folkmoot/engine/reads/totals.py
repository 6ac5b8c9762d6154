"""Sums over all items and runs, kept from look to look: each look reads only what has happened since the last one.

Reading ten thousand items and their runs takes a second. So the rows are read once; from then on the log tells what has
changed. The measures of the handoff document follow from all runs of a workflow, so they are taken anew for those
workflows that were touched: no sooner than the time it took last allows.

Of items that have ended only the last ones are known one by one: a board may have any number of them, and hardly any
changes again. Where one does that is not known any more, the rows are read again.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Any, cast

from msgspec import Struct

from folkmoot.api.gauges import FourMetrics, ItemGauge, RunGauge, SpentGauge
from folkmoot.api.metrics import Metrics
from folkmoot.core.enums import ENDED
from folkmoot.core.events import Change, Event, evolve, typed
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Question, Run
from folkmoot.core.rules.running.spending import money_of, tokens_of
from folkmoot.engine.loading import flow_in_force
from folkmoot.engine.reads.metrics import measure, measured, workflow_of
from folkmoot.store.port import Reading

PAGE = 1000
EVENTS_MAX = 50_000  # after more than these the rows are read again: that takes less
REST = 20.0  # of the time that the measures took last, so many times are waited before they are taken again
ENDED_KEPT = 10_000  # items that have ended: each takes about a kilobyte
NEW = {"title", "column"}  # no item is without them, and nothing else that happens to one sets both
TIME, COUNTED = "time", ("items", "handoffs", "fix_iterations", "escalated")


class _Stands(Struct, gc=False):
    """What is kept of an item."""

    column: str
    status: str
    workflow: str


class Spent(Struct, gc=False):
    """Sums of what was told; None: nobody has told."""

    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None

    def add(self, run: Run, before: Run | None) -> None:
        told, was = tokens_of(run), tokens_of(before) if before else None
        for name in ("input_tokens", "cached_tokens", "output_tokens") if told else ():
            more = getattr(told, name) - (getattr(was, name) if was else 0)
            setattr(self, name, (getattr(self, name) or 0) + more)
        usd = money_of(run)
        if usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + usd - ((money_of(before) if before else None) or 0.0)


class Totals:
    """Only one thread at a time may use it, each time with a reading that is no older than the one before."""

    def __init__(self) -> None:
        self.seq = -1
        self._clear()

    def _clear(self) -> None:
        self.open_questions: dict[str, int] = {}  # and when each was asked
        self._items: dict[str, _Stands] = {}
        self._ended: dict[str, None] = {}  # those of them that have ended, the first first
        self._counts: Counter[tuple[str, str]] = Counter()
        self._open: dict[str, Run] = {}
        self._runs: Counter[tuple[str, str, str, str]] = Counter()
        self._spent: defaultdict[tuple[str, str | None], Spent] = defaultdict(Spent)
        self._measures = Measures()
        self._touched: set[str] = set()
        self._measured = (0.0, 0.0)  # when, and how long it took
        self._metrics: FourMetrics | None = None

    def follow(self, reading: Reading) -> None:
        """Take in what has happened."""
        last = reading.head().seq
        if self.seq < 0 or last < self.seq or last - self.seq > EVENTS_MAX:
            return self._read_all(reading)
        while self.seq < last:
            events = reading.events(self.seq, limit=PAGE)
            if not events or not all(self._take(event, reading) for event in events):
                return self._read_all(reading)
            self.seq = events[-1].seq
        return None

    def _read_all(self, reading: Reading) -> None:
        self._clear()
        items = {one.id: one for one in cast("Iterable[Item]", reading.rows("items"))}
        for item in items.values():
            self._stand(item.id, _Stands(item.column, item.status, workflow_of(items, item.id)))
        runs: defaultdict[str, list[Run]] = defaultdict(list)
        for run in cast("Iterable[Run]", reading.rows("runs")):
            self._count(run, None)
            runs[self._items[run.item].workflow].append(run)
        questions: defaultdict[str, list[Question]] = defaultdict(list)
        for question in cast("Iterable[Question]", reading.rows("questions")):
            self._ask(question.id, question.state, question.at)
            questions[self._items[question.item].workflow].append(question)
        families: defaultdict[str, dict[str, Item]] = defaultdict(dict)
        for item in items.values():
            families[self._items[item.id].workflow][item.id] = item
        flow = flow_in_force(reading)
        for top in runs.keys() | questions.keys():
            self._measures.put(top, measured(flow, families[top], runs[top], questions[top]))
        self.seq = reading.head().seq

    def _take(self, event: Event, reading: Reading) -> bool:
        """False: what it tells of is not known, or means something else for all items."""
        if event.name == "flow_adopted":
            return False
        return all(self._change(change, reading) for change in event.changes)

    def _change(self, change: Change, reading: Reading) -> bool:
        fields = change.fields
        if change.table == "items":
            return self._item(change.id, fields, reading)
        if change.table == "runs":
            known = self._open.get(change.id)
            if known is None and "item" not in fields:
                return False  # one that has ended
            run = cast("Run", evolve(known, typed(change)))
            self._count(run, known)
            return self._touch(run.item)
        if change.table == "questions":
            self._ask(change.id, fields.get("state"), fields.get("at"))
            return "at" not in fields or self._touch(fields["item"])
        return True

    def _touch(self, item: str) -> bool:
        """Its workflow is to be measured again; False: too little is known of it."""
        known = self._items.get(item)
        if known is None or known.workflow not in self._items:
            return False
        self._touched.add(known.workflow)
        return True

    def _item(self, item: str, fields: dict[str, Any], reading: Reading) -> bool:
        known = self._items.get(item)
        if known is None and not fields.keys() >= NEW:
            return False
        if known is None or "kind" in fields or "parent" in fields or "dispatched_by" in fields:
            row = reading.item(item)
            if row is None:
                return False
            known = _Stands(row.column, row.status, self._top(row, reading))
        column, status = fields.get("column", known.column), fields.get("status", known.status)
        self._stand(item, _Stands(column, status, known.workflow))
        return self._touch(item)

    def _top(self, item: Item, reading: Reading) -> str:
        above = item.parent or item.dispatched_by
        if item.kind == "item" or above is None:
            return item.id
        row = reading.item(above)
        return self._top(row, reading) if row is not None else item.id

    def _stand(self, item: str, now: _Stands) -> None:
        before = self._items.get(item)
        if before is not None:
            self._counts[before.column, before.status] -= 1
        self._items[item] = now
        self._counts[now.column, now.status] += 1
        if now.status in ENDED:
            self._ended.setdefault(item)
        else:
            self._ended.pop(item, None)

    def _count(self, run: Run, before: Run | None) -> None:
        self._spent[run.agent, run.model].add(run, before)
        if run.ended_at is None:
            self._open[run.id] = run
            return
        self._open.pop(run.id, None)
        kind = LANDING if run.agent == LANDING else "gate" if run.gate else "agent"
        self._runs[run.agent, kind, run.outcome or "", run.end or ""] += 1

    def _ask(self, question: str, state: str | None, at: int | None) -> None:
        if at is not None:
            self.open_questions[question] = at
        if state not in (None, "open"):
            self.open_questions.pop(question, None)

    def items(self) -> list[ItemGauge]:
        counted = sorted(self._counts.items())
        return [ItemGauge(column=column, status=status, items=many) for (column, status), many in counted if many]

    def runs(self) -> list[RunGauge]:
        return [
            RunGauge(agent=agent, kind=kind, outcome=outcome, end=end, runs=many)
            for (agent, kind, outcome, end), many in sorted(self._runs.items())
        ]

    def spent(self) -> list[SpentGauge]:
        return [
            SpentGauge(
                agent=agent,
                model=model,
                input_tokens=one.input_tokens,
                cached_tokens=one.cached_tokens,
                output_tokens=one.output_tokens,
                cost_usd=None if one.cost_usd is None else round(one.cost_usd, 6),
            )
            for (agent, model), one in sorted(self._spent.items(), key=lambda pair: (pair[0][0], pair[0][1] or ""))
            if one.input_tokens is not None or one.cost_usd is not None
        ]

    def metrics(self, reading: Reading, flow: Flow, clock: Callable[[], float]) -> FourMetrics:
        """Anew where something has happened, unless it took long and that is not long ago."""
        at, cost = self._measured
        now = clock()
        if self._metrics is None or (self._touched and not at <= now < at + REST * cost):
            for top in self._touched & self._items.keys():
                self._measures.put(top, measure(reading, flow, top))
            self._touched = set()
            self._forget()
            self._metrics = self._measures.four()
            self._measured = (now, clock() - now)
        return self._metrics

    def _forget(self) -> None:
        """All of them are measured: what was counted of those that go stays in the sums."""
        for item in list(self._ended)[: max(len(self._ended) - ENDED_KEPT, 0)]:
            del self._ended[item], self._items[item]
            self._measures.forget(item)


class Measures:
    """The four metrics of the handoff document, as sums over workflows. Time is counted in whole milliseconds, so that
    what is taken out again leaves nothing behind."""

    def __init__(self) -> None:
        self._of: dict[str, dict[tuple[str, str], int]] = {}  # by workflow
        self._sums: Counter[tuple[str, str]] = Counter()

    def put(self, workflow: str, found: Metrics) -> None:
        """In place of what was measured of it before."""
        parts = {(TIME, agent): round(seconds * 1000) for agent, seconds in found.time_per_agent.items()}
        for kind, counts in found.by_workflow.items():
            parts |= {(name, kind): getattr(counts, name) for name in COUNTED}
        self._sums.subtract(self._of.get(workflow, {}))
        self._sums.update(parts)
        self._of[workflow] = parts

    def forget(self, workflow: str) -> None:
        """It will not be measured again, and stays in the sums."""
        self._of.pop(workflow, None)

    def four(self) -> FourMetrics:
        by: dict[str, dict[str, int]] = {name: {} for name in (TIME, *COUNTED)}
        for (name, kind), many in sorted(self._sums.items()):
            by[name][kind] = many
        begun, handoffs, fixes, escalated = (
            {k: by[name][k] for k in by["items"] if by["items"][k]} for name in COUNTED
        )
        total = sum(begun.values())
        return FourMetrics(
            time_per_agent={agent: milliseconds / 1000 for agent, milliseconds in by[TIME].items()},
            workflows=begun,
            handoffs_per_workflow={kind: round(handoffs[kind] / begun[kind], 4) for kind in begun},
            handoffs=handoffs,
            fix_iterations=fixes,
            escalated=escalated,
            escalation_rate=round(sum(escalated.values()) / total, 4) if total else None,
        )
