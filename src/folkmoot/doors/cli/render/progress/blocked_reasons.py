"""What is ready and yet begins no run here: who cannot be started, what is paused, who must be claimed for."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from folkmoot.api.metrics import Metrics
from folkmoot.api.views import ItemSummary, PauseView
from folkmoot.core.flow import LANDING, RUNG_ESCALATE, Agent, Flow
from folkmoot.doors.cli.render.page import one_line, when

View = dict[str, Any]
STOPPED, DAY, POOL = "all", "day", "pool:"  # what a pause is of
PAUSED, UNABLE, NO_RUN = "paused", "unable", "no_run"  # why something is held back
READY = ("ready", "proving")
IDS_MAX = 5


class Held(Struct, frozen=True):
    """Items that are ready and begin no run, all for the same reason."""

    why: str  # paused, unable or no_run
    reason: str  # in words; without one where nothing says how the agents are run
    agents: list[str]
    items: list[str]

    def words(self) -> str:
        """The reason as a sentence: who is not started, and what waits."""
        waits = f"; {ids(self.items)} {'waits' if len(self.items) == 1 else 'wait'}" if self.items else ""
        names = ", ".join(map(one_line, self.agents))
        if self.why == UNABLE:
            return f"{one_line(self.reason)}, so nobody starts {names}{waits}"
        if self.why == NO_RUN:
            return f"nothing says how {names} {'is' if len(self.agents) == 1 else 'are'} run{waits}"
        return f"{one_line(self.reason)}{waits}"


class Beside(Struct, frozen=True):
    """What is not on an item itself, and yet tells how it stands."""

    pauses: list[PauseView]
    kept: list[str]  # its runs that told nothing, and whose work is kept
    aside: str | None  # the branch on which landed work waits to be merged
    in_the_way: list[str]  # the user's files that keep it there
    measured: Metrics  # what it took


def ids(items: list[str]) -> str:
    more = f" and {len(items) - IDS_MAX} more" if len(items) > IDS_MAX else ""
    return ", ".join(f"#{item}" for item in items[:IDS_MAX]) + more


def held_back(
    items: Iterable[ItemSummary],
    flow: Flow,
    pauses: list[PauseView],
    unable: Mapping[str, str],
    only: Iterable[str] = (),
) -> list[Held]:
    """Of the items that are ready: those that no worker here begins, by the reason; `only`: for these agents."""
    started, chosen = run_by(flow), set(only)
    found: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for item in items:
        agent = _whose(item)
        if item.status not in READY or (chosen and agent not in chosen):
            continue
        pause = next((one for one in pauses if concerns(one, item, flow)), None)
        is_gate = item.status == "proving" and agent in flow.gates
        if not (flow.gates[agent].run if is_gate else agent in started or agent not in flow.agents):
            key = (NO_RUN, "")
        elif agent in unable:
            key = (UNABLE, unable[agent])
        elif pause is not None:
            key = (PAUSED, pause_words(pause))
        else:
            continue
        agents, waiting = found.setdefault(key, ([], []))
        waiting.append(item.id)
        if agent not in agents:
            agents.append(agent)
    return [Held(why, reason, *both) for (why, reason), both in found.items()]


def _whose(item: ItemSummary) -> str:
    turn = item.watcher if item.status == "proving" else item.agent or item.watcher
    return str(turn or LANDING)


def concerns(pause: PauseView, item: ItemSummary, flow: Flow) -> bool:
    """Does this pause keep the item's next run from beginning?"""
    if item.status not in READY:
        return False
    agent = flow.agents.get(item.agent or item.watcher or "")
    if item.status == "proving" or agent is None:
        return bool(pause.what == STOPPED)
    pools = {flow.pool(agent.name, model) for model in [None, *(rung.model for rung in agent.ladder)]}
    return pause.what in (STOPPED, DAY) or pause.what.removeprefix(POOL) in pools


def pause_words(pause: PauseView) -> str:
    """What begins no runs, and until or since when."""
    names = {STOPPED: "the board is stopped", DAY: "no agent begins"}
    lacks = "has no login" if pause.login else "has no quota"
    words = names.get(pause.what) or f"{pause.what.removeprefix(POOL)} {lacks}"
    by = f" by {pause.by}" if pause.what == STOPPED else ""
    end = f" until {when(pause.until)}" if pause.until else f" since {when(pause.since)}{by}"
    return one_line(words) + end


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
