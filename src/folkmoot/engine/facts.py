"""Collects what a brief is made of: the item, what stands beside it, and what others know that concerns it."""

from typing import Any

import msgspec

from folkmoot.briefs.brief import Facts, subject_of
from folkmoot.core.enums import ENDED, ENGINE_NAME
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Guidance, Item, Output
from folkmoot.core.records import Lesson, Run
from folkmoot.core.report import Finding
from folkmoot.core.rules.children.contracts import looks_at_whole
from folkmoot.core.rules.children.outputs import OUTPUTS_KEPT, output_of
from folkmoot.core.rules.children.saying import said_beside
from folkmoot.core.rules.messages.kinds import is_open
from folkmoot.core.rules.sharing.lessons import is_of_whole, told_to
from folkmoot.core.unfinished import HOW_IT_ENDED, PARTIAL, not_gone_on_from, told_of
from folkmoot.engine.reads.views import comment_view, comment_views, history_views, message_view
from folkmoot.store.port import Reading

View = dict[str, Any]

LESSONS_LOOKED_AT = 500
RELATED_TOLD = 20
MESSAGES_TOLD = 100
TASKS_TOLD = 200
SPLITS_TOLD = 3
GUIDANCE_TOLD = 3
ASKED_TOLD = 10
# An answer is new until a run has reported; after this many that did not, it stands with the older ones.
RUNS_WITHOUT_REPORT = 5
HEALS_TOLD = 10
PASSING_CAUSES = ("transient", "environment", "quota", "timeout", "protocol")


def facts(reading: Reading, flow: Flow, item: Item, run: Run) -> Facts:
    """What cannot exist is not looked for."""
    parent = reading.item(item.parent) if item.parent and item.kind != "item" else None
    subject = subject_of(item, parent)
    history, comments = history_views(reading, item), comment_views(reading, item)
    if subject is not item:
        history = [*history_views(reading, subject), *history]
        comments = [*comment_views(reading, subject), *comments]
    told_comments = msgspec.to_builtins(comments) if comments else []
    if item.splits:
        told_comments += _about_ended_tasks(reading, flow, item)
    lessons = reading.lessons(LESSONS_LOOKED_AT) if reading.head().lessons else []
    told = told_to(run.agent, subject, lessons) if lessons else []
    previous = _previous(reading, item, subject, run) if item.last_run or subject.last_run else None
    around = _around(reading, flow, item, parent) if _has_related(item) else {}
    said = split_said(reading, flow, subject, previous) if subject.kind == "task" or subject.splits else []
    left = _left_open(reading, flow, item, subject, parent, run, previous)
    above = _above(reading, parent)
    around |= {name: views for name, views in (("split", said), ("unfinished", left), ("whole", above)) if views}
    return Facts(
        history=msgspec.to_builtins(history) if history else [],
        comments=told_comments,
        parent=parent,
        messages=_messages(reading, item, run) if item.message or flow.messages else [],
        lessons=[{"text": one.text, "agent": one.agent, "item": one.item} for one in told] if told else [],
        dropped=_dropped(reading, subject) if len(subject.outputs) >= OUTPUTS_KEPT else [],
        untold=_untold(lessons, told, subject) if lessons else 0,
        previous=previous,
        answered=_answered(reading, subject, run) if subject.guidance else [],
        asked=_unanswered(reading, subject) if subject.open_questions else [],
        around=around,
        heals=_heals(reading, item, run) if item.proving and not run.gate else [],
        whole=_whole(reading, subject),
        spoken=_spoken(reading, item) if item.kind != "part" and flow.groups else {},
    )


def _about_ended_tasks(reading: Reading, flow: Flow, whole: Item) -> list[View]:
    """What people wrote about tasks that have ended, also since then: it holds for whoever goes on with the whole."""
    found: list[View] = []
    for task in reading.child_items(whole.id):
        if task.kind != "task" or not task.comment_count or task.status not in ENDED:
            continue
        for one in reading.comments(task.id):
            by_person = one.run is None and one.author not in flow.agents and one.author != ENGINE_NAME
            if by_person:
                found.append({"item": task.id, **msgspec.to_builtins(comment_view(one))})
    return found


def _untold(lessons: list[Lesson], told: list[Lesson], item: Item) -> int:
    """How many lessons of the same whole there is no room for."""
    return len({one.text for one in lessons if is_of_whole(one, item)} - {one.text for one in told})


def _dropped(reading: Reading, item: Item) -> list[str]:
    """Children whose outputs the item keeps no more, since it has had so many."""
    ended = [one for one in reading.child_items(item.id) if one.result is not None and one.status in ENDED]
    return [one.id for one in ended if one.id not in item.outputs]


def _whole(reading: Reading, item: Item) -> dict[str, Output]:
    """What children said, of whose words the item keeps only a part: all of it is in the reports of their runs."""
    found = {}
    for child, output in item.outputs.items():
        run = reading.run(output.run) if output.cut else None
        made = reading.item(child) if run is not None else None
        if run is not None and run.report is not None and made is not None:
            found[child] = output_of(made, run, run.report)
    return found


def _spoken(reading: Reading, item: Item) -> dict[str, Output]:
    """What those who looked at it together said, since the item itself was last worked on: the item keeps of it only
    what they found, and whoever goes on is told the rest."""
    last = reading.run(item.last_run) if item.last_run else None
    since = last.ended_at or 0 if last is not None else 0
    found: dict[str, tuple[str, Output]] = {}  # the last word of each
    for part in reading.child_items(item.id):
        said = reading.run(part.result.run) if part.kind == "part" and part.result and part.result.run else None
        if said is None or part.result is None or part.id in item.outputs or said.report is None:
            continue
        if (said.ended_at or 0) >= since:
            told = msgspec.structs.replace(output_of(part, said, said.report), findings=[])
            found[said.agent] = (part.id, told)
    return {part: told for part, told in found.values() if _says_more(told)}


def _says_more(told: Output) -> bool:
    """Than that it has looked: its verdict and what it found are the item's."""
    return bool(told.summary or told.next_steps or told.report or told.blockers or told.comments or told.interfaces)


def _heals(reading: Reading, item: Item, run: Run) -> list[View]:
    """What was done before about the gate that is red, each with what it had found then; none of it sufficed."""
    assert item.proving is not None
    heals: list[View] = []
    red: Run | None = None
    for one in reading.runs(item.id):
        if one.end != "reported" or one.report is None or one.cause in PASSING_CAUSES:
            continue
        if one.gate and one.agent != LANDING and one.column == item.proving.column:
            red = one if one.outcome != "done" else None
            heals = heals if red is not None else []  # it was green once: that is healed
        elif red is not None and one.column == item.column and one.id != run.id:
            heals.append(_heal(red, one))
    return heals[-HEALS_TOLD:]


def _heal(red: Run, run: Run) -> View:
    assert red.report is not None and run.report is not None
    said = run.report
    changed = [one.path for one in run.work.touched] if run.work else [*said.files.created, *said.files.modified]
    return {
        "gate": red.agent,
        "red": "\n".join(words for words in (red.report.summary, red.report.blockers) if words),
        "found": [_briefly(finding) for finding in red.report.findings],
        "run": run.id,
        "agent": run.agent,
        "outcome": run.outcome,
        "report": said.summary,
        "blockers": said.blockers,
        "changed": changed,
        "next_steps": said.next_steps,
    }


def _briefly(finding: Finding) -> View:
    place = {"file": finding.file, "line": finding.line, "test": finding.test, "issue": finding.issue}
    return {name: value for name, value in place.items() if value}


def _messages(reading: Reading, item: Item, run: Run) -> list[View]:
    """The handoff that brought the item here, whatever else its claim has accepted, and what waits for its agent."""
    brought = reading.message(item.message) if item.message else None
    if brought is not None and not is_open(brought) and brought.stage not in (item.column, *item.origins):
        brought = None  # completed by somebody's word while it was of use, and that stage is over
    found = {brought.id: brought} if brought else {}
    about = [item.id, *([item.parent] if item.kind == "part" and item.parent else [])]
    at_hand = [m for one in about for m in reading.messages(item=one, status="accepted", limit=MESSAGES_TOLD)]
    at_hand += reading.loose_messages(run.agent, MESSAGES_TOLD)
    for message in at_hand:
        if message.accepted_by == run.id:
            found.setdefault(message.id, message)
    return [msgspec.to_builtins(message_view(message)) for message in found.values()]


def _previous(reading: Reading, item: Item, subject: Item, run: Run) -> View | None:
    """What the last run said of the work; for a gate the run that it proves. A gate's own words are findings."""
    last = reading.run(item.last_run or subject.last_run or "")
    if run.gate and item.proving and item.proving.run:
        last = reading.run(item.proving.run)
    elif last is not None and last.gate:
        spoken = [one for one in reading.runs(subject.id) if not one.gate and one.end == "reported"]
        last = spoken[-1] if spoken else None
    if last is None:
        return None
    told = report_told(last)
    left = _left_before(reading, subject, last) if "end" in told else None
    # A run that ended without a word takes nothing back of what the one before it had left.
    return {**report_told(left), "since": f"a run of {last.agent} ended without a report"} if left else told


def _left_before(reading: Reading, subject: Item, last: Run) -> Run | None:
    """The last run on the same work that said anything: a silent one takes nothing of it back."""
    runs = [run for run in reading.runs(subject.id) if not run.gate and run.id != last.id and run.ended_at is not None]
    return next((run for run in reversed(runs) if run.report is not None or run.refused is not None), None)


def _left_open(
    reading: Reading, flow: Flow, item: Item, subject: Item, parent: Item | None, run: Run, previous: View | None
) -> list[View]:
    """Reports that nobody has gone on from, also behind a question, a delegation, or another who was stuck (Q-08). A
    sub-agent looks for whoever does; a task of a split goes on with what had stopped the whole."""
    if item.kind == "sub" and parent is not None:
        return _told_of_runs(not_gone_on_from(reading.runs(parent.id)))
    if item.kind == "task" and not item.last_run and parent is not None and parent.span.discoveries:
        runs = reading.runs(parent.id)
        made = [at for at, one in enumerate(runs) if one.outcome == "split" and (one.ended_at or 0) <= item.created_at]
        return _told_of_runs(not_gone_on_from(runs[: made[-1]] if made else []))
    if run.gate or not previous:
        return []
    answering = frozenset(name for name, column in flow.columns.items() if column.kind == "backflow")
    found = not_gone_on_from(reading.runs(subject.id), run.column, answering)
    return _told_of_runs([one for one in found if one.id != previous.get("run")])


def _told_of_runs(runs: list[Run]) -> list[View]:
    """Each is told of, if it says more than how it ended: what it made is on the item."""
    views = [(run, report_told(run)) for run in runs]
    return [view for run, view in views if run.outcome in PARTIAL or set(view) - HOW_IT_ENDED]


def _above(reading: Reading, parent: Item | None) -> list[View]:
    """The item at the top of a task's whole, where its parent is a task itself: what a person asked for is there."""
    if parent is None or parent.kind != "task":
        return []
    top = reading.item(parent.top)
    return [{"id": top.id, "title": top.title, "body": top.body}] if top is not None else []


def report_told(run: Run) -> View:
    """A run as later ones are told of it: what it reported, never what it printed."""
    told: View = {"run": run.id, "item": run.item, "agent": run.agent, "column": run.column}
    if run.report is not None:
        # What broke the form acted in nothing: all of it is told.
        return {**told, **told_of(run.report, run.agent, whole=run.outcome != run.report.outcome)}
    if run.refused is not None:
        return {**told, "not accepted": run.refused_for, **told_of(run.refused, run.agent, whole=True)}
    return {**told, "end": run.end}


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


def _unanswered(reading: Reading, item: Item) -> list[View]:
    """What a person was asked while the work goes on, so that no run asks it again, or takes it for settled."""
    waiting = [one for one in reading.questions(item.id) if one.state == "open" and one.kind == "clarification"]
    return [
        {
            "by": one.agent,
            "question": one.question,
            "context": one.context,
            "options": [option.option for option in one.options],
            "help": one.help,
        }
        for one in waiting[-ASKED_TOLD:]
    ]


def _has_related(item: Item) -> bool:
    return bool(item.rank or item.after or item.splits or item.kind != "item")


def _around(reading: Reading, flow: Flow, item: Item, parent: Item | None) -> dict[str, list[View]]:
    """Other items that concern it: what it builds on, what waits for it, what it or its quest was split into."""
    around: dict[str, list[View]] = {}
    if item.after:
        needs = [found for need in item.after[:TASKS_TOLD] if (found := reading.item(need)) is not None]
        around["buildsOn"] = [view for need in needs for view in _made_by(reading, need)][:TASKS_TOLD]
    if item.rank:
        waiting = [reading.item(one) for one in reading.dependents(item.id)[:RELATED_TOLD]]
        around["waitingForIt"] = [_related(one) for one in waiting if one is not None and one.id != item.parent]
    if item.dispatched_by:
        asker = reading.item(item.dispatched_by)
        around["askedBy"] = [_asking(asker)] if asker is not None else []
    splitting = item.column in (flow.discover, flow.arbiter)
    whole = item if item.splits else parent if item.kind == "task" and splitting else None
    if whole is not None:
        tasks = [one for one in reading.child_items(whole.id) if one.kind == "task" and one.id != item.id]
        around["tasks"] = [_related(task) for task in tasks[:TASKS_TOLD]]
        # Tasks that do not fit wait for the whole to be looked at: whoever looks has their reports in hand.
        stopped = [reading.run(task.last_run) for task in tasks if item.id in task.waits_for and task.last_run]
        around["stopped"] = [report_told(run) for run in stopped if run is not None]
    return {name: views for name, views in around.items() if views}


def split_said(reading: Reading, flow: Flow, item: Item, previous: View | None) -> list[View]:
    """What the split that made the task said beside it, and whatever later splits of the same whole said, or whoever
    looked at the whole since; of an item that was split what its own said. The last report is told as such."""
    found: list[View] = []
    above = reading.item(item.parent) if item.kind == "task" and item.parent else None
    for whole in (above, item if item.splits else None):
        if whole is None:
            continue
        runs = [run for run in reading.runs(whole.id) if run.report is not None and _is_of_split(flow, run)]
        first = next((at for at, run in enumerate(runs) if run.outcome == "split"), len(runs))
        runs = runs[first:]
        earlier = [run for run in runs if whole is not item and (run.ended_at or 0) <= item.created_at][:-1]
        for run in [one for one in runs if one not in earlier][-SPLITS_TOLD:]:
            said = said_beside(run.report, run.agent, whole) if run.report is not None else {}
            if said and (previous is None or previous.get("run") != run.id):
                found.append({"run": run.id, "item": whole.id, "agent": run.agent, **said})
    return found


def _is_of_split(flow: Flow, run: Run) -> bool:
    return run.outcome == "split" or (run.outcome == "done" and not run.gate and looks_at_whole(flow, run.column))


def _asking(item: Item) -> View:
    """The item that an agent was sent for: what it is about, where it stands, and what is said of its work."""
    view = _related(item) | {"column": item.column, "body": item.body, "why": item.because, "spec": item.spec}
    found = [msgspec.to_builtins(finding) for finding in item.findings[:RELATED_TOLD]]
    answers = [f"{said.question}: {said.answer}" for said in item.guidance[-GUIDANCE_TOLD:]]
    view |= {"findings": found, "guidance": answers, "contracts": item.contracts, "rules": item.constraints}
    return {name: value for name, value in view.items() if value}


def _made_by(reading: Reading, need: Item) -> list[View]:
    """What somebody builds on: the item, and, where it was split, what its tasks have made, also tasks of tasks."""
    whole = _whole(reading, need)
    parts = [(child, whole.get(child, output)) for child, output in need.outputs.items() if output.kind == "task"]
    views = [{"id": child, "title": output.title, "part of": need.id, **_told(output)} for child, output in parts]
    return [_related(need), *views]


def _related(item: Item) -> View:
    view: View = {"id": item.id, "title": item.title, "status": item.status}
    if item.called:
        view["key"] = item.called
    if item.files:
        view["files"] = item.files
    return view | (_told(item.result) if item.result is not None else {})


def _told(result: Output) -> View:
    """What an item ended with, as others are told of it."""
    told = {
        "agent": result.agent if result.summary else "",
        "summary": result.summary,
        "interfaces": result.interfaces,
        "integration_points": result.integration_points,
        "next_steps": result.next_steps,
        "report": result.report,
        "blockers": result.blockers,
    }
    return {name: value for name, value in told.items() if value}
