"""An item as the kanban document prints it, and a quest as JSON (K-08, Q-14)."""

from typing import Any

import msgspec

from folkmoot.core.explain import tier
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import actor
from folkmoot.core.records import Attempt, Run
from folkmoot.engine.reads.views import moment_text
from folkmoot.mirror.writing.yaml_text import listed, quoted, scalar

EDITED_BY = "edited_by"
# What a person may change in the file of an item; every other field follows from what happened.
EDITABLE = ("title", "priority", "tags", "files", "needs", "column", "status")


def fields_of(item: Item) -> dict[str, Any]:
    """What can be changed in a file, as it is on the board."""
    return {name: getattr(item, name) for name in EDITABLE}


def item_file(flow: Flow, item: Item, attempts: list[Attempt]) -> bytes:
    known, dispute = item.column in flow.columns, item.dispute
    lines = [
        f"issue: {item.id}",
        f"title: {quoted(item.title)}",
        f"type: {scalar(item.type)}",
        f"column: {scalar(item.column)}",
        f"status: {scalar(item.status)}",
        f"agent: {scalar(actor(flow, item) if known else None)}",
        f"priority: {scalar(item.priority)}",
        f"tags: {listed(item.tags)}",
        f"files: {listed(item.files)}",
        f"after: {listed(item.after)}",
        f"needs: {listed(item.needs)}",
        f"parent: {scalar(item.parent)}",
        f"spec: {scalar(item.spec)}",
        f"escalation_tier: {tier(flow, item)}",
        f"escalation_reason: {scalar(item.escalation_reason)}",
        f"failure_count: {item.failure_count}",
        "failure_history:" if attempts else "failure_history: []",
    ]
    for attempt in attempts:
        lines += [
            f"  - attempt: {attempt.number}",
            f"    model: {scalar(attempt.model)}",
            f"    reason: {quoted(attempt.reason or attempt.outcome or '')}",
            f"    agent: {scalar(attempt.agent)}",
            *([] if attempt.counted else ["    counted: false"]),
        ]
    lines += [
        f"dispute_rounds: {dispute.rounds if dispute else 0}",
        f"dispute_agents: {listed(dispute.agents if dispute else [])}",
        f"flag: {scalar(item.flag) if item.flag is None else quoted(item.flag)}",
        f"version: {item.version}",
        f"{EDITED_BY}: null",
        "",
    ]
    return "\n".join(lines).encode()


def is_quest(flow: Flow, item: Item) -> bool:
    """Work that is split into tasks, or can be."""
    return item.parent is None and item.kind == "item" and (item.splits > 0 or flow.discover is not None)


def quest_file(flow: Flow, item: Item, below: list[Item], runs: list[Run]) -> bytes:
    """`below` are its tasks, theirs too; `runs` are those of all of them."""
    tasks = [one for one in below if one.kind == "task"]
    view = {
        "schema_version": "1.0.0",
        "quest": item.id,
        "title": item.title,
        "request": item.body,
        "status": item.status,
        "phase": item.column,
        "agent": actor(flow, item) if item.column in flow.columns else None,
        "tasks": [_task(flow, one) for one in tasks],
        "ownership": {one.id: {"task": one.title, "files": one.files} for one in tasks},
        "contracts": item.contracts,
        "integrationPoints": item.integration_points,
        "ward": {
            "waits": item.proving.left if item.proving else [],
            "results": [
                {"gate": p.gate, "phase": p.column, "green": p.green, "summary": p.summary, "at": moment_text(p.at)}
                for p in item.proofs
            ],
        },
        "reports": [_report(run) for run in runs if run.report is not None and not run.gate],
        "failure_count": item.failure_count,
        "flag": item.flag,
        "files": item.files,
        "version": item.version,
        EDITED_BY: None,
    }
    return pretty(view)


def _task(flow: Flow, item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "task": item.title,
        "status": item.status,
        "phase": item.column,
        "agent": actor(flow, item) if item.column in flow.columns else item.agent,
        "files": item.files,
        "dependencies": item.after,
        "waits_for": item.waits_for,
        "contracts": item.contracts,
        "parent": item.parent,
        "failure_count": item.failure_count,
    }


def _report(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "item": run.item,
        "agentType": run.agent,
        "phase": run.column,
        "outcome": run.outcome,
        "ended_at": moment_text(run.ended_at),
        "report": msgspec.to_builtins(run.report),
    }


def pretty(view: Any) -> bytes:
    """For people and plain tools: a key on each line."""
    return msgspec.json.format(msgspec.json.encode(view), indent=2) + b"\n"
