"""Which of the ready items a writer gets: the one that keeps most others waiting, whose paths are free (R-20, R-23)."""

from collections.abc import Callable, Iterable, Set

from msgspec import Struct

from folkmoot.core.flow import Flow
from folkmoot.core.item import PRIORITIES, Item
from folkmoot.core.order import place
from folkmoot.core.records import Hold
from folkmoot.core.rules.sharing.holds import in_the_way
from folkmoot.core.rules.sharing.paths import crowd, overlap

WaitersOf = Callable[[str], Set[str]]


class Ground(Struct, frozen=True):
    """What stands in the way of writers: the holds in force, and the items that have waited too long."""

    holds: list[Hold]
    starved: list[Item]
    waiters_of: WaitersOf  # the items that wait for one and have no run of their own


def waiting_for(
    item: str,
    waiters_of: WaitersOf,
    held_by: Callable[[str], list[str]],
    writers: Callable[[], list[Item]],
    own: list[str],
) -> set[str]:
    """Who waits for an item: by what they come after, as its parent, or for paths that one of those holds.

    `waiters_of` knows the first two, `held_by` what an item without a run holds, `writers` who is ready to write, and
    `own` is what the item holds itself. So a circle that leads over paths is seen, and the hold in it keeps nobody out.
    """
    found = {writer.id for writer in (writers() if own else ()) if overlap(writer.files, own)} - {item}
    ahead = [item, *found]
    while ahead:
        new = set(waiters_of(ahead.pop())) - found - {item}
        found |= new
        for holder in new:
            paths = held_by(holder)
            for writer in writers() if paths else ():
                kept_out = overlap(writer.files, paths) and holder not in waiters_of(writer.id)
                if kept_out and writer.id != item and writer.id not in found:
                    found.add(writer.id)
                    ahead.append(writer.id)
    return found


def writes(flow: Flow, item: Item) -> bool:
    """Would whoever may take the item now write its files?"""
    agent = flow.agents.get(place(flow, item).queue or "")
    return agent is not None and agent.write != "none" and bool(item.files)


def pick(candidates: Iterable[Item], ground: Ground, before: float) -> Item | None:
    """The first whose paths are free; `before` is since when an item must have been ready to be starved."""
    ready = list(candidates)
    waiting = crowd(item.files for item in ready)

    def key(item: Item) -> tuple[int, float, int, int, int, int, int]:
        if item.ready_at <= before:
            return (0, item.ready_at, 0, 0, 0, 0, item.number)
        loads = [waiting(path) for path in item.files] or [1]
        # A chain counts this item too, as a path's load does.
        urgency = max(item.rank + 1, *loads)
        return (1, 0.0, PRIORITIES.index(item.priority), -urgency, -item.rank, -sum(loads), item.number)

    return next((item for item in sorted(ready, key=key) if not obstacle(item, ground)), None)


def obstacle(item: Item, ground: Ground) -> str | None:
    """Why a writer cannot have the item now, in words; None if it can."""
    if not item.files:
        return None
    if overlapping(item, ground.holds):
        for hold in in_the_way(item.files, ground.holds, item.id, ground.waiters_of(item.id)):
            return f"{hold.path} is held by {hold.owner}" + (f" for item {hold.item}" if hold.item else "")
    for other in ground.starved:
        older = (other.ready_at, other.number) < (item.ready_at, item.number) and other.id != item.id
        if older and overlap(item.files, other.files) and not _is_needed(item, ground):
            return f"item {other.id} has waited longest for {overlap(item.files, other.files)[0]}"
    return None


def overlapping(item: Item, holds: list[Hold]) -> bool:
    return any(hold.item != item.id and overlap(item.files, [hold.path]) for hold in holds)


def _is_needed(item: Item, ground: Ground) -> bool:
    """Does this item hold what any starved one wants, or does whoever holds it wait for this item? Then it goes first:
    kept out by one that is starved, it would keep out another, and they would wait for each other for ever."""
    before = {item.id, *ground.waiters_of(item.id)}
    held = [hold.path for hold in ground.holds if hold.item in before]
    return any(overlap(starved.files, held) for starved in ground.starved)
