"""A population with the figures of a real board: what its agents did so far is what they are taken to do again.

Only what was seen often enough is written; everything else stays as the default population has it, and a comment says
so.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from statistics import fmean
from typing import Any, cast

from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Attempt, Question, Run
from folkmoot.errors import NothingToDo
from folkmoot.flows.spans import format_span
from folkmoot.sim.population.actors import role_of
from folkmoot.sim.population.population import AMOUNTS, OTHERS
from folkmoot.sim.population.tally import OF_USE, PASSING
from folkmoot.store.port import Reading

ENOUGH = 10  # runs, questions or items; a share of fewer is an anecdote
PLAIN = re.compile(r"[A-Za-z_][\w.-]*")
# What an agent may say instead of doing the work, by the outcome that says it.
TALK = {"asks": "asks", "disputed": "disputes", "delegates": "delegates", "incomplete": "incomplete"}
HEADER = """\
# Measured on the board of the flow {flow}: {runs} runs that have ended, {questions} answered questions.
# Written by moot simulate --calibrate. A figure stands here if it was seen at least {enough} times;
# what does not is as in the default population. Change what you know better, and use it:
#   moot simulate --population FILE
"""


class Board:
    """The rows of a board that tell how its agents work."""

    def __init__(self, reading: Reading, flow: Flow) -> None:
        self.flow = flow
        self.items = {item.id: item for item in cast(Iterable[Item], reading.rows("items"))}
        runs = [run for run in cast(Iterable[Run], reading.rows("runs")) if run.ended_at is not None]
        # Agents that the flow has no more cannot be simulated in it.
        known = {*flow.agents, *flow.gates}
        self.runs = sorted((r for r in runs if r.agent in known), key=lambda r: (r.started_at, r.item, r.token))
        self.attempts = list(cast(Iterable[Attempt], reading.rows("attempts")))
        questions = cast(Iterable[Question], reading.rows("questions"))
        self.waits = [(q.answered_at - q.at) / 1000 for q in questions if q.answered_at and q.state == "answered"]

    def role(self, agent: str) -> str:
        """What the agent mostly is on this board."""
        roles = Counter(self._role(run) for run in self.runs if run.agent == agent)
        return roles.most_common(1)[0][0]

    def _role(self, run: Run) -> str:
        if run.gate:
            return "gate"
        # The item may have gone on since, or its column from the flow: what counts is where the run worked.
        if run.column not in self.flow.columns:
            return "maker"
        return role_of(self.flow, run.agent, _at(self.items[run.item], run.column))


def _at(item: Item, column: str) -> Item:
    return replace(item, column=column, origins=item.origins if item.column == column else [])


def calibrated(reading: Reading, flow: Flow) -> dict[str, Any]:
    """The text of the file, and what it says measured of."""
    board = Board(reading, flow)
    if not board.runs:
        words = "nobody has worked on this board yet: there is nothing to measure"
        raise NothingToDo("no_runs", words, "use the default population until some runs have ended: <simulate>")
    header = HEADER.format(flow=flow.name, runs=len(board.runs), questions=len(board.waits), enough=ENOUGH)
    parts = [header, _people(board), _models(board), _agents(board), _items(board)]
    counts = Counter(run.agent for run in board.runs)
    return {
        "population": "\n".join(part for part in parts if part),
        "runs": len(board.runs),
        "agents": {agent: counts[agent] for agent in (*flow.agents, *flow.gates) if counts[agent]},
        "enough": ENOUGH,
    }


def _people(board: Board) -> str:
    if len(board.waits) < ENOUGH:
        return f"# people: {len(board.waits)} answered questions are too few to tell; as default.\n"
    after = min(max(fmean(board.waits), 1.0), 30 * 86_400.0)
    return f"people: {{answers_after: {format_span(round(after))}}}  # the mean of {len(board.waits)} answers\n"


def _models(board: Board) -> str:
    """What a run takes with each model, whoever it was; for agents that have too few runs of their own."""
    lines = []
    for model in dict.fromkeys(run.model for run in board.runs if run.model and not run.gate):
        told = [run for run in board.runs if run.model == model and not run.gate]
        numbers = _takes(told)
        if numbers:
            said = ", ".join(f"{name}: {_number(value, name)}" for name, value in numbers.items())
            lines.append(f"  {_word(model)}: {{{said}}}  # {len(told)} runs")
    return "\n".join(["models:", *lines, ""]) if lines else ""


def _takes(runs: list[Run]) -> dict[str, float]:
    """Minutes and cost of a run that lived to report."""
    lived = [run for run in runs if run.end == "reported" and run.ended_at is not None]
    if len(lived) < ENOUGH:
        return {}
    taken = {"minutes": fmean((run.ended_at or 0) - run.started_at for run in lived) / 60_000}
    # A client that never tells its cost is not free: then nothing is said about it.
    if any(run.cost_usd for run in lived):
        taken["cost_usd"] = fmean(run.cost_usd for run in lived)
    return taken


def _agents(board: Board) -> str:
    lines = []
    for agent in (*board.flow.agents, *board.flow.gates):
        runs = [run for run in board.runs if run.agent == agent]
        if not runs:
            continue
        if len(runs) < ENOUGH:
            number = "1 run is" if len(runs) == 1 else f"{len(runs)} runs are"
            lines.append(f"  # {agent}: {number} too few to tell; as default")
            continue
        role = board.role(agent)
        lines.append(f"  {_word(agent)}:  # {role}, {len(runs)} runs")
        lines += [f"    {line}" for line in [*_by_model(board, agent, runs, role), *_habits(board, agent, runs, role)]]
    # A mapping with nothing but comments in it would be no mapping.
    return "\n".join(["agents:" if any(line.endswith("runs") for line in lines) else "# agents:", *lines, ""])


def _by_model(board: Board, agent: str, runs: list[Run], role: str) -> list[str]:
    """Success, minutes and cost, each by the models of the ladder."""
    ladder = board.flow.agents[agent].ladder if agent in board.flow.agents else []
    models = dict.fromkeys([*(rung.model for rung in ladder), *(run.model for run in runs)])
    found: dict[str, dict[str, float]] = {}
    below = 0.0
    for model in models:
        own = [run for run in runs if run.model == model]
        numbers = _takes(own)
        tried = _first_efforts(own)
        if role != "gate" and len(tried) >= ENOUGH:
            share = fmean(run.outcome in OF_USE for run in tried)
            # A higher rung only gets what the one below has failed at: its share is of those.
            below = below + share * (1 - below) if role == "maker" else share
            numbers["success"] = below
        for name, value in numbers.items():
            found.setdefault(name, {})[model or OTHERS] = value
    lines = []
    for name in ("success", "minutes", "cost_usd"):
        said = ", ".join(f"{_word(model)}: {_number(value, name)}" for model, value in found.get(name, {}).items())
        lines += [f"{name}: {{{said}}}"] if said else []
    return lines


def _first_efforts(runs: list[Run]) -> list[Run]:
    """The first on each item that got down to work: those after it know what it had tried."""
    firsts: dict[str, Run] = {}
    for run in runs:
        if run.outcome in OF_USE or (run.outcome == "failed" and run.cause == "capability"):
            firsts.setdefault(run.item, run)
    return list(firsts.values())


def _habits(board: Board, agent: str, runs: list[Run], role: str) -> list[str]:
    """How often each of the other things happened, of all its runs."""

    def share(happened: Callable[[Run], bool], of: list[Run] = runs) -> float | None:
        return fmean(happened(run) for run in of) if len(of) >= ENOUGH else None

    judged = [run for run in runs if run.outcome in ("done", "changes_requested")]
    cut = [run for run in runs if run.outcome in ("done", "split")]
    tries = [attempt.counted for attempt in board.attempts if attempt.agent == agent]
    found = {
        "crash": share(lambda run: run.end == "rescued"),
        "transient": share(lambda run: run.cause in PASSING),
        "garbled": share(lambda run: run.cause == "protocol"),
        "distinct": fmean(tries) if len(tries) >= ENOUGH and role != "gate" else None,
    }
    if role == "gate":
        found["red"] = share(lambda run: run.outcome == "failed" and run.cause not in PASSING | {"protocol"})
    else:
        found |= {name: share(_ended_with(outcome)) for outcome, name in TALK.items()}
        found["too_large"] = share(lambda run: run.cause == "size")
    if role == "checker":
        found["changes"] = share(_ended_with("changes_requested"), judged)
        found["findings"] = _mean(len(run.report.findings) for run in judged if run.report and run.report.findings)
    if role == "splitter":
        found["splits"] = share(_ended_with("split"), cut)
        found["tasks"] = _mean(len(run.report.tasks) for run in cut if run.report and run.report.tasks)
    said = [f"{name}: {_number(value, name)}" for name, value in found.items() if value is not None]
    return [*said, *_stuck(board, runs)]


def _ended_with(outcome: str) -> Callable[[Run], bool]:
    return lambda run: run.outcome == outcome


def _stuck(board: Board, runs: list[Run]) -> list[str]:
    stuck = [run.report for run in runs if run.outcome == "stuck" and run.report]
    reasons = Counter(word for said in stuck if (word := said.escalation_reason or said.reason))
    said = [
        f"{_word(reason)}: {_number(number / len(runs), 'stuck')}"
        for reason, number in sorted(reasons.items())
        if reason in board.flow.reasons
    ]
    return [f"stuck: {{{', '.join(said)}}}"]


def _items(board: Board) -> str:
    brought = [item for item in board.items.values() if item.kind == "item" and not item.parent]
    if len(brought) < ENOUGH:
        return f"# items: {len(brought)} that people brought are too few to tell; as default.\n"
    types = Counter(item.type for item in brought)
    shares = ", ".join(f"{name}: {_number(number / len(brought), name)}" for name, number in sorted(types.items()))
    after = fmean(bool(item.after) for item in brought)
    files = {file for item in brought for file in item.files}
    each = round(fmean(len(item.files) for item in brought))
    said = [f"types: {{{shares}}}", f"after: {_number(after, 'after')}"]
    # As many files as there are is also the most that one item can declare.
    said += [f"files: {{each: {min(each, 1000)}, of: {min(max(len(files), 1), 1000)}}}"]
    return (
        f"items:  # {len(brought)} that people brought; how many come, and how hard they are, is as default\n"
        + "".join(f"  {line}\n" for line in said)
    )


def _mean(numbers: Iterable[int]) -> float | None:
    known = list(numbers)
    return fmean(known) if len(known) >= ENOUGH else None


def _number(value: float, name: str) -> str:
    low, high = AMOUNTS.get(name, (0.0, 1.0))
    return f"{min(max(value, low), high):.3f}".rstrip("0").rstrip(".")


def _word(name: str) -> str:
    return name if PLAIN.fullmatch(name) and name not in ("true", "false", "null", "yes", "no") else json.dumps(name)
