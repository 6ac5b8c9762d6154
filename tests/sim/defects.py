"""Planted defects: one way to break each promise, so that a checker which sees nothing is itself seen."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.commands import AnswerQuestion, ClaimItem, Command, PassDeadline
from folkmoot.core.events import Event
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import Place, place
from folkmoot.core.records import Run
from folkmoot.core.rules import (
    answers,
    claims,
    decide,
    dependencies,
    disputes,
    failures,
    hands,
    movement,
    outcomes,
    questions,
)
from folkmoot.core.situation import Case, Situation
from folkmoot.engine import engine, turn
from folkmoot.engine.moment import Moment
from folkmoot.engine.moment import moment as true_moment
from folkmoot.errors import Invalid
from folkmoot.sim.flows import kanban
from folkmoot.store.base import BoardHead, KeptAnswer
from folkmoot.store.codec import link
from folkmoot.store.sqlite import writing
from folkmoot.store.sqlite.reading import SqliteReading
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.store.sqlite.writing import SqliteTransaction
from folkmoot.testing.clock import SeededIds

Patch = pytest.MonkeyPatch


class Defect(Struct, frozen=True):
    """`check` is the one that must see it. `open_up` takes away what the database itself would hold against it."""

    check: str
    name: str
    plant: Callable[[Patch], None]
    open_up: Callable[[SqliteStore], None] | None = None
    flow: Flow | None = None
    in_log: bool = True  # does it leave a trace that `moot doctor` can find afterwards?


DEFECTS: list[Defect] = []


def defect(
    check: str,
    name: str,
    *,
    open_up: Callable[[SqliteStore], None] | None = None,
    flow: Flow | None = None,
    in_log: bool = True,
) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    def keep(plant: Callable[[Patch], None]) -> Callable[[Patch], None]:
        DEFECTS.append(Defect(check, name, plant, open_up, flow, in_log))
        return plant

    return keep


def everywhere(patch: Patch, modules: Sequence[Any], name: str, wrong: Callable[..., Any]) -> None:
    """A rule is known by name in each module that uses it."""
    for module in modules:
        patch.setattr(module, name, wrong)


def limited(**limits: Any) -> Flow:
    return replace(kanban(), limits=replace(kanban().limits, **limits))


def also_claimable(*statuses: str) -> Callable[[Flow, Item], Place]:
    """A queue that holds what nobody may take."""

    def wrong(flow: Flow, item: Item) -> Place:
        right = place(flow, item)
        queue = flow.watcher(item.column) if item.status in statuses else right.queue
        return replace(right, queue=queue)

    return wrong


def without_open_index(store: SqliteStore) -> None:
    store._connection.execute("DROP INDEX runs_open")


@defect("I1", "a running item is given to a second agent", open_up=without_open_index)
def two_runs(patch: Patch) -> None:
    everywhere(patch, (claims, turn), "place", also_claimable("running"))
    load = turn.situation

    def blind(reading: Any, command: Command, *rest: Any, **more: Any) -> Situation:
        loaded = load(reading, command, *rest, **more)
        return replace(loaded, run=None) if isinstance(command, ClaimItem) else loaded

    patch.setattr(turn, "situation", blind)


@defect("I2", "tokens go up by two")
def token_gap(patch: Patch) -> None:
    claim = claims.claim

    def wrong(case: Case, command: ClaimItem) -> None:
        case.item = replace(case.item, token=case.item.token + 1)
        claim(case, command)

    patch.setattr(claims, "claim", wrong)


@defect("I3", "any token of any run will do", in_log=False)
def open_fence(patch: Patch) -> None:
    fence = claims.fence

    def wrong(case: Case) -> Run:
        if case.run is not None and case.run.ended_at is None:
            case.voice = case.run
            return case.run
        return fence(case)

    everywhere(patch, (claims, outcomes, hands), "fence", wrong)


@defect("I3", "a lost run is let in under its own name")
def ghost_voice(patch: Patch) -> None:
    fence = claims.fence

    def wrong(case: Case) -> Run:
        if case.run is not None and case.run.ended_at is None:
            case.voice = replace(case.run, id=case.speaker.run or "")
            return case.run
        return fence(case)

    everywhere(patch, (claims, outcomes, hands), "fence", wrong)


@defect("I4", "giving back does not end the run", open_up=without_open_index)
def run_left_open(patch: Patch) -> None:
    end_run = claims.end_run

    def wrong(case: Case, event: str, end: str, *rest: Any, **changed: Any) -> None:
        if end == "released":
            case.emit(event, item=movement.at_rest(case))
        else:
            end_run(case, event, end, *rest, **changed)

    patch.setattr(claims, "end_run", wrong)


@defect("I5", "a run that has reported is rescued as well")
def ended_twice(patch: Patch) -> None:
    end_run = claims.end_run

    def wrong(case: Case, *rest: Any, **changed: Any) -> None:
        end_run(case, *rest, **changed)
        assert case.run is not None
        case.emit("run_lapsed", item={}, runs=(case.run.id, {"end": "rescued"}))

    patch.setattr(outcomes, "end_run", wrong)


@defect("I6", "an item that waits for others is given out")
def claim_too_early(patch: Patch) -> None:
    everywhere(patch, (claims, turn), "place", also_claimable("waiting"))
    claim = claims.claim

    def wrong(case: Case, command: ClaimItem) -> None:
        waits_for = case.item.waits_for
        case.item = replace(case.item, waits_for=[])
        claim(case, command)
        case.item = replace(case.item, waits_for=waits_for)

    patch.setattr(claims, "claim", wrong)


@defect("I6", "pauses are not waited for")
def no_pause(patch: Patch) -> None:
    next_ready, claim = SqliteReading.next_ready, claims.claim

    def hasty(self: SqliteReading, agent: str, now: float, starve: float, **more: Any) -> Item | None:
        return next_ready(self, agent, now + 1000, starve, **more)

    def wrong(case: Case, command: ClaimItem) -> None:
        wake_at = case.item.wake_at
        case.item = replace(case.item, wake_at=0.0)
        claim(case, command)
        case.item = replace(case.item, wake_at=wake_at)

    patch.setattr(SqliteReading, "next_ready", hasty)
    patch.setattr(claims, "claim", wrong)


def without_run_key(store: SqliteStore) -> None:
    columns = "id TEXT NOT NULL, item INTEGER, token INTEGER, lease_until REAL, ended_at INTEGER, doc TEXT"
    store._connection.execute(f"DROP TABLE runs; CREATE TABLE runs ({columns})").fetchall()


@defect("I8", "run ids come from a small pool", open_up=without_run_key)
def used_id(patch: Patch) -> None:
    patch.setattr(SeededIds, "run", lambda self: f"r{self._chance.randrange(30)}")


@defect("I10", "the clock is taken as the machine tells it")
def clock_goes_back(patch: Patch) -> None:
    def wrong(clock: Any, head: BoardHead) -> Moment:
        right = true_moment(clock, head)
        return right if right.restarted else replace(right, now=clock.boot()[1] + head.offset)

    patch.setattr(turn, "moment", wrong)


@defect("I12", "the sweep stops at the first it finds")
def lazy_sweep(patch: Patch) -> None:
    patch.setattr(turn, "DUE_MAX", 1)


@defect("I12", "nobody sweeps before a claim")
def no_sweep(patch: Patch) -> None:
    patch.setattr(turn.Turn, "sweep", lambda self: None)


@defect("I13", "a number is given away before it is known whether it will be used")
def sequence_gap(patch: Patch) -> None:
    save_events = SqliteTransaction._save_events

    def wrong(self: SqliteTransaction, head: BoardHead, events: Sequence[Event]) -> BoardHead:
        skip = head.seq % 50 == 49
        return save_events(self, replace(head, seq=head.seq + 1) if skip else head, events)

    patch.setattr(SqliteTransaction, "_save_events", wrong)


@defect("I14", "a renewal is told but not kept")
def lost_update(patch: Patch) -> None:
    save_run = SqliteTransaction._save_run

    def wrong(self: SqliteTransaction, run: Run, is_new: bool) -> None:
        if is_new or run.ended_at is not None:
            save_run(self, run, is_new)

    patch.setattr(SqliteTransaction, "_save_run", wrong)


@defect("I14", "a row changes without an event")
def silent_change(patch: Patch) -> None:
    touched = turn._touched

    def wrong(case: Case) -> Any:
        rows = touched(case)
        return [(table, replace(row, cost_usd=0.0) if isinstance(row, Item) else row, new) for table, row, new in rows]

    patch.setattr(turn, "_touched", wrong)


@defect("I14", "a write to one item reaches another one")
def wrong_row(patch: Patch) -> None:
    save_item = SqliteTransaction._save_item

    def wrong(self: SqliteTransaction, item: Item, is_new: bool, where: Place) -> None:
        save_item(self, item, is_new, where)
        if item.id == "7":
            self._execute("UPDATE items SET doc = json_set(doc, '$.title', 'overwritten') WHERE number = 1")

    patch.setattr(SqliteTransaction, "_save_item", wrong)


@defect("I14", "the log is tidied up afterwards", in_log=False)
def rewritten_log(patch: Patch) -> None:
    finish = SqliteTransaction.finish

    def wrong(self: SqliteTransaction) -> None:
        finish(self)
        if self.head().seq > 200:
            tidy = "UPDATE events SET body = json_set(body, '$.changes[0][2].title', 'tidy') WHERE seq = ?"
            first = "(SELECT seq FROM events WHERE name = 'item_added' ORDER BY seq LIMIT 1)"
            self._execute(tidy.replace("?", first))

    patch.setattr(SqliteTransaction, "finish", wrong)


@defect("I14", "the head forgets an open question")
def wrong_head(patch: Patch) -> None:
    save = SqliteTransaction._save_question

    def wrong(self: SqliteTransaction, head: BoardHead, *rest: Any) -> BoardHead:
        return replace(save(self, head, *rest), open_questions=0)

    patch.setattr(SqliteTransaction, "_save_question", wrong)


def without_version_index(store: SqliteStore) -> None:
    store._connection.execute("DROP INDEX events_version")


@defect("I15", "a renewal counts as two changes", open_up=without_version_index)
def version_gap(patch: Patch) -> None:
    renew = claims.renew

    def wrong(case: Case) -> None:
        if case.run is not None and case.run.id == case.speaker.run and case.run.token == case.speaker.token:
            case.item = replace(case.item, version=case.item.version + 1)
        renew(case)

    patch.setattr(claims, "renew", wrong)


@defect("I17", "a full page loses its last event")
def lost_event(patch: Patch) -> None:
    events = SqliteReading.events

    def wrong(self: SqliteReading, after: int, *, item: str | None = None, limit: int = 1000) -> list[Event]:
        page = events(self, after, item=item, limit=limit)
        return page[:-2] + page[-1:] if len(page) == limit else page

    patch.setattr(SqliteReading, "events", wrong)


@defect("I27", "an answered question can be answered again")
def answered_twice(patch: Patch) -> None:
    answer = answers.answer

    def wrong(case: Case, command: AnswerQuestion) -> None:
        question = case.questions[command.question]
        if question.state == "answered":
            case.questions[question.id] = replace(question, state="open")
        answer(case, command)

    patch.setattr(answers, "answer", wrong)


@defect("I30", "answers are not kept under their keys")
def lost_keys(patch: Patch) -> None:
    def wrong(self: SqliteTransaction, speaker: str, key: str, kept: KeptAnswer, at: int) -> None:
        pass

    patch.setattr(SqliteTransaction, "keep_answer", wrong)


@defect("I30", "a key is not held against the command it came with")
def loose_keys(patch: Patch) -> None:
    patch.setattr(engine, "_digest", lambda command, data, salt: b"")


@defect("I31", "any text is let in")
def open_gate(patch: Patch) -> None:
    def wrong(command: Command) -> bytes:
        try:
            return msgspec.json.encode(command)
        except UnicodeEncodeError as fault:
            raise Invalid("bad_text", str(fault)) from fault

    patch.setattr(engine, "encoded", wrong)


@defect("R-03", "nobody is told that what they waited for has ended")
def no_consequences(patch: Patch) -> None:
    patch.setattr(turn, "consequences", lambda before, after: [])


@defect("R-03", "circles are let in")
def circles(patch: Patch) -> None:
    patch.setattr(dependencies, "path", lambda case, start, goal: None)


@defect("R-03", "an item that rests is in nobody's queue", in_log=False)
def lost_in_queue(patch: Patch) -> None:
    def wrong(flow: Flow, item: Item) -> Place:
        right = place(flow, item)
        return replace(right, queue=None) if item.last_run else right

    patch.setattr(turn, "place", wrong)


@defect("R-03", "nobody is asked about an item in a column for people")
def unasked(patch: Patch) -> None:
    ask = questions.ask

    def wrong(case: Case, kind: str, *rest: Any, **more: Any) -> None:
        if not case.flow.columns[case.item.column].human:
            ask(case, kind, *rest, **more)

    patch.setattr(movement, "ask", wrong)


@defect("R-11", "attempts are counted, and nobody looks at the number", flow=limited(attempts=3))
def no_limit(patch: Patch) -> None:
    everywhere(patch, (failures, movement, outcomes), "at_limit", lambda case: False)


def with_limits(rule: Callable[..., None], **limits: Any) -> Callable[..., None]:
    """A rule that believes in other limits than the flow has."""

    def wrong(case: Case, *rest: Any, **more: Any) -> None:
        flow = case.flow
        case.flow = replace(flow, limits=replace(flow.limits, **limits))
        rule(case, *rest, **more)
        case.flow = flow

    return wrong


@defect("R-12", "disputes go on and on", flow=limited(dispute_rounds=1))
def no_breaker(patch: Patch) -> None:
    patch.setattr(disputes, "_reply", with_limits(disputes._reply, dispute_rounds=1000))
    patch.setattr(movement, "trip_breakers", lambda case: None)


@defect(
    "R-18",
    "a default is taken for guidance",
    flow=replace(kanban(), questions=replace(kanban().questions, deadline=30.0)),
)
def default_resets(patch: Patch) -> None:
    pass_deadline = answers.pass_deadline

    def wrong(case: Case, command: PassDeadline) -> None:
        pass_deadline(case, command)
        if case.questions[command.question].state == "defaulted":
            answers.reset_counters(case, "the default")

    patch.setattr(answers, "pass_deadline", wrong)


@defect("R-18", "an ended item comes back by itself")
def undead(patch: Patch) -> None:
    give_up = answers.give_up

    def wrong(case: Case, why: str) -> None:
        give_up(case, why)
        case.set("item_ready", {"why": "once more"}, status="ready", waits_for=[])

    everywhere(patch, (answers, hands), "give_up", wrong)


@defect("R-33", "the fuse is taken out", flow=limited(runs=4))
def no_fuse(patch: Patch) -> None:
    wrong = with_limits(movement.settle, runs=1_000_000)
    everywhere(patch, (movement, failures, outcomes, hands, decide), "settle", wrong)


@defect("chain", "each event is hashed by itself")
def no_chain(patch: Patch) -> None:
    patch.setattr(writing, "link", lambda previous, columns, body: link(b"", columns, body))
