"""Which ready item is next, written into columns that a store can filter and sort on (R-23)."""

from msgspec import Struct

from folkmoot.core.flow import Flow
from folkmoot.core.item import PRIORITIES, Item

# A chain of dependents longer than this counts as this long: the order is a hint, and its upkeep must stay bounded.
RANK_MAX = 16


class Place(Struct, frozen=True, gc=False):
    """Where an item stands in its queue. `queue` is the only agent that may claim it now, or None."""

    queue: str | None
    priority: int
    rank: int


def place(flow: Flow, item: Item) -> Place:
    claimable = item.status == "ready" and item.column in flow.columns
    queue = flow.watcher(item.column) if claimable else None
    return Place(queue, PRIORITIES.index(item.priority), -item.rank)


def order_key(item: Item, now: float, starve: float) -> tuple[int, float, int, int, int]:
    """What comes first in a queue, defined once: the starved, oldest first; then priority, chain, age."""
    starved = item.ready_at <= now - starve
    if starved:
        return (0, item.ready_at, 0, 0, item.number)
    return (1, 0.0, PRIORITIES.index(item.priority), -item.rank, item.number)
