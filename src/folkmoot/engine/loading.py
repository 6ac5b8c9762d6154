"""Loads what the rules may look at for one command, and no more; and finds the item that a claim gets."""

from typing import TYPE_CHECKING, Any

from folkmoot.core import commands
from folkmoot.core.commands import Command, Speaker
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Message, Run
from folkmoot.core.rules.sharing.choice import Ground, obstacle, pick, waiting_for, writes
from folkmoot.core.situation import Draw, Neighbour, Situation
from folkmoot.engine.moment import Moment
from folkmoot.errors import Invalid
from folkmoot.store.base import Reading

if TYPE_CHECKING:
    from folkmoot.core.events import FlowVersion

UPSTREAM_MAX = 20_000
MESSAGES_MAX = 10_000
WAITERS_MAX = 10_000
WRITERS_MAX = 1_000
CANDIDATES_MAX = 256
STARVED_MAX = 64

ALWAYS_LIGHT = (commands.ClaimItem, commands.RenewRun, commands.RankItem)
ABOUT_QUESTION = (commands.AnswerQuestion, commands.PassDeadline)
ABOUT_MESSAGE = (commands.AcceptMessage, commands.CompleteMessage, commands.RejectMessage)
ABOUT_PATHS = (commands.LockPaths, commands.UnlockPaths, commands.WidenRun)
ADDS = (commands.AddItem, commands.DispatchAgent)
REPLANS = (commands.EditItem, commands.ReopenItem)
REOPENS = (commands.ReopenItem, commands.ReopenChild)
PLANS = (commands.AddItem, commands.MakeItem, commands.ReopenChild, *REPLANS)
NAMES_AFTER = (commands.AddItem, commands.EditItem, commands.MakeItem)


def situation(
    reading: Reading,
    command: Command,
    item: Item | None,
    speaker: Speaker,
    *,
    flow: Flow,
    flow_version: int,
    moment: Moment,
    draw: Draw,
    known_run: Run | None = None,
) -> Situation:
    """Load what the rules may look at for this command, and no more."""
    light = isinstance(command, ALWAYS_LIGHT)
    head = reading.head()
    maker = None
    if isinstance(command, ADDS) and not speaker.is_person:
        speaker, maker = _maker(reading, speaker)
    asked = {command.question} if isinstance(command, ABOUT_QUESTION) else set()
    children = reading.children(item.id) if item and isinstance(command, REPLANS) else []
    questions = reading.questions(item.id) if item and (item.open_questions or asked) else []
    return Situation(
        flow=flow,
        flow_version=flow_version,
        now=moment.now,
        at=moment.at,
        speaker=speaker,
        draw=draw,
        item=item,
        run=_run(reading, item, known_run),
        attempts=reading.attempts(item.id) if item and item.attempt_count and not light else [],
        comments=reading.comments(item.id) if item and item.comment_count and not light else [],
        questions=[q for q in questions if q.state == "open" or q.id in asked],
        neighbours=_neighbours(reading, command, item, children) if isinstance(command, PLANS) else {},
        children=children,
        tasks=_tasks(reading, item) if item and item.splits and not light else [],
        maker=maker,
        messages=_messages(reading, command, item) if head.messages else [],
        **(_holds(reading, flow, command, item, moment.now) if head.held else {}),
    )


def _tasks(reading: Reading, item: Item) -> list[Item]:
    return [child for child in reading.child_items(item.id) if child.kind == "task"]


def _messages(reading: Reading, command: Command, item: Item | None) -> list[Message]:
    """The messages about the item that are not over, and the one spoken of."""
    wanted: dict[str, Message] = {}
    if item is not None and not isinstance(command, (commands.RenewRun, commands.RankItem)):
        found = reading.messages(item=item.id, limit=MESSAGES_MAX)
        wanted = {m.id: m for m in found if m.status in ("pending", "accepted") or m.run == item.run}
    named = command.message if isinstance(command, ABOUT_MESSAGE) else None
    named = command.message_id if isinstance(command, commands.SendMessage) else named
    message = reading.message(named) if named else None
    if message is not None:
        wanted[message.id] = message
    return list(wanted.values())


def _holds(reading: Reading, flow: Flow, command: Command, item: Item | None, now: float) -> dict[str, Any]:
    """Holds matter to whoever takes paths, and to a run that ends with locks of its own."""
    if isinstance(command, (commands.RenewRun, commands.RankItem)):
        return {}
    found = reading.holds(now)
    takes = isinstance(command, ABOUT_PATHS) or (isinstance(command, commands.ClaimItem) and item and item.files)
    return {"holds": found, "waiters": idle_waiters(reading, flow, item.id) if takes and item else frozenset()}


def idle_waiters(reading: Reading, flow: Flow, item: str) -> frozenset[str]:
    """Who waits for the item, directly or through others. A holder with a run of its own keeps everybody out."""
    ready: list[Item] = []

    def writers() -> list[Item]:
        if not ready:
            ready.extend(one for one in reading.starved(float("inf"), WRITERS_MAX) if writes(flow, one))
        return ready

    def held_by(one: str) -> list[str]:
        holder = reading.item(one)
        return holder.holds if holder is not None and holder.run is None else []

    found = waiting_for(item, lambda one: reading.waiters(one, WAITERS_MAX), held_by, writers)
    return frozenset(one for one in found if not _is_running(reading, one))


def _is_running(reading: Reading, item_id: str) -> bool:
    item = reading.item(item_id)
    return item is not None and item.run is not None


def _run(reading: Reading, item: Item | None, known: Run | None) -> Run | None:
    if item is None or item.run is None:
        return None
    return known if known is not None and known.id == item.run else reading.run(item.run)


def _neighbours(reading: Reading, command: Command, item: Item | None, children: list[str]) -> dict[str, Neighbour]:
    wanted = list(children)
    if isinstance(command, NAMES_AFTER) and isinstance(command.after, list):
        wanted += command.after
    if isinstance(command, commands.AddItem) and command.parent:
        wanted.append(command.parent)
    if isinstance(command, REOPENS) and item:
        wanted += [*item.after, *([item.parent] if item.parent else [])]
    return reading.upstream(wanted, UPSTREAM_MAX) if wanted else {}


def _maker(reading: Reading, speaker: Speaker) -> tuple[Speaker, Item | None]:
    """The item whose live run is adding another, and the run under its agent's name; None if the run is not current."""
    run = reading.run(speaker.run or "")
    if run is None or run.ended_at is not None or run.token != speaker.token:
        return speaker, None
    return Speaker(run.agent, run.id, run.token), known_item(reading, run.item)


def known_item(reading: Reading, item_id: str) -> Item:
    item = reading.item(item_id)
    if item is None:
        raise Invalid("unknown_item", f"there is no item {item_id}", "see: moot list")
    return item


def flow_in_force(reading: Reading, version: int, flows: dict[int, Flow]) -> Flow:
    """Flows never change once taken in, so a decoded one is kept."""
    if version not in flows:
        adopted: FlowVersion = reading.flow(version)
        flows[version] = adopted.flow
    return flows[version]


def next_item(
    reading: Reading, flow: Flow, agent: str, now: float, *, column: str | None, item: str | None
) -> Item | None:
    """The item this agent would get now, or None."""
    starve = flow.limits.starve
    head = reading.head()
    writer = flow.agents.get(agent)
    if not head.filed or writer is None or writer.write == "none":
        return reading.next_ready(agent, now, starve, column=column, item=item)
    if item is not None:
        found = reading.next_ready(agent, now, starve, column=column, item=item)
        return found if found is not None and not obstacle(found, ground(reading, flow, now)) else None
    candidates = reading.ready(agent, now, starve, column=column, limit=CANDIDATES_MAX)
    return pick(candidates, ground(reading, flow, now), now - starve) if candidates else None


def ground(reading: Reading, flow: Flow, now: float) -> Ground:
    holds = reading.holds(now) if reading.head().held else []
    starved = reading.starved(now - flow.limits.starve, STARVED_MAX)
    return Ground(holds, starved, lambda item: idle_waiters(reading, flow, item))
