"""Reads the log as it comes, folds it, and checks what must hold at every event: a witness beside the rules."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from folkmoot.core.enums import ENDED
from folkmoot.core.events import Change, Event, FlowVersion, Row, evolve, typed
from folkmoot.core.flow import Flow
from folkmoot.core.input_limits import COMMAND_BYTES_MAX, has_unstorable
from folkmoot.core.item import Item
from folkmoot.core.records import Attempt, Hold, Message, Question, Run
from folkmoot.core.rules.sharing.paths import Standing
from folkmoot.core.vocabulary.tries import is_told, worked
from folkmoot.engine.checking.behaviour import Conduct
from folkmoot.engine.checking.invariants import Violation
from folkmoot.engine.checking.landings import Landings
from folkmoot.engine.checking.running import Running
from folkmoot.engine.checking.steered import Steered
from folkmoot.engine.unit_of_work import DUE_MAX
from folkmoot.store.port import BoardHead, Reading

# What a run itself writes; each must come while that run is the item's current one.
WRITTEN_BY_RUNS = frozenset(
    {
        *("lease_renewed", "setup_ended", "agent_completed", "run_released", "run_paused", "run_stopped"),
        *("landing_recorded", "landing_deferred"),
    }
)
ENDS_BY_TIME = frozenset({"run_lapsed", "default_taken", "item_parked", "deadline_passed"})
# What a NUL character or a number that may be too long looks like in JSON. Most events have neither, and this is quick.
SUSPECT = re.compile(rb"\\u0000|\d{19}")
Tables = dict[str, dict[str, Row]]


class Audit:
    """Feed it every event in order. `tables` is the fold so far; `violations` is all that was found."""

    def __init__(self) -> None:
        self.tables: Tables = {}
        self.violations: list[Violation] = []
        self.seq = 0
        self.time = 0.0
        self.open_runs: dict[str, Run] = {}
        self.runs_since_person: dict[str, int] = {}
        self._ended_at_this_time = 0
        self._last_end: tuple[str, float] | None = None
        self._in_force: Flow | None = None
        self.conduct = Conduct(self.tables, self._found)
        self.running = Running(self.tables, self._found)
        self.landings = Landings(self._found)
        self.steered = Steered(self._found)

    @property
    def held(self) -> Standing[Hold]:
        """The holds in force, and the expired ones that nobody has released."""
        return self.conduct.held

    def feed(self, events: Iterable[Event]) -> None:
        for event in events:
            self._check_order(event)
            item = self._item(event.item)
            self._check_before(event, item)
            self.conduct.before(event, item, self._in_force)
            for change in event.changes:
                self._fold(event, typed(change))
            after = self._item(event.item)
            by_person = event.by_person
            self._check_after(event, item, after, by_person)
            self.conduct.after(event, item, after, self._in_force, by_person)
            self.running.after(event, item, after, self._in_force)
            self.landings.after(event, item, after, self._in_force, by_person)
            self.steered.after(event, item, after)

    def _item(self, item: str | None) -> Item | None:
        found = self.tables.get("items", {}).get(item or "")
        return found if isinstance(found, Item) else None

    def _flow_of(self, run: str | None) -> Flow | None:
        """The flow that was in force when a run began."""
        begun: Any = self.tables.get("runs", {}).get(run or "")
        flows: dict[str, Any] = self.tables.get("flows", {})
        return flows[str(begun.flow_version)].flow if begun and str(begun.flow_version) in flows else None

    def _found(self, check: str, text: str, item: str | None) -> None:
        self.violations.append(Violation(check, text, item))

    def _check_order(self, event: Event) -> None:
        if event.seq != self.seq + 1:
            self._found("I13", f"event {event.seq} follows {self.seq}", event.item)
        if event.time < self.time:
            self._found("I10", f"event {event.seq} is at {event.time}, after {self.time}", event.item)
        self._ended_at_this_time = 0 if event.time > self.time else self._ended_at_this_time
        self._ended_at_this_time += event.name in ENDS_BY_TIME
        self.seq, self.time = event.seq, max(event.time, self.time)

    def _check_before(self, event: Event, item: Item | None) -> None:
        """What must hold of the item for this event to happen to it."""
        version = item.version if item else 0
        if event.item is not None and event.version != version + 1:
            self._found("I15", f"event {event.seq} makes version {event.version} after {version}", event.item)
        if event.run is not None and not self._is_current(event):
            self._found("I3", f"{event.name} by run {event.run}, which had ended", event.item)
        if event.name in WRITTEN_BY_RUNS and (item is None or item.run != event.run):
            self._found("I3", f"{event.name} by run {event.run} while the run was {item and item.run}", event.item)
        if event.name == "agent_started" and item is not None:
            self._check_claim(event, item)
            if self._in_force is not None:
                self.running.claimed(event, item, self._in_force)
        if event.name == "pool_paused":
            self.running.paused(event, item)
        if event.name == "run_stopped" and item is not None and self._in_force is not None:
            self.running.stopped(event, item, self._in_force)
        if event.name == "dispute_answered" and item is not None:
            self._check_round(event, item)

    def _is_current(self, event: Event) -> bool:
        """A run writes while it is open, and in the moment in which it begins or ends."""
        return event.run in self.open_runs or event.name == "agent_started" or self._last_end == (event.run, event.time)

    def _check_claim(self, event: Event, item: Item) -> None:
        needs = [self._item(need) for need in item.after]
        open_needs = [need.id for need in needs if need is not None and need.status not in ENDED]
        early = item.wake_at > event.time and not event.context.get("person")
        if item.status not in ("ready", "proving") or item.waits_for or open_needs or early:
            self._found("I6", f"it was {item.status}, waiting for {item.waits_for or open_needs}", item.id)
        overdue = [run.id for run in self.open_runs.values() if run.lease_until <= event.time]
        if overdue and self._ended_at_this_time < DUE_MAX:
            self._found("I12", f"{', '.join(overdue)} had run out at the claim in event {event.seq}", item.id)
        if event.run in self.tables.get("runs", {}):
            self._found("I8", f"run {event.run} began twice", item.id)
        count = self.runs_since_person.get(item.id, 0) + 1
        self.runs_since_person[item.id] = count
        flow = self._in_force
        if flow is not None and count > flow.limits.runs:
            self._found("R-33", f"run {count} began without a person in between", item.id)

    def _check_round(self, event: Event, item: Item) -> None:
        """No statement is made in a dispute that was at its limit under the flow its run began with."""
        flow, thread = self._flow_of(event.run), event.context.get("thread")
        rounds = next((dispute.rounds for dispute in item.disputes if dispute.thread == thread), 0)
        if flow is not None and rounds >= flow.limits.dispute_rounds:
            self._found("R-12", f"{thread} had {rounds} rounds, and {event.agent} went on with it", item.id)

    def _check_waiting(self, event: Event, after: Item) -> None:
        """Nothing goes forward past a dispute that waits for its turn."""
        flow = self._in_force
        stages = flow.stages() if flow is not None else []
        ahead = stages[stages.index(after.column) :] if after.column in stages else []
        for dispute in after.disputes:
            side = dispute.side(dispute.turn)
            if flow is not None and dispute.waits and side.column in flow.columns and side.stage not in ahead:
                words = f"it went to {after.column} past {dispute.thread}, which {side.agent} has yet to answer"
                self._found("R-12", words, after.id)

    def _fold(self, event: Event, change: Change) -> None:
        rows = self.tables.setdefault(change.table, {})
        before = rows.get(change.id)
        after = evolve(before, change)
        rows[change.id] = after
        if isinstance(after, Run):
            self._check_run(event, before, after)
        elif isinstance(after, Hold):
            self.conduct.hold(event, before, after)
        elif isinstance(after, Message):
            self.conduct.message(event, before, after)
        elif isinstance(after, FlowVersion):
            self._in_force = after.flow
        elif isinstance(after, Attempt):
            self._check_attempt(event, after)
        elif isinstance(after, Question) and isinstance(before, Question) and before.state != "open":
            self._found("I27", f"{change.id} was {before.state}, then {after.state}", event.item)
        if _cannot_be_kept(change.fields):
            self._found("I31", f"event {event.seq} holds a text that cannot be kept", event.item)

    def _check_attempt(self, event: Event, after: Attempt) -> None:
        """Older boards have events without the outcome, and counted whatever was told."""
        if event.name != "attempt_counted" or "outcome" not in event.context or not worked(after.outcome):
            return
        run = self.tables.get("runs", {}).get(after.run)
        summary = run.report.summary if isinstance(run, Run) and run.report is not None else ""
        if is_told(after.approach, after.outcome, summary):
            self._found("R-06", f"attempt {after.number} succeeded ({after.outcome}), and was counted", event.item)

    def _check_run(self, event: Event, before: Row | None, after: Run) -> None:
        if isinstance(before, Run) and before.ended_at is not None:
            self._found("I5", f"run {after.id} had ended, and {event.name} came", event.item)
        if before is None and after.flow_version != len(self.tables["flows"]):
            self._found("R-30", f"run {after.id} began under flow {after.flow_version}", event.item)
        if before is None and any(run.item == after.item for run in self.open_runs.values()):
            self._found("I1", f"run {after.id} began beside another", event.item)
        if after.ended_at is None:
            self.open_runs[after.id] = after
        elif self.open_runs.pop(after.id, None) is not None:
            self._last_end = (after.id, event.time)

    def _check_after(self, event: Event, before: Item | None, after: Item | None, by_person: bool) -> None:
        """Counters only rise, unless a person speaks."""
        if before is None or after is None:
            return
        if by_person and event.name == "escalation_counters_reset":
            self.runs_since_person[after.id] = 0
        fell = after.span.runs < before.span.runs or after.span.disputes < before.span.disputes
        fell = fell or (after.span.attempts < before.span.attempts and event.name != "attempt_overruled")
        if fell and not (by_person and event.name == "escalation_counters_reset"):
            self._found("R-18", f"{event.name} by {event.agent} reset its counters", after.id)
        may_reopen = event.name == "item_reopened" and (
            by_person or after.kind == "task"
        )  # a task's done is provisional
        if event.name == "phase_completed":
            self._check_waiting(event, after)
        if before.status in ENDED and after.status not in ENDED and not may_reopen:
            self._found("R-18", f"{event.name} by {event.agent} brought it back from {before.status}", after.id)

    def head(self) -> BoardHead:
        """What the head of the store must say; only the hash of its last event is not known here."""
        clock: Any = self.tables.get("clock", {}).get("clock")
        questions: dict[str, Any] = self.tables.get("questions", {})
        items: dict[str, Any] = self.tables.get("items", {})
        holds: dict[str, Any] = self.tables.get("holds", {})
        return BoardHead(
            seq=self.seq,
            time=self.time,
            boot=clock.boot if clock else "",
            offset=clock.offset if clock else 0.0,
            flow_version=len(self.tables.get("flows", ())),
            items=len(self.tables.get("items", ())),
            comments=len(self.tables.get("comments", ())),
            questions=len(questions),
            open_questions=sum(question.state == "open" for question in questions.values()),
            messages=len(self.tables.get("messages", ())),
            lessons=len(self.tables.get("lessons", ())),
            filed=sum(bool(item.files) for item in items.values()),
            held=sum(hold.held for hold in holds.values()),
            pauses=len(self.tables.get("pauses", ())),
        )

    def compare(self, reading: Reading, tables: Iterable[str]) -> None:
        """Hold the fold against the rows, and against the head that sums them up."""
        if replace(reading.head(), chain=b"") != self.head():
            self._found("I14", f"the head is {reading.head()}, and the events say {self.head()}", None)
        for table in tables:
            stored = {row.id: row for row in reading.rows(table)}
            folded = self.tables.get(table, {})
            for row_id in sorted(stored.keys() | folded.keys()):
                if stored.get(row_id) != folded.get(row_id):
                    self._found("I14", f"the row {row_id} of {table} is not what its events say", None)


def _cannot_be_kept(fields: dict[str, Any]) -> bool:
    try:
        data = msgspec.json.encode(fields)
    except (UnicodeEncodeError, OverflowError):
        return True
    if len(data) > 2 * COMMAND_BYTES_MAX:
        return True
    return SUSPECT.search(data) is not None and has_unstorable(msgspec.to_builtins(fields))
