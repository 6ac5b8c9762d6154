"""What happened on the demo's board, counted from its log: nothing here is taken from the script."""

from collections import Counter
from datetime import datetime
from itertools import pairwise
from typing import Any

from folkmoot.api.machine import DemoAccount, DemoClimb, DemoDispute, DemoQuestion, DemoRedGate
from folkmoot.api.views import EventView, ItemSummary
from folkmoot.core.flow import Flow

View = dict[str, Any]


def account(events: list[EventView], items: list[ItemSummary], flow: Flow) -> DemoAccount:
    """The happenings that the demo promises, each as the log has it."""
    counts = Counter(event.event for event in events)
    runs = _runs(events)
    return DemoAccount(
        items=items,
        runs=len(runs),
        at_once=_at_once([run for run in runs if run["agent"] in flow.agents]),
        tasks=[child for event in events if event.event == "work_split" for child in event.context["children"]],
        disputes=_disputes(events),
        climbs=_climbs(runs),
        red_gates=_red_gates(events),
        questions=_questions(events),
        landed=[event.item for event in events if event.event == "work_landed"],
        events=len(events),
        counts=dict(sorted(counts.items())),
    )


def _runs(events: list[EventView]) -> list[View]:
    """Every run with its beginning and its end, in seconds."""
    runs: dict[str, View] = {}
    for event in events:
        at = datetime.fromisoformat(event.timestamp or "").timestamp()
        if event.event == "agent_started":
            model = event.context.get("model")
            begun = {"run": event.run, "item": event.item, "agent": event.agent, "model": model}
            runs[event.run or ""] = {**begun, "began": at, "ended": at, "outcome": None}
        elif event.event == "agent_completed":
            runs[event.run or ""] |= {"ended": at, "outcome": event.context.get("outcome")}
    return list(runs.values())


def _at_once(runs: list[View]) -> int:
    """The most agents that were at work at one moment; who ends when another begins was not there with it."""
    changes = [(run["began"], 1) for run in runs] + [(run["ended"], -1) for run in runs]
    most = now = 0
    for _, change in sorted(changes):
        now += change
        most = max(most, now)
    return most


def _disputes(events: list[EventView]) -> list[DemoDispute]:
    settled = {e.context["thread"]: e.context for e in events if e.event == "dispute_settled"}
    found = []
    for event in events:
        if event.event == "dispute_opened":
            thread = event.context["thread"]
            ended = settled.get(thread, {})
            between = [event.context.get("by"), event.context.get("with")]
            rounds, resolution = ended.get("rounds"), ended.get("resolution")
            found.append(DemoDispute(item=event.item, between=between, rounds=rounds, resolution=resolution))
    return found


def _climbs(runs: list[View]) -> list[DemoClimb]:
    """An effort that failed, and one by a stronger model after it."""
    found = []
    for item, agent in dict.fromkeys((run["item"], run["agent"]) for run in runs):
        own = [run for run in runs if run["item"] == item and run["agent"] == agent]
        for before, after in pairwise(own):
            if before["outcome"] == "failed" and after["model"] != before["model"]:
                found.append(DemoClimb(item=item, agent=agent, before=before["model"], to=after["model"]))
    return found


def _red_gates(events: list[EventView]) -> list[DemoRedGate]:
    """Each red gate, and whether the same one was green on the item afterwards."""
    found = []
    for number, event in enumerate(events):
        if event.event == "gate_failed":
            gate, item = event.context["gate"], event.item
            later = [e for e in events[number:] if e.event == "gate_passed" and e.item == item]
            healed = any(e.context["gate"] == gate for e in later)
            found.append(DemoRedGate(item=item, gate=gate, healed=healed))
    return found


def _questions(events: list[EventView]) -> list[DemoQuestion]:
    given = {e.context["question"]: e for e in events if e.event in ("divine_response_received", "default_taken")}
    found = []
    for event in events:
        if event.event == "agent_seeks_guidance":
            context = event.context
            answer = given.get(context["question"])
            by = None if answer is None else "default" if answer.event == "default_taken" else answer.agent
            words = answer.context.get("answer") if answer else None
            found.append(DemoQuestion(item=event.item, question=context["text"], answer=words, answered_by=by))
    return found
