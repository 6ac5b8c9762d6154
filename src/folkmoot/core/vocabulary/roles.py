"""How agents are named: each document spells its roles in its own way, and all of them mean the same agent."""

import re
from collections.abc import Iterable

from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.records import ANY, ORCHESTRATOR

DISPATCHER = "dispatcher"  # the pipeline document's name for the rules
_MARKS = re.compile(r"['’‘`´\"“”*]")
_GAPS = re.compile(r"[\s_‐‑–—-]+")


def folded(name: str) -> str:
    """A name without what is only its spelling: `Devil's Advocate`, `DEVILS_ADVOCATE`, `devil's-advocate` are one."""
    return _GAPS.sub("-", _MARKS.sub("", name).strip().removeprefix("@")).strip("-").casefold()


def role(name: str, known: Iterable[str]) -> str:
    """The one of the known names that is meant; a name that means none of them, or several, stays as it is."""
    names = list(dict.fromkeys(known))
    if name in names:
        return name
    fold = folded(name)
    meant = [one for one in names if folded(one) == fold]
    return meant[0] if len(meant) == 1 and fold else name


def actors(flow: Flow) -> list[str]:
    """Who can be asked to act: agents, gates, and the landing."""
    return [*flow.agents, *flow.gates, LANDING]


def agent_named(flow: Flow, name: str) -> str:
    return role(name, actors(flow))


def correspondent(flow: Flow, name: str) -> str:
    """Who may send or get a message: an agent, the rules under either of their names, or whom the flow lists."""
    listed = (one for rule in flow.messages.values() for one in (*rule.senders, *rule.receivers) if one != ANY)
    found = role(name, [*flow.agents, ORCHESTRATOR, *listed])
    known = found in flow.agents or any(found in (*rule.senders, *rule.receivers) for rule in flow.messages.values())
    return ORCHESTRATOR if not known and folded(name) == DISPATCHER else found


def message_type(flow: Flow, name: str) -> str:
    """The flow's own spelling of a type of message: `Task Assignment` is its `task_assignment`."""
    return role(name, flow.messages)
