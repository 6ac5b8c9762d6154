"""Numbers of a board for whoever watches many: by agent, column and model, and never by item."""

from folkmoot.api.requests import Request
from folkmoot.api.views import View


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
