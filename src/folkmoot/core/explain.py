"""One sentence for people: why an item is where it is, and what it waits for."""

from collections.abc import Iterable
from typing import assert_never

from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import actor
from folkmoot.core.records import Question
from folkmoot.core.terms import ASKING

# What its children are to an item that waits for them.
_AWAITED = {"parts": "the parts in ", "tasks": "the tasks in ", "mends": "the tasks in ", "help": "help in "}


def time_of_day(milliseconds: int) -> str:
    minutes, seconds = divmod(milliseconds // 1000 % 86_400, 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d} UTC"


def tier(flow: Flow, item: Item) -> int:
    """0 with its own agent, 1 with a senior or specialist, 2 with a person (K-16)."""
    column = flow.acting(item.column, item.tags) if item.column in flow.columns else None
    if item.status in ASKING or (column is not None and column.human):
        return 2
    return 1 if column is not None and column.kind == "escalation" else 0


def why(flow: Flow, item: Item, now: float, questions: Iterable[Question]) -> str:
    """Where the item is and why; then who or what must act for it to go on."""
    if item.status == "cancelled":
        return f"Cancelled in {item.column}: {item.because}."
    place = f"In {item.column} because {item.because}" if item.because else f"In {item.column}"
    failed = f", {item.failure_count} failed so far" if item.failure_count and "failed" not in item.because else ""
    sentence = f"{place}{failed}; {waits_for(flow, item, now, questions)}"
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


def waits_for(flow: Flow, item: Item, now: float, questions: Iterable[Question]) -> str:
    """Who or what must act."""
    agent = actor(flow, item) if item.column in flow.columns else None
    match item.status:
        case "done" if item.kind != "item":
            return "it is done"
        case "done":
            return f"it is done, evidence: {item.evidence or 'none'}"
        case "failed":
            return "it has ended without success"
        case "cancelled":
            return "it was cancelled"
        case "awaiting-divine-guidance" | "needs-human-review" | "parked":
            asked = next((q for q in questions if q.state == "open" and q.blocking), None)
            parked = "parked until" if item.status == "parked" else "it waits until"
            return f"{parked} a person answers {asked.id}: {asked.question}" if asked else f"{parked} a person answers"
        case "waiting":
            return f"it waits for {_AWAITED.get(item.join or '', '')}{_items(item.waits_for)}"
        case "running":
            return f"{item.proving.left[0] if item.proving else agent} is working on it"
        case "proving" if item.proving and item.proving.left[0] == LANDING:
            whose = f"item {item.parent}" if item.parent else flow.target
            return f"its work is to land on {whose}"
        case "proving" if item.proving:
            return f"the gate {item.proving.left[0]} must show that it is done"
        case "proving" | "ready" | "blocked":
            return _ready(flow, item, now, agent)
        case _:
            assert_never(item.status)


def _ready(flow: Flow, item: Item, now: float, agent: str | None) -> str:
    model = flow.agents[agent].model(item.failures.get(agent, 0)) if agent in flow.agents else None
    using = f" with {model}" if model else ""
    if item.wake_at > now:
        return f"{agent} may take it{using} in {item.wake_at - now:.0f}s, after a pause"
    return f"it is ready for {agent}{using}"


def _items(ids: list[str]) -> str:
    return f"item {ids[0]}" if len(ids) == 1 else f"items {', '.join(ids)}"
