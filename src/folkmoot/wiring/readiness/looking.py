"""All looks before a run, in the order in which a user would mend what is wrong."""

import os
import socket
from collections.abc import Callable, Iterator

from folkmoot.api.machine import Look, Readiness
from folkmoot.core.flow import Flow
from folkmoot.core.rules.running.spending import dollars
from folkmoot.core.vocabulary.roles import role
from folkmoot.doors.cli.render.progress.blocked_reasons import pause_words
from folkmoot.engine.application import Application
from folkmoot.engine.reads.blocked import DAY, POOL, STOPPED
from folkmoot.errors import Invalid, MootError
from folkmoot.flows.spans import format_span
from folkmoot.wiring.files.brought import check_begun
from folkmoot.wiring.git_status import uncommitted
from folkmoot.wiring.readiness.gate_looks import GateLooks
from folkmoot.wiring.readiness.kept import keep, read_kept
from folkmoot.wiring.readiness.lost_looks import lost_looks
from folkmoot.wiring.readiness.notice_looks import notice_looks
from folkmoot.wiring.readiness.tree_looks import parts_looks, tree_looks
from folkmoot.wiring.running import tools_of
from folkmoot.worker.clients.own_settings import NotPassing, not_passing
from folkmoot.worker.ready.client_look import ClientLooks, used_by
from folkmoot.worker.tools import Tools

CONNECT_SECONDS = 2.0
NAMES_SHOWN = 3
# Further looks at the repository, by the board's folder and its flow: whoever knows of another thing that a clone
# cannot have adds it here.
REPOSITORY_LOOKS: list[Callable[[str, Flow], Iterator[Look]]] = [tree_looks, parts_looks]


def look(
    application: Application,
    home: str,
    *,
    agents: list[str],
    again: bool,
    first: bool,
    tell: Callable[[str], None],
    notice: bool = False,
) -> Readiness:
    """Look at all that runs need. `first`: a run is about to begin, and what has answered before is not asked again;
    `again`: gates are run though it is known how they end; `notice`: each target of notices gets one."""
    home = os.path.abspath(home)
    flow = application.queries.flow()
    agents = [role(name, flow.agents) for name in agents]
    unknown = [name for name in agents if name not in flow.agents]
    if unknown:
        words = "the flow has no agent {agent!r}"
        raise Invalid("unknown_agent", words, "agents: {known}", unknown[0], list(flow.agents))
    looks: list[Look] = []
    untold: list[str] = []
    try:
        check_begun(home)
    except MootError as error:
        return Readiness(ok=False, looks=[Look(look="flow", state="act", words=error.message, next=error.hint)])
    try:
        with tools_of(application, home, lambda event: None) as tools:
            looks += _clients(tools, home, flow, agents, first=first)
            untold += _without_money(tools, flow, agents)
            looks += GateLooks(tools, flow, _new_id, tell).look(again=again)
            looks += _sandbox(tools, flow)
    except MootError as error:
        if error.code != "no_target":  # the look at the branch says it
            looks.append(Look(look="flow", state="act", words=error.message, next=error.hint))
    for words in uncommitted(home, flow):
        looks.append(Look(look="flow", state="act", words=words, next="git add it, and git commit"))
    for more in REPOSITORY_LOOKS:
        looks += more(home, flow)
    looks += lost_looks(application)
    looks.append(_cost(flow, untold))
    looks += notice_looks(home, flow, trial=notice)
    looks += [] if first else _pauses(application)  # a run says by itself what it waits for
    return Readiness(ok=all(one.state != "act" for one in looks), looks=looks)


def _clients(tools: Tools, home: str, flow: Flow, agents: list[str], *, first: bool) -> list[Look]:
    used, looks = used_by(tools.catalogue, flow, agents, tools.env.get("HOME", ""))
    kept = read_kept(home)
    clients = ClientLooks(tools, flow, _answers, _new_id)
    clients.versions = dict(kept.versions) if first else {}
    for one in used:
        looks.append(clients.look(one))
    if clients.versions != kept.versions:
        kept = read_kept(home)
        kept.versions |= clients.versions
        keep(home, kept)
    return [*looks, *_settings(tools, flow, {one.start.name for one in used})]


def _settings(tools: Tools, flow: Flow, clients: set[str]) -> Iterator[Look]:
    """What a client has when its user starts it alone, and no run of it has: a line for each reason."""
    found: dict[tuple[str, str], list[NotPassing]] = {}
    for one in not_passing(tools.catalogue, flow, tools.env, tools.env.get("HOME", "")):
        if one.client in clients:
            found.setdefault((one.client, one.why), []).append(one)
    for (client, why), several in found.items():
        more = f" and {len(several) - NAMES_SHOWN} more" if len(several) > NAMES_SHOWN else ""
        names = ", ".join(one.what for one in several[:NAMES_SHOWN])
        yield Look(look="settings", state="note", about=client, words=f"{names}{more}: {why}", next=several[0].advice)


def _answers(host: str, port: int) -> bool:
    """Does somebody listen there? Nothing is said."""
    try:
        socket.create_connection((host, port), CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


def _new_id() -> str:
    """As long as the id of a run: what a setup left is kept for clones whose paths have one length."""
    return f"ready{os.urandom(4).hex()}"


def _sandbox(tools: Tools, flow: Flow) -> Iterator[Look]:
    box = tools.sandbox_of(flow)
    if box.works:
        words = "agents and gates see their clone, and none of your files"
        yield Look(look="sandbox", state="good", words=words)
        return
    act = "take `sandbox: never` out of .moot/flow.yaml" if flow.sandbox == "never" else "install bubblewrap"
    yield Look(look="sandbox", state="note", words=f"not sandboxed: {box.why}", next=act)


def _without_money(tools: Tools, flow: Flow, agents: list[str]) -> Iterator[str]:
    """The clients of which nobody can tell what a run has cost: a budget in money ends nothing there."""
    priced = {model.client for model in flow.models.values() if model.price is not None}
    for agent in flow.agents.values():  # a model that names no client is run by the agent's
        models = [flow.models.get(rung.model) for rung in agent.ladder]
        if agent.run is not None and any(model is not None and model.price is not None for model in models):
            priced.add(agent.run.get("client"))
    for one in used_by(tools.catalogue, flow, agents, tools.env.get("HOME", ""))[0]:
        known = tools.catalogue.clients.get(one.start.name)
        if known is not None and not known.money and known.name not in priced:
            yield known.title


def _cost(flow: Flow, untold: list[str]) -> Look:
    way = flow.agents_on_the_way()
    runs = f"{len(way)} run{'' if len(way) == 1 else 's'} an item where all is well ({', '.join(way)})"
    budget = flow.budget
    item = _bounds(budget.item_usd, budget.item_tokens, budget.item_time)
    day = _bounds(budget.day_usd, budget.day_tokens, budget.day_time)
    bounds = [f"{words} {what}" for words, what in ((item, "an item"), (day, "a day")) if words]
    if not bounds:
        act = "budget: {day_usd: 25} in .moot/flow.yaml, then moot apply"
        return Look(look="cost", state="note", words=f"{runs}; no budget: nothing limits what they spend", next=act)
    words = f"{runs}; at most {', '.join(bounds)}"
    if untold and (budget.item_usd is not None or budget.day_usd is not None):
        words += (
            f"; but {' and '.join(untold)} {'tells' if len(untold) == 1 else 'tell'} no money, so dollars end nothing"
        )
        act = "give the models that the ladders name a `price` in .moot/flow.yaml"
        ends = [("tokens", budget.item_tokens or budget.day_tokens), ("time", budget.item_time or budget.day_time)]
        if others := [what for what, most in ends if most is not None]:
            return Look(look="cost", state="note", words=f"{words}: {' and '.join(others)} will", next=act)
        act = f"{act}, or set `item_time` or `item_tokens` under budget"
        return Look(look="cost", state="note", words=words, next=act)
    return Look(look="cost", state="good", words=words)


def _pauses(application: Application) -> Iterator[Look]:
    """What begins no runs now, however well all else stands. A pool that goes on by itself keeps its own agents."""
    for pause in application.queries.pauses().pauses:
        waits = pause.what not in (STOPPED, DAY) and pause.until is not None
        act = "moot resume" if pause.what in (STOPPED, DAY) else f"moot resume {pause.what.removeprefix(POOL)}"
        act = "moot resume, or a larger `budget` in .moot/flow.yaml and moot apply" if pause.what == DAY else act
        yield Look(look="pause", state="note" if waits else "act", words=pause_words(pause), next=act)


def _bounds(usd: float | None, tokens: int | None, seconds: float | None) -> str:
    told = [dollars(usd)] if usd is not None else []
    told += [f"{tokens} tokens"] if tokens is not None else []
    told += [format_span(round(seconds))] if seconds is not None else []
    return " or ".join(told)
