"""Which of the ready items a writer gets: the one that keeps most others waiting, whose paths are free (R-20, R-23)."""

from collections.abc import Callable, Iterable, Set

from msgspec import Struct

from folkmoot.core.enums import PRIORITIES
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import queue_position
from folkmoot.core.records import Hold, Run
from folkmoot.core.rules.sharing.holds import in_the_way, is_landing
from folkmoot.core.rules.sharing.paths import crowd, meeting, overlap, path_key

WaitersOf = Callable[[str], Set[str]]
PATH, RESERVED = "path:", "reserved:"  # how the names of bars begin


class Ground(Struct, frozen=True):
    """What stands in the way of writers: the holds in force, and the items that have waited too long."""

    holds: list[Hold]
    starved: list[Item]
    waiters_of: WaitersOf  # the items that wait for one and have no run of their own


class Bar(Struct, frozen=True):
    """What keeps an item out. Its name is the same for all that it keeps out: while a bar of that name stands, none of
    them can be taken, unless whoever holds a path without a run waits for it, or is it itself."""

    name: str
    words: str


def standing(ground: Ground) -> set[str]:
    """The names of the bars that stand."""
    names = {PATH + path_key(hold.path) for hold in ground.holds}
    return names | {reserved(starved, path) for starved in ground.starved for path in starved.files}


def reserved(starved: Item, path: str) -> str:
    """Since when it has been ready is in the name: whoever came before may not be kept out by it."""
    return f"{RESERVED}{starved.id}:{starved.ready_at!r}:{path_key(path)}"


def is_kept_out_by(item: Item, name: str, lands: bool = False) -> bool:
    """Is this a name of a path's bar that may keep the item out, when it stands?"""
    if name.startswith(PATH):
        return bool(overlap(item.changed if lands else item.files, [name.removeprefix(PATH)]))
    if lands:
        return False
    other, _, rest = name.removeprefix(RESERVED).partition(":")
    since, _, path = rest.partition(":")
    try:
        is_older = (float(since), int(other)) < (item.ready_at, item.number)
    except ValueError:
        return False
    return is_older and bool(overlap(item.files, [path]))


def waits_by_row(item: Item) -> set[tuple[str, str]]:
    """Who waits, and for whom, as far as this row alone says: it waits for what it comes after and for whatever it was
    stopped for, parts, tasks or its whole; and who sent for it waits for it. Only paths are not told by a row."""
    pairs = {(item.id, need) for need in (*item.after, *item.waits_for)}
    return pairs | {(item.asker, item.id)} if item.asker else pairs


def waiting_for(
    item: str,
    waiters_of: WaitersOf,
    held_by: Callable[[str], list[str]],
    writers_on: Callable[[list[str]], Iterable[Item]],
    own: list[str],
) -> set[str]:
    """Who waits for an item, directly or through others: by what they come after, as its parent, as a task whose whole
    it is, because they sent for it, or for paths that one of those holds.

    `waiters_of` knows who does so directly, but for paths; `held_by` what an item without a run holds, `writers_on`
    who must have paths before it can go on, to write them or to land on them, and `own` is what the item holds itself.
    So a circle that leads over paths is seen, and the hold in it keeps nobody out.
    """
    found: set[str] = set()
    ahead = [item]
    while ahead:
        one = ahead.pop()
        new = set(waiters_of(one))
        paths = own if one == item else held_by(one)
        for writer in writers_on(paths) if paths else ():
            # Whom the holder waits for is not kept out by it.
            if one == item or (writer.id not in found and one not in _all_waiters(writer.id, waiters_of)):
                new.add(writer.id)
        new -= found | {item}
        found |= new
        ahead += new
    return found


def _all_waiters(item: str, waiters_of: WaitersOf) -> set[str]:
    found: set[str] = set()
    ahead = [item]
    while ahead:
        new = set(waiters_of(ahead.pop())) - found
        found |= new
        ahead += new
    return found


def writes_now(flow: Flow, run: Run | None) -> bool:
    """Is a run at work that may change files? What only reads, proves or lands keeps no helper from them."""
    agent = flow.agents.get(run.agent) if run is not None and not run.gate else None
    return agent is not None and agent.write != "none"


def wanted(flow: Flow, item: Item) -> list[str]:
    """The paths that must be free for whoever may take the item now: those that a writer was given, and those that a
    landing brings onto a branch. Who only reads or proves needs none."""
    queue = queue_position(flow, item).queue
    if queue == LANDING:
        return item.changed
    agent = flow.agents.get(queue or "")
    return item.files if agent is not None and agent.write != "none" else []


def pick(candidates: Iterable[Item], ground: Ground, before: float) -> Item | None:
    """The first whose paths are free; `before` is since when an item must have been ready to be starved."""
    return choose(candidates, ground, before)[0]


def choose(candidates: Iterable[Item], ground: Ground, before: float) -> tuple[Item | None, dict[str, str]]:
    """The first whose paths are free; and by what each of those before it is kept out."""
    ready = list(candidates)
    waiting = crowd(item.files for item in ready)

    def key(item: Item) -> tuple[int, float, int, int, int, int, int]:
        if item.ready_at <= before:
            return (0, item.ready_at, 0, 0, 0, 0, item.number)
        loads = [waiting(path) for path in item.files] or [1]
        # A chain counts this item too, as a path's load does.
        urgency = max(item.rank + 1, *loads)
        return (1, 0.0, PRIORITIES.index(item.priority), -urgency, -item.rank, -sum(loads), item.number)

    kept_out: dict[str, str] = {}
    for item in sorted(ready, key=key):
        found = bar(item, ground)
        if found is None:
            return item, kept_out
        kept_out[item.id] = found.name
    return None, kept_out


def obstacle(item: Item, ground: Ground, lands: bool = False) -> str | None:
    """Why a writer cannot have the item now, or it cannot land, in words; None if it can."""
    found = landing_obstacle(item, ground) if lands else bar(item, ground)
    return found.words if found else None


def landing_obstacle(item: Item, ground: Ground) -> Bar | None:
    """What its work must wait for before it can land: others hold a path of it. Only what is held counts, no
    reservation: a landing takes a moment, and whoever has waited longest gets the path after it."""
    return _held(item.id, item.changed, [hold for hold in ground.holds if not is_landing(hold)], ground)


def _held(item: str, paths: list[str], holds: list[Hold], ground: Ground) -> Bar | None:
    near = in_the_way(paths, holds, item)
    if near and near[0].item is not None:  # a person waits for no item, so that nobody need be asked
        near = in_the_way(paths, near, item, ground.waiters_of(item))
    for hold in near:
        words = f"{hold.path} is held by {hold.owner}" + (f" for item {hold.item}" if hold.item else "")
        return Bar(PATH + path_key(hold.path), words)
    return None


def bar(item: Item, ground: Ground) -> Bar | None:
    """What keeps a writer from having the item now; None if nothing does."""
    if not item.files:
        return None
    held = _held(item.id, item.files, ground.holds, ground)
    if held is not None:
        return held
    meets = meeting(item.files) if ground.starved else None
    for other in ground.starved if meets else ():
        older = (other.ready_at, other.number) < (item.ready_at, item.number) and other.id != item.id
        met = next((path for path in other.files if meets(path)), None) if older and meets else None
        if met is not None:
            if _is_needed(item, ground):
                return None
            words = f"item {other.id} has waited longest for {overlap(item.files, other.files)[0]}"
            return Bar(reserved(other, met), words)
    return None


def _is_needed(item: Item, ground: Ground) -> bool:
    """Does this item hold what any starved one wants, or does whoever holds it wait for this item? Then it goes first:
    kept out by one that is starved, it would keep out another, and they would wait for each other for ever."""
    before = {item.id, *ground.waiters_of(item.id)}
    held = [hold.path for hold in ground.holds if hold.item in before]
    return any(overlap(starved.files, held) for starved in ground.starved)
