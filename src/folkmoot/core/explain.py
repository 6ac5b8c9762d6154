"""One sentence for people: why an item is where it is, and what it waits for."""

from collections.abc import Iterable
from typing import assert_never

from folkmoot.core.enums import ASKING
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import actor
from folkmoot.core.records import Question
from folkmoot.core.rules.running.joining import label_words, needs_for

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
    """How the item stands and who must act for it to go on; then why it is in its column."""
    if item.status == "cancelled":
        return f"Cancelled in {item.column}: {item.because}."
    words = stands(flow, item, now, questions)
    failed = f", {item.failure_count} failed so far" if item.failure_count and "failed" not in item.because else ""
    if item.status in ASKING:
        because = f" (in {item.column}{failed}, because {item.because})" if item.because else failed
    else:
        because = f"{failed}, because {item.because}" if item.because else failed
    sentence = f"{words[0].upper()}{words[1:]}{because}"
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


def stands(flow: Flow, item: Item, now: float, questions: Iterable[Question]) -> str:
    """How an item stands, and who or what must act."""
    agent = actor(flow, item) if item.column in flow.columns else None
    match item.status:
        case "done" if item.kind != "item":
            return "done"
        case "done":
            return f"done (evidence: {item.evidence or 'none'})"
        case "failed":
            return f"ended without success in {item.column}"
        case "cancelled":
            return "cancelled"
        case "awaiting-divine-guidance" | "needs-human-review" | "parked":
            asked = next((q for q in questions if q.state == "open" and q.blocking), None)
            words = f"{asked.id}, {asked.question}" if asked else "a question"
            return f"parked until you answer {words}" if item.status == "parked" else f"waiting for you: {words}"
        case "waiting":
            return f"waiting in {item.column} for {_AWAITED.get(item.join or '', '')}{_items(item.waits_for)}"
        case "running" if item.taken:
            return f"taken by {item.taken}, who works on it in {item.column}"
        case "running":
            return f"{item.proving.left[0] if item.proving else agent} works on it in {item.column}"
        case "proving" if item.proposal and item.is_proposed and flow.proposes:
            stands = f" ({item.proposal.stands})" if item.proposal.stands else ""
            return f"waiting in {item.column} for people to merge {item.proposal.url}{stands}"
        case "proving" if item.proving and item.proving.left[0] == LANDING:
            branch = f"item {item.parent}" if item.parent else flow.target
            return f"waiting in {item.column} to land on {branch}{_where(flow, item, LANDING)}"
        case "proving" if item.proving:
            gate = item.proving.left[0]
            return f"waiting in {item.column} for the gate {gate} to pass{_where(flow, item, gate)}"
        case "proving" | "ready" | "blocked":
            return _queued(flow, item, now, agent)
        case _:
            assert_never(item.status)


def _queued(flow: Flow, item: Item, now: float, agent: str | None) -> str:
    model = flow.agents[agent].model(item.failures.get(agent, 0)) if agent in flow.agents else None
    using = f" ({model})" if model else ""
    pause = f", which may start in {item.wake_at - now:.0f}s" if item.wake_at > now else ""
    return f"queued in {item.column} for {agent}{using}{_where(flow, item, agent)}{pause}"


def _where(flow: Flow, item: Item, agent: str | None) -> str:
    needs = needs_for(flow, item, agent) if agent is not None else item.needs
    return f" on {label_words(needs)}" if needs else ""


def _items(ids: list[str]) -> str:
    return f"item {ids[0]}" if len(ids) == 1 else f"items {', '.join(ids)}"
