"""Measures of a board: how long agents worked, how often work changed hands, came back or went up, what it cost (H-13).

A workflow is an item that no rule made; what its parts, tasks and helpers did is counted as its own.
"""

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, cast

from folkmoot.api.metrics import Metrics, QuestionCounts, RunCounts, TypeCounts, WorkflowCounts
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Question, Run
from folkmoot.engine.loading import known_item
from folkmoot.store.port import Reading

if TYPE_CHECKING:
    from collections.abc import Iterable

# A run that ended so has brought the board nothing.
WASTED_ENDS = ("rescued", "revoked", "released")


def measure(reading: Reading, flow: Flow, item: str | None = None) -> Metrics:
    """Of the whole board, or of one item with all that was made for it."""
    if item is None:
        items = {one.id: one for one in cast("Iterable[Item]", reading.rows("items"))}
        found = list(cast("Iterable[Run]", reading.rows("runs")))
        questions = list(cast("Iterable[Question]", reading.rows("questions")))
    else:
        items = family(reading, known_item(reading, item))
        found = [run for one in items for run in reading.runs(one)]
        questions = [question for one in items for question in reading.questions(one)]
    return measured(flow, items, found, questions)


def family(reading: Reading, top: Item) -> dict[str, Item]:
    """An item with all that was made for it."""
    found = {top.id: top}
    waiting = [top]
    while waiting:
        item = waiting.pop()
        sent = [one for name in item.sent if (one := reading.item(name)) is not None]
        for child in [*(one for one in reading.child_items(item.id) if one.kind != "item"), *sent]:
            if child.id not in found:
                found[child.id] = child
                waiting.append(child)
    return found


def measured(flow: Flow, items: dict[str, Item], found: list[Run], questions: list[Question]) -> Metrics:
    """Of these items, by all their runs and questions."""
    runs = sorted(found, key=lambda run: (run.started_at, run.item, run.token))
    flows = {item: workflow_of(items, item) for item in items}
    workflows = [item for item in items.values() if flows[item.id] == item.id]
    handoffs = _handoffs(runs, flows)
    fixes = _fixes(items, runs, flows)
    up = _escalated(flow, items, runs, questions, flows)
    begun = {flows[run.item] for run in runs} | {flows[question.item] for question in questions}
    done = sum(item.status == "done" for item in workflows)
    ended = done + sum(item.status == "cancelled" for item in workflows)
    return Metrics(
        time_per_agent=_time_per_agent(runs),
        handoffs_per_workflow={item.id: handoffs[item.id] for item in workflows if item.id in begun},
        fix_iterations={item.id: fixes[item.id] for item in workflows if item.id in begun},
        escalation_rate=_share(len(up & begun), len(begun)),
        by_workflow=_by_type([item for item in workflows if item.id in begun], handoffs, fixes, up),
        success_rate=_share(done, ended) if ended else None,
        workflows=WorkflowCounts(
            total=len(workflows),
            begun=len(begun),
            escalated=len(up & begun),
            done=done,
            cancelled=ended - done,
        ),
        runs=_runs(runs),
        questions=_questions(questions),
        cost_usd=round(sum(run.cost_usd for run in runs), 6),
        cost_per_agent=_cost_per_agent(runs),
    )


def workflow_of(items: dict[str, Item], item_id: str) -> str:
    """The item for which this one was made, or itself. Parents are never a circle, and a person's child is its own."""
    item = items[item_id]
    while item.kind != "item":
        above = items.get(item.parent or item.dispatched_by or "")
        if above is None:
            break
        item = above
    return item.id


def _by_type(begun: list[Item], handoffs: Counter[str], fixes: Counter[str], up: set[str]) -> dict[str, TypeCounts]:
    """The same by what the handoff document calls a workflow: feature, bugfix, refactor."""
    return {
        kind: TypeCounts(
            items=len(some),
            handoffs=sum(handoffs[item] for item in some),
            fix_iterations=sum(fixes[item] for item in some),
            escalated=len(up & set(some)),
        )
        for kind in sorted({item.type for item in begun})
        if (some := [item.id for item in begun if item.type == kind])
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _time_per_agent(runs: list[Run]) -> dict[str, float]:
    """Seconds of ended runs, gates among them; a run that still goes on is not known yet."""
    spent: Counter[str] = Counter()
    for run in runs:
        if run.ended_at is not None:
            spent[run.agent] += max(run.ended_at - run.started_at, 0)
    return {agent: round(milliseconds / 1000, 3) for agent, milliseconds in sorted(spent.items())}


def _handoffs(runs: list[Run], flows: dict[str, str]) -> Counter[str]:
    """How often another agent than before went on with the work; gates only look at it."""
    found: Counter[str] = Counter()
    last: dict[str, str] = {}
    for run in runs:
        if run.gate:
            continue
        workflow = flows[run.item]
        found[workflow] += last.get(workflow, run.agent) != run.agent
        last[workflow] = run.agent
    return found


def _fixes(items: dict[str, Item], runs: list[Run], flows: dict[str, str]) -> Counter[str]:
    """How often the work was sent back to be changed: by a checking column, a group of them together, or a red gate."""
    found: Counter[str] = Counter()
    groups: set[tuple[str, int]] = set()
    for run in runs:
        item = items[run.item]
        if run.gate:
            found[flows[item.id]] += run.end == "reported" and run.outcome != "done"
        elif run.outcome == "changes_requested" and item.kind == "part":
            groups.add((flows[item.id], item.created_at))  # the parts of one round are made at one moment
        elif run.outcome == "changes_requested":
            found[flows[item.id]] += 1
    found.update(workflow for workflow, _ in groups)
    return found


def _escalated(
    flow: Flow, items: dict[str, Item], runs: list[Run], questions: list[Question], flows: dict[str, str]
) -> set[str]:
    """Workflows that needed more than their own agents: an expert, a senior or specialist, or a person."""
    columns = {column.name for column in flow.columns.values() if column.kind == "escalation" or column.human}
    found = {flows[question.item] for question in questions}
    found |= {flows[run.item] for run in runs if run.column in columns}
    return found | {flows[item.id] for item in items.values() if item.kind == "expert" or item.column in columns}


def _runs(runs: list[Run]) -> RunCounts:
    outcomes = Counter(run.outcome for run in runs if run.outcome and run.end == "reported")
    wasted = sum(run.end in WASTED_ENDS or run.cause == "protocol" for run in runs)
    return RunCounts(
        total=len(runs),
        open=sum(run.ended_at is None for run in runs),
        outcomes=dict(sorted(outcomes.items())),
        wasted=wasted,
        wasted_rate=_share(wasted, sum(run.ended_at is not None for run in runs)),
        gates=sum(run.gate for run in runs),
    )


def _questions(questions: list[Question]) -> QuestionCounts:
    waits = [q.answered_at - q.at for q in questions if q.state == "answered" and q.answered_at is not None]
    return QuestionCounts(
        asked=len(questions),
        open=sum(question.state == "open" for question in questions),
        answered=len(waits),
        seconds_to_answer=round(sum(waits) / len(waits) / 1000, 3) if waits else None,
    )


def _cost_per_agent(runs: list[Run]) -> dict[str, float]:
    cost: dict[str, float] = defaultdict(float)
    for run in runs:
        cost[run.agent] += run.cost_usd
    return {agent: round(usd, 6) for agent, usd in sorted(cost.items()) if usd}
