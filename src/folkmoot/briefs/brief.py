"""The brief of a run: facts from the store, the most useful first; never a transcript."""

from typing import Any

from msgspec import to_builtins

from folkmoot.core.flow import Flow
from folkmoot.core.item import Dispute, Item
from folkmoot.core.records import Run

View = dict[str, Any]

ESCAPE_HATCH = (
    "One effort, then report. If you cannot do it, say so: failed with what you tried, stuck with a reason, "
    "disputed with a comment if an earlier artifact is wrong, asks with a question if only a person can know."
)
REPORT_FORMAT = {
    "how": "moot report RUN --token TOKEN FILE (JSON; - reads standard input)",
    "outcomes": ["done", "changes_requested", "disputed", "failed", "stuck", "asks", "incomplete"],
    "example": {"outcome": "failed", "summary": "…", "attempts": [{"approach": "…", "outcome": "…"}]},
}


def brief(flow: Flow, item: Item, run: Run, history: list[View], comments: list[View]) -> View:
    """What the agent of this run is told; attempts and comments come as the contract shows them."""
    agent = flow.agents[run.agent]
    return {
        "role": run.agent,
        "task": {"id": item.id, "title": item.title, "body": item.body, "column": run.column, "why": item.because},
        "instructions": agent.instructions,
        "projectContext": {"flow": flow.name, "stages": flow.stages()},
        "constraints": {
            "files": item.files,
            "write": agent.write,
            "contracts": [],
            "dependencies": item.after,
            "timeout": agent.timeout or flow.limits.timeout,
        },
        "escapeHatch": ESCAPE_HATCH,
        "artifacts": [{"name": name, "path": a.path, "agent": a.agent} for name, a in item.artifacts.items()],
        "told": item.told,
        "attempts": history,
        "findings": to_builtins(item.findings) if item.findings else [],
        "comments": comments,
        "disputes": _disputes(flow, item),
        "outputs": [],
        "round": item.iteration,
        "guidance": to_builtins(item.guidance) if item.guidance else [],
        "messages": [],
        "lessons": [],
        "reasons": flow.reasons,
        "report_format": REPORT_FORMAT,
    }


def _disputes(flow: Flow, item: Item) -> list[View]:
    """Every dispute in which it is this agent's turn: it must settle each before it can say done."""
    stage = flow.stage(item.column, item.origins)
    return [_dispute(dispute) for dispute in item.disputes if dispute.side(dispute.turn).stage == stage]


def _dispute(dispute: Dispute) -> View:
    resolution = "accepted" if dispute.turn == 1 else "rejected"
    agree = {"parent": dispute.thread, "resolution": resolution, "content": "…"}
    return {
        "thread": dispute.thread,
        "artifact": dispute.artifact,
        "rounds": dispute.rounds,
        "agents": dispute.agents,
        "to_agree": {"outcome": "done", "comments": [agree]},
        "to_disagree": {"outcome": "disputed", "comments": [{"parent": dispute.thread, "content": "…"}]},
    }
