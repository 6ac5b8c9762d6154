"""Collects what a brief is made of: the item, what stands beside it, and what others know that concerns it."""

from typing import Any

from folkmoot.briefs.brief import Facts, subject_of
from folkmoot.core.flow import Flow
from folkmoot.core.item import Guidance, Item
from folkmoot.core.records import Run
from folkmoot.core.rules.sharing.lessons import told_to
from folkmoot.engine.views import comment_views, history_views, message_view
from folkmoot.store.base import Reading

View = dict[str, Any]

LESSONS_LOOKED_AT = 500
RELATED_TOLD = 20
MESSAGES_TOLD = 100
TASKS_TOLD = 200
# An answer is new until a run has reported; after this many that did not, it stands with the older ones.
RUNS_WITHOUT_REPORT = 5
REPORTED = (
    "outcome",
    "cause",
    "reason",
    "summary",
    "blockers",
    "commit",
    "next_steps",
    "integration_points",
)


def facts(reading: Reading, flow: Flow, item: Item, run: Run, whole: View | None) -> Facts:
    """`whole` is the item's view, if it was made already. What cannot exist is not looked for."""
    parent = reading.item(item.parent) if item.parent and item.kind != "item" else None
    subject = subject_of(item, parent)
    history = whole["failure_history"] if whole else history_views(reading, item)
    comments = whole["comments"] if whole else comment_views(reading, item)
    if subject is not item:
        history = [*history_views(reading, subject), *history]
        comments = [*comment_views(reading, subject), *comments]
    lessons = reading.lessons(LESSONS_LOOKED_AT) if reading.head().lessons else []
    return Facts(
        history=history,
        comments=comments,
        parent=parent,
        messages=_messages(reading, item, run) if item.message or flow.messages else [],
        lessons=[
            {"text": one.text, "agent": one.agent, "item": one.item}
            for one in told_to(run.agent, subject.files, lessons)
        ]
        if lessons
        else [],
        previous=_previous(reading, item, subject, run) if item.last_run or subject.last_run else None,
        answered=_answered(reading, subject, run) if subject.guidance else [],
        around=_around(reading, flow, item, parent) if _has_related(item) else {},
    )


def _messages(reading: Reading, item: Item, run: Run) -> list[View]:
    """The handoff that brought the item here, whatever else its claim has accepted, and what waits for its agent."""
    brought = reading.message(item.message) if item.message else None
    found = {brought.id: brought} if brought else {}
    about = [item.id, *([item.parent] if item.kind == "part" and item.parent else [])]
    at_hand = [m for one in about for m in reading.messages(item=one, status="accepted", limit=MESSAGES_TOLD)]
    at_hand += reading.loose_messages(run.agent, MESSAGES_TOLD)
    for message in at_hand:
        if message.accepted_by == run.id:
            found.setdefault(message.id, message)
    return [message_view(message) for message in found.values()]


def _previous(reading: Reading, item: Item, subject: Item, run: Run) -> View | None:
    """What the last run said of the work; for a gate the run that it proves. A gate's own words are findings."""
    last = reading.run(item.last_run or subject.last_run or "")
    if run.gate and item.proving and item.proving.run:
        last = reading.run(item.proving.run)
    elif last is not None and last.gate:
        spoken = [one for one in reading.runs(subject.id) if not one.gate and one.end == "reported"]
        last = spoken[-1] if spoken else None
    return report_told(last) if last is not None else None


def report_told(run: Run) -> View:
    """A run as later ones are told of it: what it reported, never what it printed."""
    told: View = {"run": run.id, "item": run.item, "agent": run.agent, "column": run.column}
    said = run.report
    if said is None:
        return {**told, "end": run.end}
    told |= {name: getattr(said, name) for name in REPORTED if getattr(said, name)}
    files = [*said.files.created, *said.files.modified]
    if files:
        told["files"] = files
    if said.tests:
        told["tests"] = {name: getattr(said.tests, name) for name in ("total", "passed", "failed")}
    return told


def _answered(reading: Reading, item: Item, run: Run) -> list[Guidance]:
    """The answers since which no run on the item has reported: they reach the next one as the document says (E-09)."""
    since = item.span.runs - (1 if run.item == item.id else 0)
    if since > RUNS_WITHOUT_REPORT or run.gate:
        return []
    runs = [one for one in reading.runs(item.id) if one.id != run.id]
    if any(one.end == "reported" and not one.gate for one in runs[len(runs) - since :]):
        return []
    before = [one for one in runs[: len(runs) - since] if one.end == "reported" and not one.gate]
    start = before[-1].started_at if before else 0
    new = {
        (question.question, question.answer)
        for question in reading.questions(item.id)
        if question.state == "answered" and (question.answered_at or 0) >= start
    }
    return [said for said in item.guidance if (said.question, said.answer) in new]


def _has_related(item: Item) -> bool:
    return bool(item.rank or item.after or item.splits or item.kind != "item")


def _around(reading: Reading, flow: Flow, item: Item, parent: Item | None) -> dict[str, list[View]]:
    """Other items that concern it: what it builds on, what waits for it, what it or its quest was split into."""
    around: dict[str, list[View]] = {}
    if item.after:
        needs = [found for need in item.after[:RELATED_TOLD] if (found := reading.item(need)) is not None]
        around["buildsOn"] = [_related(need) for need in needs]
    if item.rank:
        waiting = [reading.item(one) for one in reading.dependents(item.id)[:RELATED_TOLD]]
        around["waitingForIt"] = [_related(one) for one in waiting if one is not None and one.id != item.parent]
    if item.dispatched_by:
        asker = reading.item(item.dispatched_by)
        around["askedBy"] = [_related(asker)] if asker is not None else []
    splitting = item.column in (flow.discover, flow.arbiter)
    whole = item if item.splits else parent if item.kind == "task" and splitting else None
    if whole is not None:
        tasks = [one for one in reading.child_items(whole.id) if one.kind == "task" and one.id != item.id]
        around["tasks"] = [_related(task) for task in tasks[:TASKS_TOLD]]
        # Tasks that do not fit wait for the whole to be looked at: whoever looks has their reports in hand.
        stopped = [reading.run(task.last_run) for task in tasks if item.id in task.waits_for and task.last_run]
        around["stopped"] = [report_told(run) for run in stopped if run is not None]
    return {name: views for name, views in around.items() if views}


def _related(item: Item) -> View:
    view: View = {"id": item.id, "title": item.title, "status": item.status}
    if item.files:
        view["files"] = item.files
    if item.result is not None and item.result.summary:
        view |= {"agent": item.result.agent, "summary": item.result.summary}
    return view
