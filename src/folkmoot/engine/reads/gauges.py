"""The board in numbers, for monitoring. A look reads what is open now, and what has happened since the last look."""

from collections import Counter
from collections.abc import Callable

from folkmoot.api.gauges import Gauges, LiveGauge, QueueGauge
from folkmoot.core.flow import LANDING
from folkmoot.core.rules.running.budgets import in_force
from folkmoot.engine.reads.snapshot import Snapshot
from folkmoot.engine.reads.totals import Totals

QUEUED_MAX = 1_000_000


class Watched:
    """What is kept between two looks. Only one thread at a time may look."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._totals = Totals()

    def look(self, snapshot: Snapshot) -> Gauges:
        reading, flow, now, totals = snapshot.reading, snapshot.flow, snapshot.moment, self._totals
        totals.follow(reading)
        head, open_runs = reading.head(), reading.open_runs()
        live, late = Counter(run.agent for run in open_runs), Counter[str]()
        late.update(run.agent for run in open_runs if run.lease_until <= now.now)
        asked = totals.open_questions.values()
        return Gauges(
            flow=flow.name,
            seq=head.seq,
            items=totals.items(),
            runs=totals.runs(),
            spent=totals.spent(),
            queues=[_queue(snapshot, name) for name in dict.fromkeys((*flow.agents, *flow.gates, LANDING))],
            live=[LiveGauge(agent=agent, runs=many, late=late[agent]) for agent, many in sorted(live.items())],
            next_lease_end=round(open_runs[0].lease_until - now.now, 3) if open_runs else None,
            open_questions=len(asked),
            oldest_question_seconds=max(now.at - min(asked), 0) / 1000 if asked else None,
            pauses=sorted(in_force(reading.pauses(), now.now)),
            locks=len(reading.holds(now.now)) if head.held else 0,
            rows={name: getattr(head, name) for name in ("items", "comments", "questions", "messages", "lessons")},
            metrics=totals.metrics(reading, flow, self._clock),
        )


def _queue(snapshot: Snapshot, agent: str) -> QueueGauge:
    """The one that has waited longest is the first of those that have waited longer than no time at all."""
    now = snapshot.moment.now
    oldest = snapshot.reading.next_ready(agent, now, 0.0)
    return QueueGauge(
        agent=agent,
        items=snapshot.reading.queued(agent, QUEUED_MAX),
        oldest_seconds=None if oldest is None else round(max(now - oldest.ready_at, 0.0), 3),
    )
