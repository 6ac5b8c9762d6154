"""Which ready item is next, written into columns that a store can filter and sort on (R-23)."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS, PRIORITIES
from folkmoot.core.flow import END, LANDING, Flow
from folkmoot.core.item import Item

# A chain of dependents longer than this counts as this long: the order is a hint, and its upkeep must stay bounded.
RANK_MAX = 16


class QueuePosition(Struct, frozen=True, gc=False):
    """Where an item stands in its queue. `queue` is the only agent that may claim it now, or None."""

    queue: str | None
    priority: int
    rank: int


def queue_position(flow: Flow, item: Item) -> QueuePosition:
    return QueuePosition(claimant(flow, item), PRIORITIES.index(item.priority), -item.rank)


def claimant(flow: Flow, item: Item) -> str | None:
    """The only agent, or gate, that may claim the item now."""
    if item.column not in flow.columns:
        return None
    if item.status == "proving":
        if item.is_proposed and flow.proposes and item.proving and item.proving.left[:1] == [LANDING]:
            return None  # whoever merges, or asks for changes, acts on the forge
        return item.proving.left[0] if item.proving and item.proving.left else None
    return actor(flow, item) if item.status == "ready" else None


def actor(flow: Flow, item: Item) -> str | None:
    """The agent whose turn it is in the item's column; None where nobody watches, or each gets a part of its own."""
    if item.agent and (item.kind in ONE_SHOT_KINDS or item.column == item.home):
        return item.agent  # a task for a named agent that went elsewhere is for whoever acts there
    column = flow.acting(item.column, item.tags)
    if column.kind == "dispute":
        dispute = item.dispute
        return dispute.side(dispute.turn).agent if dispute else None
    return None if column.name in flow.groups else (column.agents[0] if column.agents else None)


def iteration(flow: Flow, item: Item) -> int:
    """The look of a checking column that is under way, or was the last: 1 at the first, 0 before it (R-05)."""
    rounds = item.span.rounds
    if item.column in flow.columns and item.status not in ENDED and not item.effort.judged:
        here = stage(flow, item)
        if here in flow.columns and (flow.checks(here) or here in rounds):
            return rounds.get(here, 0) + 1
    last = item.span.looked if item.span.looked in rounds else max(rounds, key=lambda one: rounds[one], default=None)
    return rounds[last] if last is not None else 0


def order_key(item: Item, now: float, starve: float) -> tuple[int, float, int, int, int]:
    """What comes first in a queue, defined once: the starved, oldest first; then priority, chain, age."""
    starved = item.ready_at <= now - starve
    if starved:
        return (0, item.ready_at, 0, 0, item.number)
    return (1, 0.0, PRIORITIES.index(item.priority), -item.rank, item.number)


def shown_key(item: Item) -> tuple[int, int]:
    """What stands first in a column of a board: by urgency, then by age. Nothing that time alone changes decides."""
    return (PRIORITIES.index(item.priority), item.number)


def shown_first(items: Iterable[Item], each: int | None) -> list[Item]:
    """Of every column the first so many, in the order of their numbers; None: all."""
    taken: Counter[str] = Counter()
    found: list[Item] = []
    for item in sorted(items, key=shown_key):
        taken[item.column] += 1
        if each is None or taken[item.column] <= each:
            found.append(item)
    return sorted(found, key=lambda item: item.number)


def worked_for(flow: Flow, item: Item) -> tuple[str, list[str]]:
    """The column whose work is done where the item is, and what lies below it: help works for the stage it helps."""
    column, origins = flow.acting(item.column, item.tags).name, list(item.origins)
    # In a dispute column the side whose turn it is, or a senior who helps it out, speaks from that side's own column.
    while flow.columns[column].kind in ("escalation", "dispute") and origins:
        column = origins.pop()
    return column, origins


def ends_here(flow: Flow, item: Item) -> bool:
    """Has nobody more to work on the item once the work where it is is done?"""
    if item.kind in ONE_SHOT_KINDS or item.column == END:
        return True
    column, _ = worked_for(flow, item)
    return flow.columns[column].next == END or (item.kind == "task" and column == item.home)


def stage(flow: Flow, item: Item) -> str:
    """The stage whose work is done where the item is: in a dispute column that of the side whose turn it is."""
    dispute = item.dispute
    if dispute is not None and flow.columns[item.column].kind == "dispute":
        return dispute.side(dispute.turn).stage
    return flow.stage(flow.acting(item.column, item.tags).name, item.origins)
