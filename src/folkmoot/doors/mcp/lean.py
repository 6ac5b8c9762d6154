"""What an agent needs of an answer of the contract: its context is dear, so nothing that is empty or said twice."""

from typing import Any

from folkmoot.api.pages import BoardStatus, ItemPage
from folkmoot.api.views import CommentView, EventView, ItemSummary, ItemView, QuestionView, RunView
from folkmoot.core.enums import ENDED
from folkmoot.core.report import Finding

Data = dict[str, Any]
ITEMS_MAX = 50  # of one page of the board
COMMENTS_MAX, RUNS_MAX, FINDINGS_MAX, QUESTIONS_MAX, EVENTS_MAX = 20, 3, 50, 10, 20
USUAL = "medium"
QUIET = frozenset({"lease_renewed"})  # that a run lives is no news


def without_empty(data: Data) -> Data:
    return {name: value for name, value in data.items() if value not in (None, "", [], {}, False)}


def board(status: BoardStatus, page: ItemPage) -> Data:
    shown = page.items[:ITEMS_MAX]
    following = int(shown[-1].id) if len(page.items) > ITEMS_MAX else page.next
    return without_empty(
        {
            "flow": status.flow,
            "counts": {name: count for name, count in status.counts.items() if count},
            "items": [line(item) for item in shown],
            "next": following,
            "runs": [{"item": run.item, "agent": run.agent, "person": run.person} for run in status.runs],
            "questions": [
                {"question": asked.id, "item": asked.task_id, "asks": asked.question} for asked in status.questions
            ],
            "paused": [f"{pause.what}: {pause.why}" for pause in status.pauses],
        }
    )


def line(item: ItemSummary) -> Data:
    """An item in a list."""
    ended = item.status in ENDED
    return without_empty(
        {
            "item": item.id,
            "title": item.title,
            "column": item.column,
            "status": item.status,
            "agent": None if ended else item.agent or item.watcher,
            "priority": item.priority if item.priority != USUAL else None,
            "waits_for": item.waits_for,
            "taken": item.taken,
        }
    )


def item(view: ItemView) -> Data:
    return without_empty(
        {
            **line(view),
            "why": view.why,
            "body": view.body,
            "files": view.files,
            "parent": view.parent,
            "children": view.children,
            "comments": [comment(one) for one in view.comments[-COMMENTS_MAX:]],
            "findings": [finding(one) for one in view.findings[:FINDINGS_MAX]],
            "questions": [question(one) for one in view.questions[-QUESTIONS_MAX:]],
            "guidance": [{"asked": one.question, "answer": one.answer, "by": one.by} for one in view.guidance],
            "people_say": [said.text for said in view.said if said.heard is None],
            "runs": [run(one) for one in view.runs[-RUNS_MAX:]],
            "landed": view.landed,
            "landed_on": view.landed_on,
        }
    )


def state(view: ItemView) -> Data:
    """Where an item stands, after something was done with it."""
    return without_empty({**line(view), "why": view.why, "landed": view.landed})


def comment(one: CommentView) -> Data:
    return without_empty(
        {
            "comment": one.id,
            "author": one.author,
            "content": one.content,
            "artifact": one.artifact,
            "target": one.target,
            "parent": one.parent,
            "status": one.status if one.status != "open" else None,
            "resolution": one.resolution,
        }
    )


def finding(one: Finding) -> Data:
    told = {"severity": one.severity, "issue": one.issue, "file": one.file, "line": one.line}
    return without_empty({**told, "recommendation": one.recommendation, "fixed": one.fixed})


def question(one: QuestionView) -> Data:
    return without_empty(
        {
            "question": one.id,
            "item": one.task_id,
            "asks": one.question,
            "options": [option.option for option in one.options],
            "state": one.state,
            "answer": one.answer,
            "answered_by": one.answered_by,
        }
    )


def run(one: RunView) -> Data:
    said = one.report.summary if one.report else None
    told = {"run": one.run, "agent": one.agent, "model": one.model, "outcome": one.outcome or one.end or "running"}
    return without_empty({**told, "cause": one.cause, "summary": said, "refused_for": one.refused_for})


def events(found: list[EventView]) -> list[Data]:
    """What happened, the latest last; that a run is alive is left out."""
    loud = [one for one in found if one.event not in QUIET]
    return [without_empty({"event": one.event, "item": one.item, "agent": one.agent}) for one in loud[-EVENTS_MAX:]]
