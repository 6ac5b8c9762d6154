"""Which items could be worked on and yet begin no run, and why: who is paused, who cannot be started, who must be
claimed for, what rests after a failure, whose paths another has. Every door tells it from this one answer."""

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType

from folkmoot.api.views import Blocked, BlockedWhy, ItemSummary, PauseView
from folkmoot.core.flow import LANDING, RUNG_ESCALATE, Agent, Flow
from folkmoot.core.rules.running.budgets import gate_pool
from folkmoot.core.rules.running.joining import label_words

Until = Callable[[float], str | None]
STOPPED, DAY, POOL = "all", "day", "pool:"  # what a pause is of
READY = ("ready", "proving")


def blocked(
    items: Iterable[ItemSummary],
    flow: Flow,
    pauses: list[PauseView],
    unable: Mapping[str, str] = MappingProxyType({}),
    only: Iterable[str] = (),
    clock: Until = lambda seconds: None,
    starts: Mapping[str, float] = MappingProxyType({}),
    labels: Iterable[Collection[str]] = (),
) -> list[Blocked]:
    """Of the items that could be worked on: those that no worker here begins, by the reason; `only`: for these agents.
    `clock` tells the time of day in so many seconds; `starts` in how many an agent may begin a run again; `labels` has
    those of each worker that lives."""
    started, chosen = run_by(flow), set(only)
    labelled = list(labels)
    found: dict[tuple[BlockedWhy, str, str | None], Blocked] = {}
    for item in items:
        agent = _whose(item)
        if item.status not in (*READY, "blocked") or (chosen and agent not in chosen):
            continue
        why: BlockedWhy
        until: str | None = None
        pause = next((one for one in pauses if concerns(one, item, flow)), None)
        is_gate = item.status == "proving" and agent in flow.gates
        if not (flow.gates[agent].run if is_gate else agent in started or agent not in flow.agents):
            why, reason, pause = "no_run", "", None
        elif agent in unable:
            why, reason, pause = "unable", unable[agent], None
        elif item.runs_on and not any(set(item.runs_on) <= set(one) for one in labelled):
            why, reason, pause = "label", label_words(item.runs_on), None
        elif pause is not None:
            why, reason, until = "paused", pause.what, pause.until
        elif item.blocked_by is not None:
            why, reason = "held", item.blocked_by
        elif item.pause is not None:
            why, reason, until = "resting", "", clock(item.pause)
        elif agent in starts:
            why, reason, until = "starts", "", clock(starts[agent])
        else:
            continue
        lacks = item.runs_on if why == "label" else []
        new = Blocked(why=why, reason=reason, pause=pause, agents=[], items=[], until=until, labels=lacks)
        one = found.setdefault((why, reason, until), new)
        one.items.append(item.id)
        if agent not in one.agents:
            one.agents.append(agent)
    return list(found.values())


def _whose(item: ItemSummary) -> str:
    turn = item.watcher if item.status == "proving" else item.agent or item.watcher
    return str(turn or LANDING)


def concerns(pause: PauseView, item: ItemSummary, flow: Flow) -> bool:
    """Does this pause keep the item's next run from beginning?"""
    if item.status not in (*READY, "blocked"):
        return False
    agent = flow.agents.get(item.agent or item.watcher or "")
    if item.status == "proving" or agent is None:
        return pause.what in (STOPPED, POOL + gate_pool(item.watcher or ""))
    column = flow.columns.get(item.column)
    pools = {flow.pool(agent.name, model) for model in [None, *(rung.model for rung in agent.ladder)]}
    pools |= {gate_pool(gate) for gate in column.gate} if column is not None else set()
    return pause.what in (STOPPED, DAY) or pause.what.removeprefix(POOL) in pools


def run_by(flow: Flow) -> dict[str, str]:
    """By what each agent is started, of those that anything starts."""
    ways = {agent.name: _ways(flow, agent) for agent in flow.agents.values()}
    return {name: " and ".join(way) for name, way in ways.items() if way}


def _ways(flow: Flow, agent: Agent) -> list[str]:
    if agent.run and "client" not in agent.run:
        kind, what = next(iter(agent.run.items()))
        return [str(what) if kind == "python" else " ".join(what)]
    models = [flow.models.get(rung.model) for rung in agent.ladder if rung.model != RUNG_ESCALATE] or [None]
    clients = [(model and model.client) or agent.run.get("client") for model in models]
    return list(dict.fromkeys(str(client) for client in clients)) if all(clients) else []
