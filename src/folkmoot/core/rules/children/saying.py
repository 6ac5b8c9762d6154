"""What a split says beside its tasks: whoever works on one of them is told all of it, and nothing in it is a task or an
order that nobody has heard (R-24, R-32)."""

from folkmoot.core.flow import Flow
from folkmoot.core.report import Report
from folkmoot.core.vocabulary.plans import numbered
from folkmoot.core.vocabulary.roles import agent_named


def fault_of_beside(flow: Flow, said: Report) -> str | None:
    """What stands beside the tasks of a split and is meant for them; None if there is nothing of the kind."""
    role = next((name for name, value in said.extra.items() if value and _is_role(flow, name)), None)
    if role is None:
        return None
    form = f'"{role}": {{"task": "what is to be done"}}'
    return f"it names {role} beside its tasks, and not as a task: write {form} if it is one, else leave it out"


def _is_role(flow: Flow, name: str) -> bool:
    """Is it an agent of the flow to whom a task could be given, also as `builder-2`?"""
    agent = flow.agents.get(agent_named(flow, numbered(name) or name))
    return agent is not None and not agent.expert
