"""A board's numbers in the text format of Prometheus (0.0.4). Labels are agents, columns, models, calls; never items.

What nobody knows is left out: a cost of 0 would say that it was for nothing.
"""

from collections.abc import Iterable, Mapping

from folkmoot.api.gauges import FourMetrics, Gauges
from folkmoot.api.health import Health
from folkmoot.doors.observe.counters import BOUNDS, Counted

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
OWN_CHOICE = ""  # the model of a run whose client chose it itself: Prometheus takes an empty label for none
Number = int | float
Sample = tuple[Mapping[str, str], Number | None]


def render(
    gauges: Gauges, counted: Counted | None = None, *, store_bytes: int | None = None, health: Health | None = None
) -> str:
    """`counted` is of the server that is asked; `health` is told where somebody has looked at it."""
    page = Page()
    _items(page, gauges, store_bytes)
    _runs(page, gauges)
    _spent(page, gauges)
    _waiting(page, gauges)
    _four(page, gauges.metrics)
    if counted is not None:
        _server(page, counted)
    if health is not None:
        parts = [({"component": one.name}, int(one.ok)) for one in health.components]
        page.gauge("moot_healthy", "1 where this part of the board is sound, else 0.", parts)
    return page.text()


class Page:
    """Families of samples, each with its help and its type."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def gauge(self, name: str, words: str, samples: Iterable[Sample]) -> None:
        self._family(name, "gauge", words, samples)

    def counter(self, name: str, words: str, samples: Iterable[Sample]) -> None:
        self._family(name, "counter", words, samples)

    def histogram(self, name: str, words: str) -> None:
        self._head(name, "histogram", words)

    def sample(self, name: str, labels: Mapping[str, str], value: Number) -> None:
        told = ",".join(f'{key}="{escaped(text)}"' for key, text in labels.items())
        self._lines.append(f"{name}{{{told}}} {number(value)}" if told else f"{name} {number(value)}")

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self._lines)

    def _family(self, name: str, kind: str, words: str, samples: Iterable[Sample]) -> None:
        known = [(labels, value) for labels, value in samples if value is not None]
        if known:
            self._head(name, kind, words)
        for labels, value in known:
            self.sample(name, labels, value)

    def _head(self, name: str, kind: str, words: str) -> None:
        told = words.replace("\\", "\\\\").replace("\n", "\\n")
        self._lines += [f"# HELP {name} {told}", f"# TYPE {name} {kind}"]


def escaped(text: str) -> str:
    """The value of a label."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def number(value: Number) -> str:
    return str(value) if isinstance(value, int) else repr(value).replace("inf", "Inf").replace("nan", "NaN")


def _items(page: Page, gauges: Gauges, store_bytes: int | None) -> None:
    page.gauge(
        "moot_items",
        "Items by column and status, as they were last written.",
        [({"column": one.column, "status": one.status}, one.items) for one in gauges.items],
    )
    page.counter("moot_events_total", "Events in the log: the number of the last one.", [({}, gauges.seq)])
    page.gauge(
        "moot_rows",
        "How many there are of what a board holds.",
        [({"of": of}, many) for of, many in gauges.rows.items()],
    )
    page.gauge("moot_store_bytes", "Size of the store on the disk.", [({}, store_bytes)])
    page.gauge("moot_flow_info", "The flow in force.", [({"flow": gauges.flow}, 1)])


def _runs(page: Page, gauges: Gauges) -> None:
    page.counter(
        "moot_runs_total",
        "Runs of agents that have ended, by what they came to.",
        [
            ({"agent": one.agent, "outcome": one.outcome, "end": one.end}, one.runs)
            for one in gauges.runs
            if one.kind == "agent"
        ],
    )
    page.counter(
        "moot_gate_runs_total",
        "Runs of gates that have ended; done: the gate is green.",
        [
            ({"gate": one.agent, "outcome": one.outcome, "end": one.end}, one.runs)
            for one in gauges.runs
            if one.kind == "gate"
        ],
    )
    page.counter(
        "moot_landings_total",
        "Landings that have ended; done: the work is on its branch.",
        [({"outcome": one.outcome, "end": one.end}, one.runs) for one in gauges.runs if one.kind == "landing"],
    )
    live = dict.fromkeys((one.agent for one in gauges.queues), 0) | {one.agent: one.runs for one in gauges.live}
    page.gauge("moot_live_runs", "Runs that go on.", [({"agent": agent}, many) for agent, many in live.items()])
    page.gauge("moot_leases", "Leases of runs that go on.", [({}, sum(one.runs for one in gauges.live))])
    page.gauge(
        "moot_leases_over",
        "Leases that have run out, and that nobody has taken up yet.",
        [({}, sum(one.late for one in gauges.live))],
    )
    page.gauge(
        "moot_next_lease_end_seconds",
        "Seconds until the next lease ends; below 0: it has.",
        [({}, gauges.next_lease_end)],
    )


def _spent(page: Page, gauges: Gauges) -> None:
    tokens: list[Sample] = []
    for one in gauges.spent:
        of = {"agent": one.agent, "model": one.model or OWN_CHOICE}
        kinds = {"input": one.input_tokens, "cached": one.cached_tokens, "output": one.output_tokens}
        tokens += [({**of, "kind": kind}, many) for kind, many in kinds.items()]
    page.counter("moot_tokens_total", "Tokens as clients told them; cached ones are among input.", tokens)
    page.counter(
        "moot_cost_usd_total",
        "Dollars, as far as anybody can tell; a model whose cost nobody can tell has no line.",
        [({"agent": one.agent, "model": one.model or OWN_CHOICE}, one.cost_usd) for one in gauges.spent],
    )


def _waiting(page: Page, gauges: Gauges) -> None:
    page.gauge(
        "moot_queue_items",
        "Items that wait for this agent, gate or landing.",
        [({"agent": one.agent}, one.items) for one in gauges.queues],
    )
    page.gauge(
        "moot_queue_oldest_ready_seconds",
        "Age of the item that could begin now and has waited longest.",
        [({"agent": one.agent}, one.oldest_seconds) for one in gauges.queues],
    )
    page.gauge("moot_open_questions", "Questions that wait for a person.", [({}, gauges.open_questions)])
    page.gauge(
        "moot_oldest_question_seconds", "Age of the oldest open question.", [({}, gauges.oldest_question_seconds)]
    )
    page.gauge(
        "moot_paused",
        "What begins no runs now: the board, a day's budget, a pool.",
        [({"what": w}, 1) for w in gauges.pauses],
    )
    page.gauge("moot_locks", "Paths that are held now.", [({}, gauges.locks)])


def _four(page: Page, four: FourMetrics) -> None:
    """The handoff document's own, by its names; of workflows by their type."""
    page.counter(
        "moot_time_per_agent_seconds_total",
        "Time per agent: seconds of its ended runs.",
        [({"agent": agent}, seconds) for agent, seconds in four.time_per_agent.items()],
    )
    by: list[tuple[str, str, Mapping[str, Number]]] = [
        ("moot_handoffs_per_workflow", "Handoffs per workflow: the mean of those begun.", four.handoffs_per_workflow),
        ("moot_handoffs", "Handoffs: how often another agent went on with the work.", four.handoffs),
        ("moot_fix_iterations", "Fix iterations: how often work was sent back to be changed.", four.fix_iterations),
        ("moot_workflows_begun", "Workflows that have begun.", four.workflows),
        ("moot_workflows_escalated", "Workflows that needed an expert, a senior or a person.", four.escalated),
    ]
    for name, words, counts in by:
        page.gauge(name, words, [({"type": kind}, many) for kind, many in counts.items()])
    rate: list[Sample] = [({}, four.escalation_rate)]
    page.gauge("moot_escalation_rate", "Escalation rate: escalated workflows of those begun.", rate)


def _server(page: Page, counted: Counted) -> None:
    page.counter(
        "moot_http_requests_total",
        "Requests by call and status.",
        [({"call": call, "status": str(status)}, many) for call, status, many in counted.requests],
    )
    name = "moot_http_request_duration_seconds"
    if counted.taken:
        page.histogram(name, "How long requests took.")
    for one in counted.taken:
        for bound, many in zip(BOUNDS, one.within, strict=True):
            page.sample(f"{name}_bucket", {"call": one.call, "le": number(bound)}, many)
        page.sample(f"{name}_bucket", {"call": one.call, "le": "+Inf"}, one.count)
        page.sample(f"{name}_sum", {"call": one.call}, one.seconds)
        page.sample(f"{name}_count", {"call": one.call}, one.count)
    page.gauge("moot_event_streams", "Who listens to the log now.", [({}, counted.streams)])
