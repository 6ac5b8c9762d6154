"""Numbers of a board: for whoever watches many, by agent, column and model; and for plots, run by run."""

from folkmoot.api.requests import Request
from folkmoot.api.views import View
from folkmoot.core.enums import Cause, RunOutcome


class ItemGauge(View, frozen=True, gc=False, kw_only=True):
    column: str
    status: str
    items: int


class RunGauge(View, frozen=True, gc=False, kw_only=True):
    """Runs that have ended."""

    agent: str  # or the gate, or `landing`
    kind: str  # agent, gate, landing
    outcome: str
    end: str
    runs: int


class SpentGauge(View, frozen=True, gc=False, kw_only=True):
    """What runs of one agent by one model have used up; null: nobody has told."""

    agent: str
    model: str | None
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


class QueueGauge(View, frozen=True, gc=False, kw_only=True):
    agent: str  # or the gate, or `landing`
    items: int
    oldest_seconds: float | None  # how long the one has been ready that waits longest; null: none could begin now


class LiveGauge(View, frozen=True, gc=False, kw_only=True):
    agent: str
    runs: int
    late: int  # of those, runs whose lease is over


class FourMetrics(View, frozen=True, gc=False, kw_only=True):
    """What the handoff document measures; of workflows by their type, the sums."""

    time_per_agent: dict[str, float]
    workflows: dict[str, int]  # that have begun
    handoffs_per_workflow: dict[str, float]
    handoffs: dict[str, int]
    fix_iterations: dict[str, int]
    escalated: dict[str, int]
    escalation_rate: float | None  # null: no workflow has begun


class Gauges(View, frozen=True, gc=False, kw_only=True):
    """A board in numbers. All of it is of one moment, but for `metrics`, which may be some seconds old."""

    flow: str
    seq: int  # the number of the last event
    items: list[ItemGauge]
    runs: list[RunGauge]
    spent: list[SpentGauge]
    queues: list[QueueGauge]
    live: list[LiveGauge]
    next_lease_end: float | None  # seconds; less than 0: it is over
    open_questions: int
    oldest_question_seconds: float | None
    pauses: list[str]
    locks: int
    rows: dict[str, int]  # items, comments, questions, messages, lessons: how many there are
    metrics: FourMetrics


class ReadGauges(Request[Gauges], frozen=True, kw_only=True):
    """The board in numbers, for monitoring: quick on a large board too."""


class RunFigure(View, frozen=True, gc=False, kw_only=True):
    """A run as a bar on an axis of time, with the wait before it."""

    run: str
    item: str
    agent: str  # or the gate, or `landing`
    model: str | None
    pool: str | None
    column: str
    worker: str
    gate: bool  # it proves or lands work, and uses no model
    begun_at: str | None
    ended_at: str | None  # null: it goes on
    outcome: RunOutcome | None
    cause: Cause | None
    cost_usd: float | None  # null: nobody can tell
    tokens: int | None  # null: nobody has told
    seconds: float  # of its work; of one that goes on, so far
    waited_seconds: float  # since the item's last run ended, or the item was added
    asked_seconds: float  # of those: while a person was asked and nothing could go on


class DayFigure(View, frozen=True, gc=False, kw_only=True):
    """A day (UTC, as budgets count). An item has landed on the day on which its last run ended with it done."""

    day: str
    added: int
    landed: int
    asked: int  # questions to people, by the day on which they were asked


class ColumnFigure(View, frozen=True, gc=False, kw_only=True):
    """Where the time of items that agents worked on went, in one column; what stands there still is counted so far."""

    column: str
    items: int
    worked_seconds: float
    proved_seconds: float  # gates and landings
    waited_seconds: float  # for a slot, a pool, other items
    asked_seconds: float  # for a person


class Figures(View, frozen=True, gc=False, kw_only=True):
    """What happened since a moment, for plots. All of it is of one moment."""

    since: str | None
    until: str | None
    runs: list[RunFigure]  # that went on in this time, by their beginning
    left_out: int  # so many older ones: there is room for the newest alone
    titles: dict[str, str]  # of the items of those runs
    days: list[DayFigure]  # none left out
    columns: list[ColumnFigure]  # in the order of the flow
    slots: int  # runs at the same time, as the flow has it for one worker


class ReadFigures(Request[Figures], frozen=True, kw_only=True):
    """Runs with their times and waits, what landed on each day, where the time went: what plots are drawn from."""

    since: str = "28d"  # a span back from now, or a day
    item: str | None = None  # this one, with all that was made for it
