"""How a board stands, for whoever has a moment: what moves, who waits for a person, what is paused, what today cost."""

from collections import Counter
from typing import TYPE_CHECKING

from folkmoot.api.pages import BoardStatus, Today
from folkmoot.api.views import ItemSummary
from folkmoot.core.enums import ASKING, ENDED, OWN_KINDS
from folkmoot.core.flow import LANDING
from folkmoot.core.rules.running.spending import DAY_MS, money_of
from folkmoot.engine.reads.views import pause_views, question_view

if TYPE_CHECKING:
    from folkmoot.engine.reads.snapshot import Snapshot

WORDS = {"running": "at work", "proving": "ready", **dict.fromkeys(ASKING, "for you")}


def status(snapshot: "Snapshot") -> BoardStatus:
    items = [snapshot.summary(item) for item in snapshot.reading.open_items()]
    counted = Counter(_word(item) for item in items if item.kind in OWN_KINDS)
    counted.update(_ended(snapshot))
    order = ("at work", "ready", "proposed", "blocked", "waiting", "for you", "done", "failed", "cancelled")
    running = {item.id for item in items if item.status == "running"}
    return BoardStatus(
        flow=snapshot.flow.name,
        counts={name: counted[name] for name in order if counted[name]},
        # A run whose lease is over has ended, though nobody has written that down yet.
        runs=[run for run in snapshot.live() if run.item in running],
        questions=[question_view(asked) for asked in snapshot.inbox()],
        pauses=pause_views(snapshot.reading.pauses(), snapshot.moment),
        blocked=snapshot.blocked(items),
        today=today(snapshot),
    )


def is_proposed(item: ItemSummary) -> bool:
    """Does it wait for people to merge it? No agent may take it meanwhile."""
    return item.status == "proving" and item.watcher is None


def _word(item: ItemSummary) -> str:
    return "proposed" if is_proposed(item) else WORDS.get(item.status, item.status)


def today(snapshot: "Snapshot") -> Today:
    """Counted from the runs, so that it holds also where no budget meters the day."""
    since = snapshot.moment.at // DAY_MS * DAY_MS
    runs = landed = failed = unpriced = milliseconds = 0
    cost: float | None = None
    for run in snapshot.reading.runs_ended(since):
        if run.cost_usd:
            cost = (cost or 0.0) + run.cost_usd
        if run.agent == LANDING:
            landed += run.outcome == "done"
        elif not run.gate:
            runs += 1
            failed += run.outcome == "failed"
            unpriced += money_of(run) is None
            milliseconds += (run.ended_at or 0) - run.started_at
    cost = None if cost is None else round(cost, 6)
    seconds = milliseconds / 1000
    return Today(runs=runs, landed=landed, failed=failed, cost_usd=cost, unpriced=unpriced, seconds=seconds)


def _ended(snapshot: "Snapshot") -> dict[str, int]:
    """How many have ended, and how. Most are done: those are counted without being read."""
    others = {status: _count(snapshot, status) for status in ENDED if status != "done"}
    return {**others, "done": sum(snapshot.reading.ended_in().values()) - sum(others.values())}


def _count(snapshot: "Snapshot", status: str) -> int:
    count, after = 0, 0
    while page := snapshot.reading.items(status=status, after=after):
        count += sum(item.kind in OWN_KINDS for item in page)
        after = page[-1].number
    return count
