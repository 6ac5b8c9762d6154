"""Rows as the JSON of the contract. Nothing is decided here."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Protocol

import msgspec

from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Attempt, Comment, Question, Run
from folkmoot.core.why import tier, why
from folkmoot.engine.moment import Moment

View = dict[str, Any]


def moment_text(milliseconds: int | None) -> str | None:
    if milliseconds is None:
        return None
    seconds, rest = divmod(milliseconds, 1000)
    return f"{_second_text(seconds)}.{rest:03d}Z"


@lru_cache(64)
def _second_text(seconds: int) -> str:
    """Kept, because a claim names the same few moments again and again."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


class Rows(Protocol):
    """As much of a reading as an item's view needs."""

    def children(self, item: str) -> list[str]: ...
    def runs(self, item: str) -> list[Run]: ...
    def attempts(self, item: str) -> list[Attempt]: ...
    def comments(self, item: str) -> list[Comment]: ...
    def questions(self, item: str) -> list[Question]: ...


def item_view(reading: Rows, item: Item, flow: Flow, moment: Moment) -> View:
    """The whole item, as `show --json` gives it. What cannot exist yet is not looked for."""
    questions = reading.questions(item.id) if item.span.questions or item.clarifications or item.open_questions else []
    view = summary_view(item, flow, moment, questions)
    runs = reading.runs(item.id) if item.token else []
    view |= {
        "body": item.body,
        "type": item.type,
        "kind": item.kind,
        "files": item.files,
        "parent": item.parent,
        "children": reading.children(item.id),
        "contracts": [],
        "integration_points": {},
        "spec": None,
        "constraints": [],
        "failure_history": history_views(reading, item),
        "incomplete_count": item.effort.incompletes,
        "escalation_reason": item.escalation_reason,
        "escalation_tracking": tracking_view(item),
        "flag": item.flag,
        "told": item.told,
        "iteration": item.iteration,
        "max_rounds": flow.limits.feedback_rounds,
        "artifacts": [{"name": name, **msgspec.to_builtins(made)} for name, made in item.artifacts.items()],
        "comments": comment_views(reading, item),
        "findings": msgspec.to_builtins(item.findings) if item.findings else [],
        "questions": [question_view(question) for question in questions],
        "guidance": msgspec.to_builtins(item.guidance) if item.guidance else [],
        "runs": [run_view(run) for run in runs],
        "evidence": item.evidence,
        "version": item.version,
        "created_at": moment_text(item.created_at),
        "updated_at": moment_text(item.updated_at),
    }
    return view


def summary_view(item: Item, flow: Flow, moment: Moment, questions: list[Question]) -> View:
    """The short form of a list."""
    dispute = item.dispute
    return {
        "id": item.id,
        "title": item.title,
        "column": item.column,
        "status": item.status,
        "priority": item.priority,
        "tags": item.tags,
        "after": item.after,
        "waits_for": item.waits_for,
        "agent": None,  # who alone may take it: parts of a group have one
        "watcher": flow.watcher(item.column) if item.column in flow.columns else None,
        "pause": round(item.wake_at - moment.now, 1) if item.wake_at > moment.now else None,
        "failure_count": item.failure_count,
        "dispute_rounds": dispute.rounds if dispute else 0,
        "dispute_agents": dispute.agents if dispute else [],
        "escalation_tier": tier(flow, item),
        "cost_usd": item.cost_usd,
        "why": why(flow, item, moment.now, questions),
    }


def tracking_view(item: Item) -> View:
    span = item.span
    return {
        "self_solve_attempts": span.self_solve_attempts,
        "expert_attempts": span.expert_attempts,
        "total_attempts": span.attempts,
        "experts_tried": span.experts_tried,
        "last_attempt_type": item.last_attempt_type,
        "last_attempt_outcome": item.last_attempt_outcome,
        "divine_clarifications_received": item.clarifications,
    }


def history_views(reading: Rows, item: Item) -> list[View]:
    return [attempt_view(attempt) for attempt in reading.attempts(item.id)] if item.attempt_count else []


def comment_views(reading: Rows, item: Item) -> list[View]:
    return [comment_view(comment) for comment in reading.comments(item.id)] if item.comment_count else []


def attempt_view(attempt: Attempt) -> View:
    return {
        "attempt": attempt.number,
        "kind": attempt.kind,
        "model": attempt.model,
        "agent": attempt.agent,
        "cause": attempt.cause,
        "reason": attempt.reason,
        "approach": attempt.approach,
        "outcome": attempt.outcome,
        "why_different": attempt.why_different,
        "counted": attempt.counted,
        "ground": attempt.ground,
        "run": attempt.run,
    }


def comment_view(comment: Comment) -> View:
    return {
        "id": comment.id,
        "author": comment.author,
        "timestamp": moment_text(comment.at),
        "artifact": comment.artifact,
        "target": comment.target,
        "content": comment.content,
        "parent": comment.parent,
        "status": comment.status,
        "resolution": comment.resolution,
    }


def question_view(question: Question) -> View:
    return {
        "id": question.id,
        "task_id": question.item,
        "agent_id": question.agent,
        "kind": question.kind,
        "question": question.question,
        "context": question.context,
        "help": question.help,
        "options": [{"option": o.option, "why_insufficient": o.why_insufficient, "to": o.to} for o in question.options],
        "blocking": question.blocking,
        "default": question.default,
        "state": question.state,
        "answer": question.answer,
        "answered_by": question.answered_by,
        "requested_at": moment_text(question.at),
    }


def run_view(run: Run) -> View:
    return {
        "run": run.id,
        "token": run.token,
        "agent": run.agent,
        "column": run.column,
        "model": run.model,
        "worker": run.worker,
        "started_at": moment_text(run.started_at),
        "ended_at": moment_text(run.ended_at),
        "end": run.end,
        "outcome": run.outcome,
        "cause": run.cause,
        "cost_usd": run.cost_usd,
        "report": msgspec.to_builtins(run.report) if run.report else None,
    }


def claim_view(run: Run, item: View | None, brief: View, moment: Moment) -> View:
    return {
        "run": run.id,
        "token": run.token,
        "agent": run.agent,
        "model": run.model,
        "lease_expires_at": moment_text(moment.at + round((run.lease_until - moment.now) * 1000)),
        "workspace": None,
        "item": item,
        "brief": brief,
    }
