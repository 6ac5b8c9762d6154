"""Planted defects: one way to break each promise, so that a checker which sees nothing is itself seen."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core import order, unfinished
from folkmoot.core.commands import (
    AnswerQuestion,
    ClaimItem,
    Command,
    CompleteMessage,
    KeepWork,
    PassDeadline,
    PauseRun,
    ReopenChild,
    ReportRun,
    SettleLanding,
)
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS, Cause, EventName, QuestionKind, RunEnd
from folkmoot.core.events import Event
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Dispute, Item
from folkmoot.core.order import QueuePosition, claimant, queue_position
from folkmoot.core.records import ORCHESTRATOR, Question, Run, Wanted
from folkmoot.core.report import Contract, Report, Try
from folkmoot.core.rules import (
    answers,
    claims,
    decide,
    dependencies,
    disputes,
    distinct,
    failures,
    manual,
    movement,
    outcomes,
    questions,
    settling,
)
from folkmoot.core.rules.asking import choosing
from folkmoot.core.rules.asking.choosing import Chosen
from folkmoot.core.rules.children import counting, reopening, tasks
from folkmoot.core.rules.children import help as helping
from folkmoot.core.rules.judging import form, gates, required, sent, spoken, understanding, verdicts
from folkmoot.core.rules.judging.against import contradictions
from folkmoot.core.rules.judging.required import waive
from folkmoot.core.rules.messages import asking, life, sending
from folkmoot.core.rules.running import hearing, landing, pauses, rights, work
from folkmoot.core.rules.sharing import choice, holds, mirrored
from folkmoot.core.situation import MADE, Case, Situation
from folkmoot.core.work import Work
from folkmoot.engine import claiming, engine, loading, unit_of_work
from folkmoot.engine.checking import doctor
from folkmoot.engine.moment import Moment
from folkmoot.engine.moment import moment as true_moment
from folkmoot.errors import Invalid
from folkmoot.reports.splits import finding
from folkmoot.sim import agents, craft, people, teamwork
from folkmoot.sim.flows import flow_of, kanban
from folkmoot.sim.speech import Scene
from folkmoot.sim.teamwork import redefining
from folkmoot.store.codec import link
from folkmoot.store.port import BoardHead, KeptAnswer
from folkmoot.store.sql import writing
from folkmoot.store.sql.reading import SqlReading
from folkmoot.store.sql.writing import SqlTransaction
from folkmoot.store.sqlite.store import SqliteStore
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
    alone: bool = False  # is it seen by this check only, at the step where it is seen first?
    first: int = 0  # the seed to begin with: what needs much to come together is not seen in every life
    amid: Callable[[Patch], None] | None = None  # makes the world's people or agents do more often what it takes


DEFECTS: list[Defect] = []


def defect(
    check: str,
    name: str,
    *,
    open_up: Callable[[SqliteStore], None] | None = None,
    flow: Flow | None = None,
    in_log: bool = True,
    alone: bool = False,
    first: int = 0,
    amid: Callable[[Patch], None] | None = None,
) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    def keep(plant: Callable[[Patch], None]) -> Callable[[Patch], None]:
        DEFECTS.append(Defect(check, name, plant, open_up, flow, in_log, alone, first, amid))
        return plant

    return keep


def everywhere(patch: Patch, modules: Sequence[Any], name: str, wrong: Callable[..., Any]) -> None:
    """A rule is known by name in each module that uses it."""
    for module in modules:
        patch.setattr(module, name, wrong)


def change_rule(patch: Patch, command: type[Command], wrong: Callable[..., None]) -> None:
    """The table of rules knows them by themselves, not by their names."""
    patch.setattr(decide, "RULES", {**decide.RULES, command: wrong})


def limited(name: str = "kanban", **limits: Any) -> Flow:
    flow = flow_of(name)
    return replace(flow, limits=replace(flow.limits, **limits))


def many_files(patch: Patch) -> None:
    """Most items declare what they will write, so that many wait for paths."""
    patch.setattr(people, "FILES_RATE", 0.6)


def nobody_signed_in(patch: Patch) -> None:
    """Each client that cannot go on says that it is not signed in."""
    patch.setattr(craft, "shown_by_client", lambda scene: PauseRun(why="401", cause="environment", login=True))


def many_conflicts(patch: Patch) -> None:
    """Every second landing meets a conflict, a good agent's too; so much is mended after it was signed."""
    land = craft.landing

    def meets(scene: Scene, parent: Item | None) -> list[Command]:
        if scene.chance.random() < 0.5:
            return land(scene, parent)
        both = Work(base=scene.item.head, commit=craft.commit(scene), tree=craft.commit(scene))
        return [ReportRun(report=Report.failed("they disagree in a.py", "conflict"), work=both)]

    patch.setattr(craft, "landing", meets)


def contracts_changing(patch: Patch) -> None:
    """Each split says what all of its tasks rely on, and every fourth run says that anew, while others work for it."""

    def of_all(scene: Scene) -> list[Contract]:
        return [Contract(name=name, text=scene.chance.choice(("v1", "v2", "v3"))) for name in teamwork.CONTRACTS]

    patch.setattr(teamwork, "_contracts", of_all)
    patch.setattr(agents, "SAYS", {**agents.SAYS, **dict.fromkeys(("repeating", "incomplete", "causes"), redefining)})


def also_claimable(*statuses: str) -> Callable[[Flow, Item], str | None]:
    """A queue that holds what nobody may take."""

    def wrong(flow: Flow, item: Item) -> str | None:
        return flow.watcher(item.column) if item.status in statuses else claimant(flow, item)

    return wrong


def without_open_index(store: SqliteStore) -> None:
    store._connection.execute("DROP INDEX runs_open")


@defect("I1", "a running item is given to a second agent", open_up=without_open_index)
def two_runs(patch: Patch) -> None:
    everywhere(patch, (order, claims), "claimant", also_claimable("running"))
    load = loading.situation

    def blind(reading: Any, command: Command, *rest: Any, **more: Any) -> Situation:
        loaded = load(reading, command, *rest, **more)
        return replace(loaded, run=None) if isinstance(command, ClaimItem) else loaded

    patch.setattr(unit_of_work, "situation", blind)


@defect("I2", "tokens go up by two")
def token_gap(patch: Patch) -> None:
    claim = claims.claim

    def wrong(case: Case, command: ClaimItem) -> None:
        case.item = replace(case.item, token=case.item.token + 1)
        claim(case, command)

    change_rule(patch, ClaimItem, wrong)


@defect("I3", "any token of any run will do", in_log=False)
def open_fence(patch: Patch) -> None:
    fence = claims.fence

    def wrong(case: Case) -> Run:
        if case.run is not None and case.run.ended_at is None:
            case.voice = case.run
            return case.run
        return fence(case)

    everywhere(patch, (claims, outcomes, manual, gates), "fence", wrong)


@defect("I3", "a lost run is let in under its own name")
def ghost_voice(patch: Patch) -> None:
    fence = claims.fence

    def wrong(case: Case) -> Run:
        if case.run is not None and case.run.ended_at is None:
            case.voice = replace(case.run, id=case.actor.run or "")
            return case.run
        return fence(case)

    everywhere(patch, (claims, outcomes, manual, gates), "fence", wrong)


@defect("I4", "giving back does not end the run", open_up=without_open_index)
def run_left_open(patch: Patch) -> None:
    end_run = claims.end_run

    def wrong(case: Case, event: EventName, end: RunEnd, *rest: Any, **changed: Any) -> None:
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
    everywhere(patch, (order, claims), "claimant", also_claimable("waiting"))
    claim = claims.claim

    def wrong(case: Case, command: ClaimItem) -> None:
        waits_for = case.item.waits_for
        case.item = replace(case.item, waits_for=[])
        claim(case, command)
        case.item = replace(case.item, waits_for=waits_for)

    change_rule(patch, ClaimItem, wrong)


@defect("I6", "pauses are not waited for")
def no_pause(patch: Patch) -> None:
    next_ready, claim = SqlReading.next_ready, claims.claim

    def hasty(self: SqlReading, agent: str, now: float, starve: float, **more: Any) -> Item | None:
        return next_ready(self, agent, now + 1000, starve, **more)

    def wrong(case: Case, command: ClaimItem) -> None:
        wake_at = case.item.wake_at
        case.item = replace(case.item, wake_at=0.0)
        claim(case, command)
        case.item = replace(case.item, wake_at=wake_at)

    patch.setattr(SqlReading, "next_ready", hasty)
    change_rule(patch, ClaimItem, wrong)


def without_run_key(store: SqliteStore) -> None:
    columns = "id TEXT NOT NULL, item INTEGER, token INTEGER, lease_until REAL, ended_at INTEGER, doc TEXT"
    index = store._connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'runs_lease'").get
    store._connection.execute(f"DROP TABLE runs; CREATE TABLE runs ({columns}); {index}").fetchall()


@defect("I8", "run ids come from a small pool", open_up=without_run_key)
def used_id(patch: Patch) -> None:
    patch.setattr(SeededIds, "run", lambda self: f"r{self._chance.randrange(30)}")


@defect("I10", "the clock is taken as the machine tells it")
def clock_goes_back(patch: Patch) -> None:
    def wrong(clock: Any, head: BoardHead) -> Moment:
        right = true_moment(clock, head)
        boot, up = clock.boot()
        return replace(right, now=up + head.offset, restarted=None) if boot == head.boot else right

    patch.setattr(unit_of_work, "moment", wrong)


@defect("I12", "the sweep stops at the first it finds")
def lazy_sweep(patch: Patch) -> None:
    patch.setattr(unit_of_work, "DUE_MAX", 1)


@defect("I12", "nobody sweeps before a claim")
def no_sweep(patch: Patch) -> None:
    patch.setattr(unit_of_work.UnitOfWork, "sweep", lambda self: None)


@defect("I13", "a number is given away before it is known whether it will be used")
def sequence_gap(patch: Patch) -> None:
    save_events = SqlTransaction._save_events

    def wrong(self: SqlTransaction, head: BoardHead, events: Sequence[Event]) -> BoardHead:
        skip = head.seq % 50 == 49
        return save_events(self, replace(head, seq=head.seq + 1) if skip else head, events)

    patch.setattr(SqlTransaction, "_save_events", wrong)


@defect("I14", "a renewal is told but not kept")
def lost_update(patch: Patch) -> None:
    save_run = SqlTransaction._save_run

    def wrong(self: SqlTransaction, run: Run, is_new: bool) -> None:
        if is_new or run.ended_at is not None:
            save_run(self, run, is_new)

    patch.setattr(SqlTransaction, "_save_run", wrong)


@defect("I14", "a row changes without an event")
def silent_change(patch: Patch) -> None:
    touched = unit_of_work._touched

    def wrong(case: Case) -> Any:
        rows = touched(case)
        return [(table, replace(row, cost_usd=0.0) if isinstance(row, Item) else row, new) for table, row, new in rows]

    patch.setattr(unit_of_work, "_touched", wrong)


@defect("I14", "a write to one item reaches another one")
def wrong_row(patch: Patch) -> None:
    save_item = SqlTransaction._save_item

    def wrong(self: SqlTransaction, item: Item, is_new: bool, where: QueuePosition) -> None:
        save_item(self, item, is_new, where)
        if item.id == "7":
            self._execute("UPDATE items SET doc = json_set(doc, '$.title', 'overwritten') WHERE number = 1")

    patch.setattr(SqlTransaction, "_save_item", wrong)


@defect("I14", "the log is tidied up afterwards", in_log=False)
def rewritten_log(patch: Patch) -> None:
    carry_out = SqlTransaction.carry_out

    def wrong(self: SqlTransaction, work: Callable[[SqlTransaction], Any]) -> Any:
        result = carry_out(self, work)
        if self.head().seq > 200:
            tidy = "UPDATE events SET body = json_set(body, '$.changes[0][2].title', 'tidy') WHERE seq = ?"
            first = "(SELECT seq FROM events WHERE name = 'item_added' ORDER BY seq LIMIT 1)"
            self._execute(tidy.replace("?", first))
        return result

    patch.setattr(SqlTransaction, "carry_out", wrong)


@defect("I14", "the head forgets an open question")
def wrong_head(patch: Patch) -> None:
    save = SqlTransaction._save_question

    def wrong(self: SqlTransaction, head: BoardHead, *rest: Any) -> BoardHead:
        return replace(save(self, head, *rest), open_questions=0)

    patch.setattr(SqlTransaction, "_save_question", wrong)


def without_version_index(store: SqliteStore) -> None:
    store._connection.execute("DROP INDEX events_version")


@defect("I15", "a renewal counts as two changes", open_up=without_version_index)
def version_gap(patch: Patch) -> None:
    renew = claims.renew

    def wrong(case: Case, *told: Any) -> None:
        if case.run is not None and case.run.id == case.actor.run and case.run.token == case.actor.token:
            case.item = replace(case.item, version=case.item.version + 1)
        renew(case, *told)

    patch.setattr(claims, "renew", wrong)


@defect("I17", "a full page loses its last event")
def lost_event(patch: Patch) -> None:
    events = SqlReading.events

    def wrong(self: SqlReading, after: int, *, item: str | None = None, limit: int = 1000) -> list[Event]:
        page = events(self, after, item=item, limit=limit)
        return page[:-2] + page[-1:] if len(page) == limit else page

    patch.setattr(SqlReading, "events", wrong)


@defect("I27", "an answered question can be answered again")
def answered_twice(patch: Patch) -> None:
    answer = answers.answer

    def wrong(case: Case, command: AnswerQuestion) -> None:
        question = case.questions[command.question]
        if question.state == "answered":
            case.questions[question.id] = replace(question, state="open")
        answer(case, command)

    change_rule(patch, AnswerQuestion, wrong)


@defect("I30", "answers are not kept under their keys")
def lost_keys(patch: Patch) -> None:
    def wrong(self: SqlTransaction, actor: str, key: str, kept: KeptAnswer, at: int) -> None:
        pass

    patch.setattr(SqlTransaction, "keep_answer", wrong)


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
    patch.setattr(unit_of_work, "consequences", lambda before, after: [])


@defect("R-03", "circles are let in")
def circles(patch: Patch) -> None:
    patch.setattr(dependencies, "path", lambda case, start, goal: None)


@defect(
    "R-03",
    "who waits for a path that a waiter holds is not seen to wait",
    flow=flow_of("quest"),
    in_log=False,
    amid=many_files,
)
def one_step_only(patch: Patch) -> None:
    for where in (loading, doctor):
        patch.setattr(where, "waiting_for", lambda item, waiters_of, *rest: set(waiters_of(item)))


@defect("R-03", "an item that rests is in nobody's queue", in_log=False)
def lost_in_queue(patch: Patch) -> None:
    def wrong(flow: Flow, item: Item) -> QueuePosition:
        right = queue_position(flow, item)
        return replace(right, queue=None) if item.last_run else right

    patch.setattr(unit_of_work, "queue_position", wrong)


@defect("R-03", "nobody is asked about an item in a column for people", flow=kanban())
def unasked(patch: Patch) -> None:
    ask = questions.ask

    def wrong(case: Case, kind: QuestionKind, *rest: Any, **more: Any) -> None:
        if not case.flow.columns[case.item.column].human:
            ask(case, kind, *rest, **more)

    patch.setattr(settling, "ask", wrong)


@defect("R-11", "attempts are counted, and nobody looks at the number", flow=limited(attempts=3))
def no_limit(patch: Patch) -> None:
    everywhere(patch, (failures, movement, outcomes, settling), "at_limit", lambda case: False)


def with_limits(rule: Callable[..., Any], **limits: Any) -> Callable[..., Any]:
    """A rule that believes in other limits than the flow has."""

    def wrong(case: Case, *rest: Any, **more: Any) -> Any:
        flow = case.flow
        case.flow = replace(flow, limits=replace(flow.limits, **limits))
        found = rule(case, *rest, **more)
        case.flow = flow
        return found

    return wrong


@defect("R-12", "disputes go on and on", flow=limited(dispute_rounds=1), first=19)
def no_breaker(patch: Patch) -> None:
    patch.setattr(disputes, "_reply", with_limits(disputes._reply, dispute_rounds=1000))
    patch.setattr(settling, "trip_breakers", lambda case: None)


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

    change_rule(patch, PassDeadline, wrong)


@defect("R-16", "a rule asks, and offers no way to answer")
def no_ways(patch: Patch) -> None:
    opened = questions._open

    def wrong(case: Case, asked: Question, *rest: Any) -> None:
        opened(case, replace(asked, options=[]) if asked.takes == "option" else asked, *rest)

    patch.setattr(questions, "_open", wrong)


@defect("R-16", "words that are no option are taken for guidance")
def any_words(patch: Patch) -> None:
    choose = choosing.choose

    def wrong(question: Question, answer: str, *rest: Any, **more: Any) -> Chosen:
        try:
            return choose(question, answer, *rest, **more)
        except Invalid:
            return Chosen(None, answer)

    patch.setattr(answers, "choose", wrong)


@defect("R-16", "an answer leaves the limit that raised the question", flow=limited("escalation", attempts=1))
def the_same_again(patch: Patch) -> None:
    patch.setattr(answers, "reset_counters", lambda case, reason: None)


@defect("R-16", "an item is parked, and its question closed", in_log=False)
def parked_for_good(patch: Patch) -> None:
    def wrong(case: Case, question: Question, said: Chosen) -> None:
        answers._record(case, question, said, None, None)

    patch.setattr(answers, "_park", wrong)


@defect("R-18", "an ended item comes back by itself")
def undead(patch: Patch) -> None:
    give_up = answers.give_up

    def wrong(case: Case, why: str) -> None:
        give_up(case, why)
        case.set("item_ready", {"why": "once more"}, status="ready", waits_for=[])

    everywhere(patch, (answers, manual), "give_up", wrong)


def without_children(recipients: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """Children are told nothing by their parent."""

    def wrong(self: unit_of_work.UnitOfWork, to: str, item: str) -> list[str]:
        return [] if to in (MADE, "children") else recipients(self, to, item)

    return wrong


def everybody_may(flow: Flow, what: str) -> Flow:
    agents = {name: replace(agent, may=[*agent.may, what]) for name, agent in flow.agents.items()}
    return replace(flow, agents=agents)


@defect("R-08", "the first expert is asked again and again", flow=limited("escalation", own_attempts=1), alone=True)
def same_expert(patch: Patch) -> None:
    def wrong(case: Case, agent: str) -> str | None:
        return next(iter(case.flow.agents[agent].experts), None) if case.item.kind not in ONE_SHOT_KINDS else None

    everywhere(patch, (helping, settling, failures), "next_expert", wrong)


@defect(
    "R-08",
    "after three experts the agent goes on",
    flow=limited("escalation", own_attempts=1, attempts=None),
    alone=True,
    first=30,
)
def no_end_of_experts(patch: Patch) -> None:
    patch.setattr(settling, "EXPERTS_MAX", 1000)


@defect("R-13", "a reviewer may always ask for more", flow=limited("pipeline", feedback_rounds=1), alone=True)
def endless_rounds(patch: Patch) -> None:
    patch.setattr(outcomes, "changes_requested", with_limits(verdicts.changes_requested, feedback_rounds=1000))


@defect("R-22", "a checker's done goes through beside failed tests", flow=flow_of("pipeline"), in_log=False)
def unweighed(patch: Patch) -> None:
    patch.setattr(outcomes, "as_shown", lambda case, said: said)


@defect("R-22", "what a look found before its verdict is forgotten", flow=flow_of("pipeline"), in_log=False)
def forgotten_look(patch: Patch) -> None:
    patch.setattr(understanding, "with_unheard", lambda case, said: said)


@defect("R-22", "of two statements that cannot both hold the milder one holds", in_log=False)
def milder(patch: Patch) -> None:
    patch.setattr(contradictions, "contradictions", lambda case, said: iter(()))
    patch.setattr(verdicts, "against", lambda said: None)


@defect("R-32", "what had no effect of its own is told to nobody")
def untold(patch: Patch) -> None:
    patch.setattr(unfinished, "beside_told", lambda said, agent="": {})


@defect("R-06", "attempts beside a verdict are forgotten", in_log=False)
def forgotten_attempts(patch: Patch) -> None:
    patch.setattr(outcomes, "note_attempts", lambda case, said: None)
    patch.setattr(outcomes, "keep_told", lambda case, said: None)


@defect("R-32", "what stood beside the outcome is answered to have had no effect, whatever it did")
def denied(patch: Patch) -> None:
    patch.setattr(decide, "weigh", lambda case, command, rule: dict.fromkeys(command.report.__struct_fields__, "told"))


@defect("R-32", "what a refused report says is lost")
def forgetful_refusal(patch: Patch) -> None:
    patch.setattr(form, "_rows", lambda case, said: [])


@defect("R-32", "of a text that says failed and done the last word is taken")
def last_word(patch: Patch) -> None:
    patch.setattr(form, "fault_of_outcomes", lambda said: None)


@defect("R-32", "a report that is refused ends its run")
def deadly_refusal(patch: Patch) -> None:
    def wrong(case: Case, said: Report, fault: str) -> None:
        form.refuse(case, said, fault)
        claims.end_run(case, "agent_completed", "reported", {}, outcome="failed", cause="protocol")

    patch.setattr(outcomes, "refuse", wrong)


@defect("R-32", "what is said again after a refusal stands there twice")
def doubled_words(patch: Patch) -> None:
    patch.setattr(form, "said_before", lambda case, remarks: [None] * len(remarks))


@defect("R-14", "parts are left behind when their item ends or moves", flow=flow_of("pipeline"), alone=True)
def forgotten_parts(patch: Patch) -> None:
    patch.setattr(unit_of_work.UnitOfWork, "_recipients", without_children(unit_of_work.UnitOfWork._recipients))


@defect("R-14", "one agent may take the part of another", flow=flow_of("pipeline"), first=217)
def stolen_parts(patch: Patch) -> None:
    def wrong(flow: Flow, item: Item) -> str | None:
        right = claimant(flow, item)
        return flow.watcher(item.column) if item.kind == "part" and right else right

    everywhere(patch, (order, claims), "claimant", wrong)


FERRY = flow_of("ferry")


@defect("R-19", "two land on one branch at once", flow=FERRY)
def crowded_branch(patch: Patch) -> None:
    patch.setattr(claims, "landings_there", lambda case: [])
    shut = claiming._shut

    def wrong(reading: Any, flow: Flow, agent: str, now: float) -> Any:
        return None if agent == LANDING else shut(reading, flow, agent, now)

    patch.setattr(claiming, "_shut", wrong)


@defect("R-19", "done is done, wherever the work is", flow=FERRY, alone=True)
def work_left_behind(patch: Patch) -> None:
    emit = Case.emit

    def wrong(self: Case, name: EventName, context: Any = None, *, item: Any = None, **rows: Any) -> None:
        proving = (item or {}).get("proving")
        if proving is not None and proving.left == [LANDING] and item["status"] == "proving":
            item = {**item, "proving": None, "status": "done", "evidence": movement._evidence(self.item)}
        emit(self, name, context, item=item, **rows)

    patch.setattr(Case, "emit", wrong)


@defect("R-19", "what could not land is said to have landed", flow=FERRY)
def landed_by_word(patch: Patch) -> None:
    def wrong(case: Case, *rest: Any) -> None:
        case.set("work_landed", {}, head=None, landed=case.item.head, proving=None)
        movement.enter(case, "done", "as if it had landed")

    patch.setattr(landing, "_send_back", wrong)


@defect("R-19", "what an ended landing was about to do is taken for done", flow=FERRY, in_log=False)
def settled_by_word(patch: Patch) -> None:
    def wrong(case: Case, command: SettleLanding) -> None:
        landing.settle_landing(case, replace(command, moved=True))

    change_rule(patch, SettleLanding, wrong)


@defect("R-19", "what another landing was about to do is said of this one", flow=FERRY)
def settled_wrongly(patch: Patch) -> None:
    def wrong(case: Case, command: SettleLanding) -> None:
        if landing.unsettled(case.item) is not None:
            found = {"landing": None, "landed": command.new[::-1], "landed_on": command.branch}
            case.set("landing_found", {"branch": command.branch}, **found)

    change_rule(patch, SettleLanding, wrong)


@defect("R-19", "a parent takes in what no child has made", flow=FERRY)
def wrong_work(patch: Patch) -> None:
    def wrong(case: Case, command: KeepWork) -> None:
        case.set("work_kept", {"child": command.child}, head=command.commit[::-1])

    change_rule(patch, KeepWork, wrong)


@defect("R-19", "dispatched work lands on the target by itself", flow=FERRY, alone=True, first=20)
def unbound_dispatch(patch: Patch) -> None:
    everywhere(patch, (movement, outcomes, landing), "stands_alone", lambda case: False)


@defect("R-19", "a landing is not asked what proves it", flow=FERRY, alone=True)
def unproved_landing(patch: Patch) -> None:
    patch.setattr(landing, "unproved", lambda *rest: [])


# Only the sign-off looks at what was mended: a reviewer who has to see it anew would have it signed anew, too.
HARBOUR = flow_of("harbour")
UNREVIEWED = replace(HARBOUR, columns=HARBOUR.columns | {"moor": replace(HARBOUR.columns["moor"], fix=None)})


@defect(
    "R-19",
    "a sign-off counts for whatever comes after it",
    flow=UNREVIEWED,
    alone=True,
    amid=many_conflicts,
)
def lasting_sign_off(patch: Patch) -> None:
    def wrong(flow: Flow, item: Item, head: str | None) -> dict[str, bool]:
        return {proof.gate: proof.green for proof in item.proofs}

    patch.setattr(required, "last_words", wrong)


@defect("R-19", "a waiver counts for whatever comes after it", flow=FERRY, alone=True)
def lasting_waiver(patch: Patch) -> None:
    patch.setattr(required, "waived", lambda item: item.waived)


@defect("R-19", "a run waives gates", flow=FERRY, alone=True)
def waiving_run(patch: Patch) -> None:
    claim = claims.claim

    def wrong(case: Case, command: ClaimItem) -> None:
        claim(case, command)
        if command.agent == LANDING:
            waive(case, [gate for gate in case.flow.gates if gate not in case.item.waived], "I am sure")

    change_rule(patch, ClaimItem, wrong)


@defect("R-20", "whatever a run changed is taken", flow=limited("kanban"))
def no_rights(patch: Patch) -> None:
    patch.setattr(work, "trespasses", lambda *rest: [])


@defect("R-20", "the files of a board are as good as any", flow=limited("kanban"))
def open_board(patch: Patch) -> None:
    patch.setattr(rights, "is_boards", lambda part: False)


@defect("R-20", "a change with a secret in it is taken", flow=limited("kanban"))
def secrets_land(patch: Patch) -> None:
    patch.setattr(work, "leaked", lambda *rest: [])


@defect("R-20", "a change that nobody could judge whole is taken", flow=limited("kanban"))
def too_much_lands(patch: Patch) -> None:
    patch.setattr(work, "too_much", lambda *rest: [])


@defect("R-20", "what a merge brings is not looked at", flow=FERRY, alone=True, first=20)
def unseen_merge(patch: Patch) -> None:
    everywhere(patch, (landing, work), "strays", lambda *rest: [])


@defect("R-07", "a stopped board goes on", first=90)
def deaf_board(patch: Patch) -> None:
    patch.setattr(claiming, "check_stop", lambda pauses, now: None)


@defect("R-07", "a pool without quota begins runs", flow=FERRY)
def open_pool(patch: Patch) -> None:
    patch.setattr(claiming, "shut_pools", lambda *rest: set())


@defect("R-07", "words alone pause a pool for as long as they say", flow=FERRY)
def believed_words(patch: Patch) -> None:
    patch.setattr(pauses, "_seconds", lambda command, cause, count: command.seconds or 300.0)


@defect("R-07", "a long pause asks nobody", flow=FERRY, first=30)
def silent_pause(patch: Patch) -> None:
    patch.setattr(pauses, "_ask_about", lambda *rest: (None, None))


@defect("R-07", "a pool waits for a person who is not asked any more", flow=FERRY, amid=nobody_signed_in)
def forgotten_pool(patch: Patch) -> None:
    patch.setattr(pauses, "end_unasked", lambda case: None)
    everywhere(patch, (pauses, answers), "go_on", lambda case, question: None)


@defect("R-07", "a day has no end of money", flow=replace(FERRY, budget=replace(FERRY.budget, day_usd=0.5)))
def endless_day(patch: Patch) -> None:
    patch.setattr(claiming, "check_day", lambda *rest: None)


@defect("R-33", "agents begin as often as they like", flow=limited("ferry", starts=1, window=60.0))
def no_rate(patch: Patch) -> None:
    patch.setattr(claiming, "check_rate", lambda *rest: None)


@defect("R-20", "claims do not look at what others hold", alone=True)
def open_paths(patch: Patch) -> None:
    patch.setattr(claims, "_check_paths", lambda case: None)
    patch.setattr(choice, "in_the_way", lambda *rest: [])


@defect("R-20", "a run's locks outlive it", alone=True)
def lasting_locks(patch: Patch) -> None:
    patch.setattr(claims, "end_locks", lambda case, run: None)


@defect("R-20", "what others hold is refused, and not waited for", alone=True)
def impatient(patch: Patch) -> None:
    judge = work.judge_work

    def wrong(case: Case, said: Report, fault: str | None, made: Work) -> work.Judged:
        held = made.commit is not None and work._holds_of_others(case, made.touched)
        return work._refused(case, said, fault, made, ["others hold it"]) if held else judge(case, said, fault, made)

    patch.setattr(outcomes, "judge_work", wrong)


@defect("R-20", "who only reads loses its word with its files", alone=True)
def muted_readers(patch: Patch) -> None:
    dropped = work._dropped

    def wrong(case: Case, said: Report, fault: str | None, made: Work) -> work.Judged:
        faults = [f"{one.path} was changed" for one in made.touched if one.how != "created"]
        return work._refused(case, said, fault, made, faults) if faults else dropped(case, said, fault, made)

    patch.setattr(work, "_dropped", wrong)


@defect("R-20", "whoever waits for a person keeps the paths", alone=True)
def stubborn_holds(patch: Patch) -> None:
    needless = holds.needless
    patch.setattr(settling, "needless", lambda item: needless(item) if item.status in ENDED else [])


@defect("P-10", "a phase is called over at once, however often it was healed", flow=flow_of("quest"), alone=True)
def one_round(patch: Patch) -> None:
    enter = movement.enter

    def wrong(case: Case, column: str, because: str, **changed: Any) -> None:
        told = changed.get("context", {})
        if "rounds" in told:
            changed["context"] = {**told, "rounds": 1}
        enter(case, column, because, **changed)

    patch.setattr(movement, "enter", wrong)


@defect("R-21", "done is believed", flow=flow_of("quest"), alone=True)
def no_gates(patch: Patch) -> None:
    patch.setattr(movement, "_call_gate", lambda case, column: movement.go_forward(case, column))


@defect("R-21", "a red gate is called green", flow=flow_of("guild"), alone=True)
def kind_gate(patch: Patch) -> None:
    def wrong(case: Case, gate: str, *rest: Any) -> None:
        case.set("gate_failed", {"gate": gate}, proving=None)
        movement.finish(case, proven=True)

    patch.setattr(gates, "_red", wrong)


@defect("R-22", "nobody says what shows that it is done", alone=True)
def no_evidence(patch: Patch) -> None:
    emit = Case.emit

    def wrong(self: Case, name: EventName, context: Any = None, *, item: Any = None, **rows: Any) -> None:
        emit(self, name, context, item={k: v for k, v in (item or {}).items() if k != "evidence"}, **rows)

    patch.setattr(Case, "emit", wrong)


@defect("R-24", "work is split for ever", flow=everybody_may(limited("quest", splits=1), "split"), alone=True)
def endless_splits(patch: Patch) -> None:
    patch.setattr(outcomes, "split", with_limits(tasks.split, splits=1000))


@defect("R-24", "what was split goes on before its tasks", flow=flow_of("quest"), alone=True)
def hasty_parent(patch: Patch) -> None:
    def wrong(case: Case, said: Report) -> None:
        tasks.split(case, said)
        if case.item.made:
            case.set("item_rests", {}, waits_for=[])

    patch.setattr(outcomes, "split", wrong)


@defect(
    "R-24",
    "a task is done for a contract that has changed",
    flow=flow_of("quest"),
    first=12,
    amid=contracts_changing,
)
def stale_contracts(patch: Patch) -> None:
    """Neither a running task nor a done one goes again; what it relies on changes under it."""

    def wrong(case: Case, command: ReopenChild) -> None:
        if command.contracts:
            case.set("item_edited", {"why": command.why}, contracts={**case.item.contracts, **command.contracts})
        else:
            reopening.reopen_child(case, command)

    patch.setattr(outcomes, "goes_again", lambda case, said: False)
    change_rule(patch, ReopenChild, wrong)


@defect("R-24", "what the tasks of a task made is lost", flow=flow_of("quest"), alone=True)
def lost_outputs(patch: Patch) -> None:
    patch.setattr(dependencies, "_with_those_below", lambda outputs, command: outputs)


@defect("R-24", "an order of tasks under another name is dropped", flow=flow_of("quest"), in_log=False)
def unheard_order(patch: Patch) -> None:
    patch.setattr(finding, "with_order", lambda tasks, wishes: (tasks, []))


@defect("R-24", "the last task of a split is left out", flow=flow_of("quest"), in_log=False)
def lost_task(patch: Patch) -> None:
    carry_out = tasks.carry_out

    def wrong(case: Case, said: Report, *, allowed: bool = False) -> None:
        carry_out(case, replace(said, tasks=said.tasks[:-1] or said.tasks), allowed=allowed)

    patch.setattr(tasks, "carry_out", wrong)


@defect("R-12", "a reply without a parent opens a dispute of its own", flow=flow_of("kanban"), in_log=False, first=20)
def unheard_reply(patch: Patch) -> None:
    for module in (disputes, outcomes, spoken):
        patch.setattr(module, "answered_by", lambda case, said, beside=False: None)
    patch.setattr(disputes, "is_apart", lambda case, dispute, artifact: True)


@defect("R-12", "only the first concern of a report is heard", flow=flow_of("kanban"), in_log=False)
def first_concern_only(patch: Patch) -> None:
    state = disputes.state

    def wrong(case: Case, comments: list[str], reason: str | None = None, agent: str | None = None) -> list[Dispute]:
        return state(case, comments[:1], reason, agent)

    for module in (disputes, outcomes):
        patch.setattr(module, "state", wrong)


@defect("R-12", "an item goes on past a dispute that waits", flow=flow_of("kanban"), first=20)
def passed_over(patch: Patch) -> None:
    patch.setattr(movement, "_called", lambda case, column: False)


@defect("R-08", "a label makes an attempt an expert's", flow=flow_of("escalation"), in_log=False)
def believed_label(patch: Patch) -> None:
    record = failures._record

    def wrong(case: Case, report: Report, told: Try, cause: Cause | None, beside: str = "") -> None:
        advisor, labelled = case.item.advisor, told.kind == "expert_delegation"
        case.item = replace(case.item, advisor=advisor or ("somebody" if labelled else None))
        record(case, report, told, cause, beside)

    patch.setattr(failures, "_record", wrong)


@defect("R-06", "an attempt that succeeded counts as failed", flow=flow_of("escalation"))
def counted_success(patch: Patch) -> None:
    patch.setattr(failures, "worked", lambda outcome: False)
    patch.setattr(distinct, "worked", lambda outcome: False)


@defect("R-20", "paths that a run was refused stay wanted when it has gone")
def wanted_for_ever(patch: Patch) -> None:
    patch.setattr(claims, "with_wanted", lambda item, outcome: {})


@defect("R-25", "helpers ask people", flow=limited("escalation", own_attempts=1), alone=True)
def asking_helpers(patch: Patch) -> None:
    patch.setattr(questions, "ONE_SHOT_KINDS", frozenset())


@defect("R-25", "helpers are sent out again", flow=everybody_may(flow_of("handoff"), "delegate"), alone=True, first=20)
def second_fan_out(patch: Patch) -> None:
    delegates = helping.delegates

    def wrong(case: Case, said: Report) -> None:
        delegates(case, said)
        if case.item.fanned_out:
            case.set("item_rests", {}, fanned_out=False)

    patch.setattr(outcomes, "delegates", wrong)


@defect("R-26", "a message that is over is taken up again", flow=flow_of("handoff"), alone=True)
def reborn_message(patch: Patch) -> None:
    patch.setattr(life, "_open", lambda case, message, allowed: case.messages[message])


@defect("R-26", "the end of a stage completes no message", flow=flow_of("handoff"), alone=True)
def incomplete_message(patch: Patch) -> None:
    patch.setattr(life, "is_over", lambda flow, message, item: False)


@defect("R-26", "any report completes what its run was handed", flow=flow_of("handoff"), alone=True)
def completed_by_any_report(patch: Patch) -> None:
    patch.setattr(life, "is_over", lambda flow, message, item: message.stage is not None)
    patch.setattr(life, "_did_its_work", lambda case, command: True)


@defect("R-26", "whoever claims the item accepts what is for others", flow=flow_of("handoff"), alone=True)
def accepted_by_anybody(patch: Patch) -> None:
    patch.setattr(life, "_is_for", lambda case, message, run, stage: True)


@defect("R-26", "what nobody has seen is completed", flow=flow_of("handoff"), alone=True)
def completed_unseen(patch: Patch) -> None:
    change_rule(patch, CompleteMessage, lambda case, command: life._complete(case, case.messages[command.message]))


@defect("R-26", "what the rules escalate comes from nobody", flow=flow_of("handoff"), alone=True)
def nobodys_escalation(patch: Patch) -> None:
    patch.setattr(asking, "_raised_by", lambda case, question: ORCHESTRATOR)


@defect("R-26", "the item does not take what its handoff carries", flow=flow_of("handoff"), alone=True)
def handoff_without_a_spec(patch: Patch) -> None:
    patch.setattr(sending, "carried", lambda flow, item, command: {})


@defect("R-26", "what a report hands over is not sent", flow=flow_of("handoff"), alone=True)
def dropped_messages(patch: Patch) -> None:
    patch.setattr(outcomes, "send_enclosed", lambda case, said: None)


@defect("R-22", "a checker's done goes through beside the fix that it asks for", flow=flow_of("handoff"), in_log=True)
def unheard_fix(patch: Patch) -> None:
    for module in (sent, verdicts, contradictions):
        patch.setattr(module, "sent_by_run", lambda case, said: sent.Sent())


@defect("R-20", "a lock that is taken again may end sooner", alone=True)
def shorter_lock(patch: Patch) -> None:
    patch.setattr(holds, "_renewed", lambda known, hold, fields: (hold, fields))


@defect("R-04", "a file of an agent decides like a person", flow=flow_of("handoff"))
def deciding_file(patch: Patch) -> None:
    patch.setattr(decide, "FOR_PEOPLE", ())


@defect("R-28", "the file's files are added to the board's", flow=flow_of("handoff"), alone=True)
def united_files(patch: Patch) -> None:
    take_over = mirrored.take_over

    def wrong(case: Case, wanted: Wanted, question: str) -> None:
        files = None if wanted.files is None else [*case.item.files, *wanted.files, "src/board/"]
        take_over(case, replace(wanted, files=files), question)

    patch.setattr(answers, "take_over", wrong)


@defect("R-30", "a run is said to be of the next flow", alone=True)
def wrong_version(patch: Patch) -> None:
    claim = claims.claim

    def wrong(case: Case, command: ClaimItem) -> None:
        case.situation = replace(case.situation, flow_version=case.situation.flow_version + 1)
        claim(case, command)

    change_rule(patch, ClaimItem, wrong)


@defect("I32", "an item goes on to its end past what nobody has heard", flow=FERRY)
def past_a_sentence(patch: Patch) -> None:
    for module in (outcomes, movement):
        patch.setattr(module, "goes_on_for", lambda case, outcome: None)


@defect("I32", "a run is told all that was said each time it asks")
def told_again(patch: Patch) -> None:
    patch.setattr(hearing, "since", lambda item, run: item.said)


@defect("I33", "an item that was given still says who has taken it")
def taken_for_ever(patch: Patch) -> None:
    at_rest = movement.at_rest

    def wrong(case: Case, **changed: Any) -> dict[str, Any]:
        return {name: value for name, value in at_rest(case, **changed).items() if name != "taken"}

    everywhere(patch, (movement, claims), "at_rest", wrong)


@defect("R-33", "the fuse is taken out", flow=limited(runs=4))
def no_fuse(patch: Patch) -> None:
    patch.setattr(decide, "settle", with_limits(settling.settle, runs=1_000_000))


@defect("R-33", "runs make as many items as they like", flow=limited("ferry", items=2))
def no_bound_of_items(patch: Patch) -> None:
    for module in (counting, tasks, verdicts):
        patch.setattr(module, "excess", lambda *rest: None)


@defect("chain", "each event is hashed by itself")
def no_chain(patch: Patch) -> None:
    patch.setattr(writing, "link", lambda previous, columns, body: link(b"", columns, body))
