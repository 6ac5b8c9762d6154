"""Several landings in one transaction each: taken, written down and reported together, or none of it has happened.

Each of the items has a run of its own, with a token and a lease. The first of them has the branch, by the ordinary
claim; the others are taken beside it, once their work is proved.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from folkmoot.core.commands import ENGINE, Actor, ClaimItem, Command, RecordLanding, ReleaseRun, ReportRun
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import order_key
from folkmoot.core.rules.claims import stale
from folkmoot.core.rules.judging.required import proved
from folkmoot.core.rules.running.batches import may_join
from folkmoot.core.rules.running.landing import check_lease, moves_branch
from folkmoot.core.rules.sharing.choice import landing_obstacle
from folkmoot.core.rules.sharing.holds import landing_bar
from folkmoot.core.work import Landing
from folkmoot.engine.claiming import check_pauses, check_starting
from folkmoot.engine.engine import Engine
from folkmoot.engine.loading import claim_context, known_item
from folkmoot.engine.moment import moment
from folkmoot.engine.reads.snapshot import Snapshot
from folkmoot.engine.subjects import no_run, own_item
from folkmoot.engine.unit_of_work import UnitOfWork
from folkmoot.errors import NothingToDo, Refused

LOOKED_AT = 4  # times as many as may join are looked at: some are held up, or have other gates


class Mate(Struct, frozen=True, kw_only=True):
    """An item whose work may land together with that of the one whose landing has begun."""

    item: str
    title: str
    head: str
    landing: Landing | None  # a move that an earlier run was about to make
    proved: dict[str, list[str]]  # tree -> gates that are green on it


class Joined(Struct, frozen=True, kw_only=True):
    item: str
    actor: Actor


class NotTogether(Refused):
    """One of them stands in the way of all; nothing was changed. Its `details` say which."""


def not_together(item: str, why: str) -> NotTogether:
    words = "item {item} does not land together with the others: {why}"
    return NotTogether("not_together", words, "let it land by itself", item, why)


def mates(snapshot: Snapshot, run: str, most: int) -> list[Mate]:
    """Who may land together with the item of a landing, in the order in which they would land after it."""
    reading, flow, now = snapshot.reading, snapshot.flow, snapshot.moment.now
    begun = reading.run(run)
    if begun is None or most < 1:
        return []
    first = known_item(reading, begun.item)
    queue = [
        item
        for bar in (None, landing_bar(flow, first))  # a claim may have noted that they wait for this very landing
        for item in reading.ready(LANDING, now, flow.limits.starve, limit=most * LOOKED_AT, bar=bar)
    ]
    ground = claim_context(reading, flow, now)
    queue.sort(key=lambda item: order_key(item, now, flow.limits.starve))
    able = [one for one in queue if may_join(flow, first, one)]
    free = [one for one in able if landing_obstacle(one, ground) is None]
    return [_mate(flow, one) for one in free[:most]]


def _mate(flow: Flow, item: Item) -> Mate:
    shown = proved(flow, item)
    return Mate(item=item.id, title=item.title, head=item.head or "", landing=item.landing, proved=shown)


def take(engine: Engine, first: Actor, wanted: Sequence[Mate]) -> list[Joined]:
    """Runs for all of them beside the first one's. Raises NotTogether where one has changed, or is taken."""

    def work(unit: UnitOfWork) -> list[Joined]:
        begun = unit.tx.run(first.run or "")
        if begun is None or begun.ended_at is not None or begun.token != first.token:
            raise stale(first, "it has ended")
        order = ClaimItem(
            agent=LANDING, lease=begun.lease, worker=begun.worker, sandboxed=begun.sandboxed, beside=begun.id
        )
        try:  # nothing else begins then either
            check_starting(unit.tx, unit.flow, LANDING, check_pauses(unit), unit.moment.now)
        except (Refused, NothingToDo) as error:
            raise not_together(wanted[0].item, error.message) from error
        taken = []
        for mate in wanted:
            _apply(unit, order, _as_it_was(unit, mate), ENGINE)
            assert unit.run is not None, "a claim has just made it"
            taken.append(Joined(item=mate.item, actor=Actor(LANDING, unit.run.id, unit.run.token)))
        return taken

    return engine.transact(first, ClaimItem(agent=LANDING, lease=0), work, None, "", list[Joined])


def write_down(engine: Engine, intents: Sequence[tuple[Actor, RecordLanding]]) -> None:
    """The moves of all of them, which are one. Raises NotTogether where the board does not let one land now."""

    def work(unit: UnitOfWork) -> bool:
        for actor, record in intents:
            item = _said(unit, record, actor)
            if item.landing is None or item.landing.run != actor.run:
                raise not_together(item.id, item.because)
        return True

    engine.transact(intents[0][0], intents[0][1], work, None, "", bool)


def land(engine: Engine, reports: Sequence[tuple[Actor, ReportRun]], new: str, move: Callable[[str], None]) -> None:
    """As `Engine.land`: all of them are reported, and the branch moves once, as the last step of the same transaction.
    Raises NotTogether where one of them is not to land any more."""

    def work(unit: UnitOfWork) -> bool:
        for actor, command in reports:
            item = _said(unit, command, actor)
            run = unit.tx.run(actor.run or "")
            if run is None or not moves_branch(run):
                raise not_together(item.id, item.because)
            check_lease(run, moment(engine.clock, unit.tx.head()).now)
        move(new)
        return True

    engine.transact(reports[0][0], reports[0][1], work, None, "", bool, alone=True)


def leave(engine: Engine, joined: Sequence[Joined]) -> None:
    """It came to nothing: they wait for their landing as before, and nothing is counted."""
    for one in joined:
        try:
            engine.act(one.actor, ReleaseRun())
        except Refused:
            continue  # it has ended meanwhile


def _as_it_was(unit: UnitOfWork, mate: Mate) -> Item:
    item = unit.item(mate.item)
    if item.head != mate.head:
        raise not_together(mate.item, "its work has changed since")
    return item


def _apply(unit: UnitOfWork, command: Command, item: Item, actor: Actor) -> Item:
    """What one is refused for, all are."""
    unit.run = None
    try:
        return unit.apply(command, item, actor)
    except Refused as error:
        raise not_together(item.id, error.message) from error


def _said(unit: UnitOfWork, command: Command, actor: Actor) -> Item:
    unit.run = None
    found = _apply(unit, command, own_item(unit, actor) or no_run(), actor)
    if unit.refusal is not None:
        raise not_together(found.id, unit.refusal.message)
    return found
