"""How a board stands, for whoever has a moment: what moves, who waits for a person, what is paused, what today cost."""

from collections import Counter
from typing import TYPE_CHECKING

from folkmoot.api.pages import BoardStatus, Today
from folkmoot.core.enums import ASKING, OWN_KINDS
from folkmoot.core.flow import LANDING
from folkmoot.core.rules.running.spending import DAY_MS
from folkmoot.engine.reads.views import pause_views, question_view

if TYPE_CHECKING:
    from folkmoot.engine.reads.snapshot import Snapshot

WORDS = {"running": "at work", "proving": "ready", **dict.fromkeys(ASKING, "for you")}


def status(snapshot: "Snapshot") -> BoardStatus:
    items = snapshot.all_items()
    counted = Counter(WORDS.get(item.status, item.status) for item in items if item.kind in OWN_KINDS)
    order = ("at work", "ready", "blocked", "waiting", "for you", "done", "failed", "cancelled")
    running = {item.id for item in items if item.status == "running"}
    return BoardStatus(
        flow=snapshot.flow.name,
        counts={name: counted[name] for name in order if counted[name]},
        # A run whose lease is over has ended, though nobody has written that down yet.
        runs=[run for run in snapshot.live() if run.item in running],
        questions=[question_view(asked) for asked in snapshot.inbox()],
        pauses=pause_views(snapshot.reading.pauses(), snapshot.moment),
        blocked=snapshot.blocked(items),
        today=_today(snapshot),
    )


def _today(snapshot: "Snapshot") -> Today:
    """Counted from the runs, so that it holds also where no budget meters the day."""
    since = snapshot.moment.at // DAY_MS * DAY_MS
    runs = snapshot.reading.runs_ended(since)
    told = [run for run in runs if run.cost_usd]
    worked = [run for run in runs if not run.gate and run.agent != LANDING]
    return Today(
        runs=len(worked),
        landed=sum(run.agent == LANDING and run.outcome == "done" for run in runs),
        failed=sum(run.outcome == "failed" for run in worked),
        cost_usd=round(sum(run.cost_usd for run in told), 6) if told else None,
        seconds=sum((run.ended_at or 0) - run.started_at for run in worked) / 1000,
    )
