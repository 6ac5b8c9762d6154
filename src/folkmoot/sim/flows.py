"""The flows of the world: every preset as it is, small odd ones, and each with limits that are reached sooner."""

import random
from functools import cache

from msgspec.structs import replace

from folkmoot.core.flow import Budget, Flow, Limits, Model, Pool, QuestionPolicy
from folkmoot.flows.load import load_flow
from folkmoot.flows.preset import FLOW_FILE, preset_names, read_preset

# What no preset has: a gate whose red is the agent's failure, two gates in a row, a group with a gate and with a
# dispute column, experts beside a ladder, help by tags, an arbiter that is not the one who splits.
ODD = {
    "workshop": """
flow: workshop
start: inbox
limits: {own_attempts: 2, feedback_rounds: 2}
columns:
  inbox:   {agents: [maker], work: bench}
  bench:   {agents: [maker], next: look, gate: [lint, unit]}
  look:    {agents: [critic, sceptic], next: polish, fix: bench, gate: [unit], on_red: bench}
  polish:  {agents: [maker], next: done}
  quarrel: {agents: [maker, critic], kind: dispute}
  blocked: {kind: escalation}
  by-tag:  {agents: [smith], kind: escalation, tags: [speed, races]}
  people:  {human: true, kind: escalation}
agents:
  maker:
    ladder: {0-1: small, 2: large, 3+: escalate}
    escalate_to: people
    experts: [sage, oracle]
    may: [ask, delegate, dispatch, split]
  critic:  {write: none, may: [ask, dispatch, delegate]}
  sceptic: {write: none}
  smith:   {write: any}
  sage:    {expert: true, write: none}
  oracle:  {expert: true, write: none}
reasons: {speed: blocked, races: blocked, taste: quarrel, unknown: people}
gates: {lint: {run: [make, lint]}, unit: {run: [make, test]}}
messages:
  task_handoff:   {from: [any], to: [maker]}
  review_request: {from: [maker, orchestrator], to: [critic, sceptic]}
  fix_request:    {from: [critic], to: [maker]}
  escalation:     {from: [any], to: [orchestrator]}
""",
    "guild": """
flow: guild
start: cut
discover: cut
arbiter: weigh
limits: {attempts: 4, own_attempts: 2, splits: 2}
columns:
  cut:   {agents: [carver], next: make}
  make:  {agents: [mason], next: view, gate: [plumb]}
  view:  {agents: [warden], next: done, fix: make}
  weigh: {agents: [elder], kind: backflow}
agents:
  carver: {write: none, may: [ask, split, delegate]}
  mason:  {experts: [elder-mason], may: [ask, delegate, dispatch]}
  warden: {write: new_tests, may: [ask, split]}
  elder:  {write: any, may: [ask, split]}
  elder-mason: {expert: true, write: none}
gates: {plumb: {run: [make, plumb]}}
""",
    # One stage, so that much of what is made comes to land while everything goes wrong.
    "ferry": """
flow: ferry
start: row
limits: {feedback_rounds: 2}
columns:
  row:   {agents: [rower], next: done, gate: [dry]}
  steer: {agents: [pilot], kind: escalation}
agents:
  rower: {may: [ask, split, delegate, dispatch], escalate_to: steer}
  pilot: {write: any, may: [ask, split]}
gates: {dry: {run: [make, dry]}}
""",
}

# Taken by name only: one more flow to choose from would change what every kept seed stands for.
NAMED = {
    # The sign-off stands behind the stage that mends what could not land, so that whatever is mended goes past it.
    "harbour": """
flow: harbour
start: row
limits: {feedback_rounds: 2}
columns:
  row:   {agents: [rower], next: moor, gate: [dry]}
  moor:  {agents: [warden], next: done, fix: row, gate: [seal]}
  steer: {agents: [pilot], kind: escalation}
agents:
  rower:  {may: [ask, split, delegate, dispatch], escalate_to: steer}
  warden: {write: none}
  pilot:  {write: any, may: [ask, split]}
gates: {dry: {run: [make, dry]}, seal: {}}
""",
}


@cache
def flow_of(name: str) -> Flow:
    """A preset, or one of the odd ones."""
    if text := ODD.get(name) or NAMED.get(name):
        return load_flow(text, FLOW_FILE, lambda path: None)
    files = read_preset(name)
    return load_flow(files[FLOW_FILE], FLOW_FILE, files.get)


def kanban() -> Flow:
    return flow_of("kanban")


@cache
def names() -> tuple[str, ...]:
    return (*sorted(preset_names()), *ODD)


def choose_flow(chance: random.Random, name: str | None = None) -> Flow:
    """A flow, or a variant of the one named. The plain ones come often: they are what people use."""
    flow = flow_of(name or chance.choice(names()))
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
    if chance.random() < 0.25:
        limits = replace(limits, starts=chance.choice((2, 5)), window=chance.choice((60.0, 600.0)))
    if chance.random() < 0.3:
        flow = _with_pools(flow, chance)
    if chance.random() < 0.25:
        flow = replace(flow, budget=_budget(chance))
    return replace(flow, limits=limits, questions=questions)


def _with_pools(flow: Flow, chance: random.Random) -> Flow:
    rungs = sorted({rung.model for agent in flow.agents.values() for rung in agent.ladder})
    models = {name: Model(pool=chance.choice(("cheap", "dear"))) for name in rungs}
    return replace(flow, models=models, pools={"cheap": Pool(slots=chance.choice((1, 2))), "dear": Pool(slots=1)})


def _budget(chance: random.Random) -> Budget:
    item = chance.choice(({"item_usd": 1.0}, {"item_tokens": 50}, {"item_time": 120.0}))
    day = chance.choice(({}, {"day_usd": 6.0}, {"day_tokens": 400}, {"day_time": 3000.0}))
    return Budget(**item, **day)


def variant(name: str, seed: int) -> Flow:
    """The same variant of a flow for the same number, whatever else is drawn from it."""
    return choose_flow(random.Random(f"{name} {seed}"), name)


def _tiny(limits: Limits, chance: random.Random) -> Limits:
    return replace(
        limits,
        executions=chance.choice((1, 2)),
        dispute_rounds=chance.choice((1, 2)),
        disputes=chance.choice((1, 2)),
        feedback_rounds=chance.choice((1, 2)),
        repeats=chance.choice((1, 2)),
        own_attempts=chance.choice((1, 2)),
        splits=chance.choice((1, 2)),
        lease=chance.choice((5.0, 20.0)),
        starve=chance.choice((30.0, 300.0)),
    )


def _without_ladders(flow: Flow) -> Flow:
    """Then `own_attempts` is what ends an agent's tries."""
    agents = {name: replace(agent, ladder=[]) for name, agent in flow.agents.items()}
    return replace(flow, agents=agents)
