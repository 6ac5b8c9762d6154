"""The flows of the world: the kanban preset as it is, and with limits that are reached sooner."""

import random
from functools import cache

from msgspec.structs import replace

from folkmoot.core.flow import Flow, Limits, QuestionPolicy
from folkmoot.flows.load import load_flow
from folkmoot.flows.preset import FLOW_FILE, read_preset


@cache
def kanban() -> Flow:
    files = read_preset("kanban")
    return load_flow(files[FLOW_FILE], FLOW_FILE, files.get)


def choose_flow(chance: random.Random) -> Flow:
    """A variant of the preset. The plain one comes often: it is what people use."""
    flow = kanban()
    if chance.random() < 0.3:
        return flow
    limits, questions = flow.limits, flow.questions
    if chance.random() < 0.4:
        limits = replace(limits, attempts=6)
    if chance.random() < 0.4:
        limits = replace(limits, runs=chance.choice((6, 12, 30)))
    if chance.random() < 0.3:
        limits = _tiny(limits, chance)
    if chance.random() < 0.4:
        questions = replace(questions, deadline=chance.choice((30.0, 600.0, 7200.0)))
    if chance.random() < 0.15:
        questions = QuestionPolicy(pause_all=True, deadline=questions.deadline)
    if chance.random() < 0.2:
        flow = _without_ladders(flow)
    return replace(flow, limits=limits, questions=questions)


def _tiny(limits: Limits, chance: random.Random) -> Limits:
    return replace(
        limits,
        executions=chance.choice((1, 2)),
        dispute_rounds=chance.choice((1, 2)),
        disputes=chance.choice((1, 2)),
        feedback_rounds=chance.choice((1, 2)),
        repeats=chance.choice((1, 2)),
        own_attempts=chance.choice((1, 2)),
        lease=chance.choice((5.0, 20.0)),
        starve=chance.choice((30.0, 300.0)),
    )


def _without_ladders(flow: Flow) -> Flow:
    """Then `own_attempts` is what ends an agent's tries."""
    agents = {name: replace(agent, ladder=[]) for name, agent in flow.agents.items()}
    return replace(flow, agents=agents)
