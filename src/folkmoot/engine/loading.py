"""Loads what the rules may look at for one command, and no more; and finds the item that a claim gets."""

from typing import TYPE_CHECKING, Any

import msgspec

from folkmoot.core import commands
from folkmoot.core.commands import Actor, Command
from folkmoot.core.enums import ENDED, STATUSES
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.proposals import orders
from folkmoot.core.records import Hold, Message, Meter, Pause, Run
from folkmoot.core.rules.judging.form import names_another
from folkmoot.core.rules.messages.kinds import is_open
from folkmoot.core.rules.messages.sending import belongs_to
from folkmoot.core.rules.messages.telling import ids_in
from folkmoot.core.rules.running.budgets import POOL, STARTS, gate_pool, pools_of
from folkmoot.core.rules.running.spending import DAY
from folkmoot.core.rules.sharing.choice import Ground, waiting_for, wanted, writes_now
from folkmoot.core.rules.sharing.paths import meeting
from folkmoot.core.situation import MADE_BELOW, Draw, Neighbour, Situation, origin_of
from folkmoot.engine.moment import Moment
from folkmoot.errors import Invalid, unknown_item
from folkmoot.store.port import Reading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from folkmoot.core.events import FlowVersion

UPSTREAM_MAX = 20_000
MESSAGES_MAX = 10_000
IN_POOL_MAX = 1_000
ITEMS_LOOKED_AT = 1_000
UNFINISHED = tuple(status for status in STATUSES if status not in ENDED and status != "blocked")
WRITERS_MAX = 1_000
STARVED_MAX = 64

ALWAYS_LIGHT = frozenset({commands.ClaimItem, commands.RenewRun, commands.NoteSetup, commands.RankItem})
OF_THE_ROW = (commands.RenewRun, commands.NoteSetup, commands.RankItem)
ABOUT_QUESTION = (commands.AnswerQuestion, commands.PassDeadline)
ABOUT_MESSAGE = (commands.AcceptMessage, commands.CompleteMessage, commands.RejectMessage)
ABOUT_PATHS = frozenset({commands.LockPaths, commands.UnlockPaths, commands.WidenRun, commands.RecordLanding})
SPENDS = frozenset({commands.RenewRun, commands.StopRun, commands.ReleaseRun, commands.LapseRun})
ABOUT_PAUSES = frozenset(
    {
        commands.ReportRun,
        commands.PauseRun,
        *SPENDS,
        commands.StopBoard,
        commands.ResumeBoard,
        commands.WeighDay,
        commands.AnswerQuestion,
        commands.RaiseQuestion,
        orders.PausePool,
    }
)
ADDS = frozenset({commands.AddItem, commands.DispatchAgent})
VERDICTS = frozenset({commands.ReportRun, commands.SettleDependency})  # the last part of a group brings its verdict
MAKES = ADDS | VERDICTS
REPLANS = frozenset({commands.EditItem, commands.ReopenItem})
REOPENS = frozenset({commands.ReopenItem, commands.ReopenChild})
PLANS = frozenset({commands.AddItem, commands.MakeItem, commands.ReopenChild, *REPLANS})
NAMES_AFTER = (commands.AddItem, commands.EditItem, commands.MakeItem)
Holds = tuple[list[Hold], frozenset[str]]  # those in force, and who waits for the item
NO_HOLDS: Holds = [], frozenset()


def situation(
    reading: Reading,
    command: Command,
    item: Item | None,
    actor: Actor,
    *,
    flow: Flow,
    flow_version: int,
    moment: Moment,
    draw: Draw,
    known_run: Run | None = None,
) -> Situation:
    """Load what the rules may look at for this command, and no more."""
    kind = type(command)
    light = kind in ALWAYS_LIGHT
    head = reading.head()
    maker = None
    elsewhere = kind is commands.AddComment and item is not None and item.run != actor.run
    if (kind in ADDS or elsewhere) and not actor.is_person:
        actor, maker = _maker(reading, actor)
    origin = _origin(reading, maker or item) if kind in MAKES else None
    asked = {command.question} if isinstance(command, ABOUT_QUESTION) else set()
    children = reading.children(item.id) if item and kind in REPLANS else []
    questions = reading.questions(item.id) if item and (item.open_questions or asked) else []
    about_pauses = kind in ABOUT_PAUSES or (item is not None and item.open_questions and not light)
    pauses = reading.pauses() if head.pauses and about_pauses else []
    siblings = _siblings(reading, command, item) if item and item.kind == "task" else []
    plans = kind in PLANS or splits_in_order(command)
    holds, waiters = _holds(reading, flow, command, item, moment.now) if head.held else NO_HOLDS
    return Situation(
        flow=flow,
        flow_version=flow_version,
        now=moment.now,
        at=moment.at,
        actor=actor,
        draw=draw,
        item=item,
        run=_run(reading, item, known_run),
        attempts=reading.attempts(item.id) if item and item.attempt_count and not light else [],
        comments=reading.comments(item.id) if item and item.comment_count and not light else [],
        questions=[q for q in questions if q.state == "open" or q.id in asked] if questions else questions,
        neighbours=_neighbours(reading, command, item, children, siblings) if plans else {},
        children=children,
        tasks=_tasks(reading, item) if item and item.splits and not light else [],
        siblings=siblings,
        maker=maker,
        origin=origin,
        messages=_messages(reading, command, item) if head.messages else [],
        pauses=pauses,
        asked=_asked(reading, pauses) if kind is commands.PauseRun else frozenset(),
        in_pool=_in_pool(reading, flow, item, moment.now) if item and _is_of_pool(command) else 0,
        meters=_meters(reading, flow, command, item, origin or maker or item),
        parent=_parent(reading, command, item, item.asker) if item and item.asker else None,
        holds=holds,
        waiters=waiters,
    )


def _asked(reading: Reading, pauses: list[Pause]) -> frozenset[str]:
    found = [reading.question(pause.question) for pause in pauses if pause.question]
    return frozenset(question.id for question in found if question is not None and question.state == "open")


def _is_of_pool(command: Command) -> bool:
    """May it say that a pool, or a gate, cannot work now?"""
    if isinstance(command, commands.ReportRun):
        return bool(command.evidence) and not command.evidence[0].green
    return isinstance(command, commands.PauseRun)


def _in_pool(reading: Reading, flow: Flow, item: Item, now: float) -> int:
    """How many other items need the pool of the item's run now: they are ready for it, or at work with it."""
    run = reading.run(item.run or "")
    is_gate = run is not None and run.gate
    pool = "" if run is None else gate_pool(run.agent) if is_gate else run.pool or run.agent
    agents = [*flow.agents, *flow.gates] if is_gate else flow.agents
    ready = ((agent, reading.ready(agent, now, flow.limits.starve, limit=IN_POOL_MAX)) for agent in agents)
    number = sum(POOL + pool in pools_of(flow, agent, one) for agent, found in ready for one in found)
    live = (one for one in reading.open_runs() if one.item != item.id and one.gate == is_gate)
    return number + sum((gate_pool(one.agent) if is_gate else one.pool or one.agent) == pool for one in live)


def _origin(reading: Reading, maker: Item | None) -> Item | None:
    """The item for which it is counted what this one makes, if it is another."""
    if maker is None or origin_of(maker) == maker.id:
        return None
    return reading.item(origin_of(maker))


def _meters(reading: Reading, flow: Flow, command: Command, item: Item | None, root: Item | None) -> list[Meter]:
    """What the command may move on."""
    wanted: list[str] = []
    if isinstance(command, commands.ClaimItem) and flow.limits.starts is not None:
        wanted.append(STARTS + command.agent)
    elif isinstance(command, commands.WeighDay) or (flow.budget.has_day and item is not None and item.run is not None):
        wanted.append(DAY)  # whatever ends the run, or keeps it, counts what it has used up
    if root is not None and (type(command) in ADDS or _may_make(command, item)):
        wanted.append(MADE_BELOW + root.id)
    return [found for meter in wanted if (found := reading.meter(meter)) is not None] if wanted else []


def _may_make(command: Command, item: Item | None) -> bool:
    """A split makes items, and a verdict that is not the first on the item may."""
    splits = isinstance(command, commands.ReportRun) and command.report.outcome == "split"
    return splits or (type(command) in VERDICTS and item is not None and bool(item.span.rounds))


def _parent(reading: Reading, command: Command, item: Item, asker: str) -> Item | None:
    """Whose branch the item's work comes onto, and who acts on what was sent for: not once that item has ended."""
    lands = isinstance(command, (commands.ReportRun, commands.RecordLanding))
    has_work = item.head is not None or getattr(command, "work", None) is not None
    if item.kind != "dispatch" and not (lands and has_work):
        return None
    parent = reading.item(asker)
    return parent if parent is not None and parent.status not in ENDED else None


def _tasks(reading: Reading, item: Item) -> list[Item]:
    return [child for child in reading.child_items(item.id) if child.kind == "task"]


def _siblings(reading: Reading, command: Command, item: Item) -> list[Item]:
    """The other tasks of a task's whole: if the report says whose it is and that is not plainly this one, those that
    are open; if it splits this one, all that a new task may come after, or repeat."""
    if not isinstance(command, (commands.ReportRun, commands.OfferReport)):
        return []
    splits = command.report.outcome == "split"
    if not item.parent or not (splits or names_another(item, command.report)):
        return []
    tasks = (child for child in reading.child_items(item.parent) if child.kind == "task")
    return [task for task in tasks if task.id != item.id and (splits or task.status not in ENDED)]


def splits_in_order(command: Command) -> bool:
    """Does it split an item into tasks of which some come after others?"""
    if not isinstance(command, (commands.ReportRun, commands.OfferReport)) or command.report.outcome != "split":
        return False
    return any(task.after for task in command.report.tasks)


def message_about(reading: Reading, flow: Flow, command: commands.SendMessage) -> str | None:
    """The item that a message which names none is about, if there is no doubt."""
    unfinished = [one for status in UNFINISHED for one in reading.items(status=status, limit=ITEMS_LOOKED_AT)]
    return belongs_to(flow, command, reading.open_runs(), unfinished)


def _messages(reading: Reading, command: Command, item: Item | None) -> list[Message]:
    """The messages about the item that are not over, what waits for its agent about no item, and the one spoken of."""
    wanted: dict[str, Message] = {}
    if item is not None and not isinstance(command, OF_THE_ROW):
        found = reading.messages(item=item.id, limit=MESSAGES_MAX)
        wanted = {m.id: m for m in found if m.status in ("pending", "accepted") or m.run == item.run}
    if item is not None and isinstance(command, (commands.ClaimItem, commands.OfferReport, commands.ReportRun)):
        agent = command.agent if isinstance(command, commands.ClaimItem) else None
        loose = [m for m in reading.loose_messages(agent, MESSAGES_MAX) if agent or m.accepted_by == item.run]
        if item.kind == "part" and item.parent:
            # A part is its agent's share of the item: what it sends, and what is sent to it, is about the item.
            about = reading.messages(item=item.parent, limit=MESSAGES_MAX)
            loose += [m for m in about if (m.to == item.agent and is_open(m)) or (item.run and m.run == item.run)]
            loose += [m for m in about if m.sender == item.agent and m.run is None and is_open(m)]
        wanted |= {m.id: m for m in loose}
    named = command.message if isinstance(command, (*ABOUT_MESSAGE, commands.MakeItem)) else None
    named = command.message_id if isinstance(command, commands.SendMessage) else named
    names = [named] if named else []
    if isinstance(command, (commands.OfferReport, commands.ReportRun)):
        names += ids_in(command.report)
    for name in names:
        message = reading.message(name)
        if message is not None:
            wanted[message.id] = message
    return list(wanted.values())


def _holds(reading: Reading, flow: Flow, command: Command, item: Item | None, now: float) -> Holds:
    """Holds matter to whoever takes paths, and to a run that ends with locks of its own."""
    if isinstance(command, OF_THE_ROW):
        return NO_HOLDS
    found = reading.holds(now)
    takes = type(command) in ABOUT_PATHS or (isinstance(command, commands.ClaimItem) and item and item.files)
    takes = takes or (isinstance(command, (commands.ReportRun, commands.PauseRun)) and command.work is not None)
    takes = takes or (isinstance(command, commands.ReportRun) and command.moves is not None)
    return found, idle_waiters(reading, flow, item.id) if takes and item else frozenset()


def idle_waiters(reading: Reading, flow: Flow, item: str) -> frozenset[str]:
    """Who waits for the item, directly or through others. A holder with a run of its own keeps everybody out; but who
    sent for the item does so only while its run writes."""
    ready: dict[str, tuple[Item, list[str]]] = {}
    known: dict[str, set[str]] = {}

    def writers_on(paths: list[str]) -> "Iterable[Item]":
        if not ready:
            # What is to land needs its paths too, also if it declared none.
            landing = reading.items(status="proving", limit=WRITERS_MAX)
            for one in (*reading.starved(float("inf"), WRITERS_MAX), *landing):
                ready[one.id] = (one, wanted(flow, one))
        meets = meeting(paths)
        return (one for one, needed in ready.values() if any(meets(path) for path in needed))

    def held_by(one: str) -> list[str]:
        holder = reading.item(one)
        return holder.holds if holder is not None and holder.run is None else []

    def waiters(one: str) -> set[str]:
        if one not in known:
            asker = known_item(reading, one).asker
            known[one] = reading.waiters(one) | ({asker} if asker else set())
        return known[one]

    def is_in_the_way(one: str) -> bool:
        other = reading.item(one)
        if other is None or other.run is None:
            return False
        return writes_now(flow, reading.run(other.run)) if one == it.asker else True

    it = known_item(reading, item)
    found = waiting_for(item, waiters, held_by, writers_on, it.holds)
    return frozenset(one for one in found if not is_in_the_way(one))


def _run(reading: Reading, item: Item | None, known: Run | None) -> Run | None:
    if item is None or item.run is None:
        return None
    return known if known is not None and known.id == item.run else reading.run(item.run)


def _neighbours(
    reading: Reading, command: Command, item: Item | None, children: list[str], siblings: list[Item]
) -> dict[str, Neighbour]:
    wanted = [*children, *(one.id for one in siblings)]
    if isinstance(command, NAMES_AFTER) and isinstance(command.after, list):
        wanted += command.after
    if isinstance(command, commands.AddItem) and command.parent:
        wanted.append(command.parent)
    if type(command) in REOPENS and item:
        wanted += [*item.after, *([item.parent] if item.parent else [])]
    return reading.upstream(wanted, UPSTREAM_MAX) if wanted else {}


def _maker(reading: Reading, actor: Actor) -> tuple[Actor, Item | None]:
    """The item whose live run is adding another, and the run under its agent's name; None if the run is not current."""
    run = reading.run(actor.run or "")
    if run is None or run.ended_at is not None or run.token != actor.token:
        return actor, None
    item = known_item(reading, run.item)
    if item.kind == "part" and item.parent:
        # A part looks at its item's work: whom it sends for may change what that item may, and nothing else.
        item = msgspec.structs.replace(item, files=known_item(reading, item.parent).files)
    return Actor(run.agent, run.id, run.token), item


def known_item(reading: Reading, item_id: str) -> Item:
    item = reading.item(item_id)
    if item is None:
        raise unknown_item(item_id)
    return item


def known_message(reading: Reading, message: str) -> Message:
    found = reading.message(message)
    if found is None:
        raise Invalid("unknown_message", "there is no message {message}", "see: <messages>", message)
    return found


def workflow(reading: Reading, item: str) -> dict[str, Any]:
    """What every event of an item belongs to, as the handoff document prints it: the workflow and its spec."""
    row = known_item(reading, item)
    above = reading.item(row.parent) if row.spec is None and row.parent and row.kind != "item" else None
    return {"workflow": row.type, "spec": row.spec or (above.spec if above else None)}


def flow_in_force(reading: Reading) -> Flow:
    """The one that the board took in last."""
    adopted: FlowVersion = reading.flow(reading.head().flow_version)
    return adopted.flow


def claim_context(reading: Reading, flow: Flow, now: float) -> Ground:
    holds = reading.holds(now) if reading.head().held else []
    starved = reading.starved(now - flow.limits.starve, STARVED_MAX)
    return Ground(holds, starved, lambda item: idle_waiters(reading, flow, item))
