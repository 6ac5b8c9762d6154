"""What came of a report or an answer: where the item is, the phase that is over, the question that is open."""

from folkmoot.api.call import Ask
from folkmoot.api.requests import ListRuns, ReadLog, Show, ShowFlow
from folkmoot.api.screen import ListWorkers
from folkmoot.api.views import EventView, ItemView, QuestionView, RunView
from folkmoot.core.enums import ASKING, ENDED, ENGINE_NAME, ONE_SHOT_KINDS
from folkmoot.core.report import Statement
from folkmoot.core.rules.children.help import INCOMPLETES_MAX, UNSUCCESSFUL
from folkmoot.doors.cli.render.events import said
from folkmoot.doors.cli.render.item import changed
from folkmoot.doors.cli.render.page import CARE, COMMAND, GOOD, QUIET, Page, one_line
from folkmoot.doors.cli.render.phases import begun_again, ends_phase, numbered, phase_lines
from folkmoot.doors.cli.render.questions import block, is_divine, requested

FOLLOWING_MAX = 200  # events of one report; what is beyond stands in the log
LEFT_OPEN = f"a fresh run goes on, and {INCOMPLETES_MAX} of these in a row"
# What counts something that has a limit, or says that it does not count.
COUNTING = (
    *("attempt_counted", "attempt_noted", "attempt_repeated", "work_left_incomplete"),
    *("dispute_opened", "dispute_answered", "dispute_settled"),
)


def reported(ask: Ask, view: ItemView, run: str) -> None:
    """The outcome as it was understood and the item after it; what of the report acted, what is only told on, and
    what had no effect; then what the report has ended or opened, here or on the item above."""
    own = next((one for one in view.runs if one.run == run), None)
    ended, refused, following = _following(ask, view, run)
    changed(view, _taken_as(view, own, ended, refused))
    page = Page()
    if refused is not None:
        why, aside = one_line(refused.context.get("why") or ""), "it is kept aside: "
        page.line(("The change was not taken: ", CARE), f"{why}; {aside}", ("moot salvage", COMMAND), indent=2, hang=2)
    if view.parent and own is not None and own.outcome:
        above = ask(Show(item=view.parent))
        page.line((f"#{above.id}: ", QUIET), one_line(above.why), indent=2, hang=2)
    _weighed(page, view, own, following)
    if view.reason_does:
        page.line(("The reason: ", CARE), one_line(view.reason_does), indent=2, hang=2)
    for event in numbered(following, ask(ShowFlow())):
        if ends_phase(event):
            phase_lines(page, event)
        elif event.event == "agent_seeks_guidance":
            asked = question_of(ask, event)
            if asked is not None:
                own_word = asked.task_id == view.id or view.kind == "part"  # which asks through its item
                requested(ask, asked, own.agent if own and own_word else whose(ask, asked), page)


def whose(ask: Ask, question: QuestionView, event: EventView | None = None) -> str:
    """Who needs the answer: whoever asks; where a rule does, whoever's word made it ask, else who worked last on the
    item. An expert who could not help never escalates: the item of whoever asked it does (E-04)."""
    if question.agent_id and question.agent_id != ENGINE_NAME:
        return str(question.agent_id)
    if event is not None and event.run and event.agent:
        return event.agent
    runs = ask(Show(item=question.task_id)).runs
    return str(runs[-1].agent) if runs else ENGINE_NAME


def _taken_as(view: ItemView, own: RunView | None, ended: EventView | None, refused: EventView | None) -> str:
    outcome = (own.outcome if own else None) or ""
    if view.told and outcome:
        return "not accepted as it stands; the run is over"
    claimed = ended.context.get("said") if ended else None
    if refused is not None and own is not None and own.report is not None:
        before = own.report.extra.get("said")
        claimed = before.get("outcome") if isinstance(before, dict) else None
    return f"reported {claimed}, taken as {outcome}" if claimed else f"reported {outcome}".strip()


def _left_open(view: ItemView) -> list[str]:
    """What follows from work that was left unfinished. A child asks no person: it ends, and its parent goes on."""
    if view.status != "ready":
        return []  # that many were there: what has come of it is told above
    if view.kind == "expert":
        return [f"{LEFT_OPEN} end it as {UNSUCCESSFUL}"]
    return [f"{LEFT_OPEN} end it without success" if view.kind in ONE_SHOT_KINDS else f"{LEFT_OPEN} ask a person"]


def _weighed(page: Page, view: ItemView, own: RunView | None, following: list[EventView]) -> None:
    """What of the report acted, and what did not: for whom that is, and what would make it act."""
    events = [event for event in following if event.event in COUNTING and event.item == view.id]
    noted = [said(event, {}) for event in events]
    if noted:
        words = [f"{one.lead}: {one.detail}" if one.detail else one.lead for one in noted]
        words += _left_open(view) if any(event.event == "work_left_incomplete" for event in events) else []
        page.line(("Noted: ", QUIET), one_line("; ".join(words)), indent=2, hang=2)
    unsaid = {"usage", *(("attempts",) if any("attempt" in event.context for event in events) else ())}
    acted = [_one(one, own) for one in view.acted or [] if one.what not in unsaid]
    is_over = own is not None and own.outcome is not None
    if acted:
        label = "Taken up: " if is_over else "Will be taken up: "
        page.line((label, QUIET), "; ".join(acted), indent=2, hang=2)
    if view.kept:
        # Of what is over nobody reads on, but for whoever waits for it; and a gate's own words are its findings.
        reads = (view.status not in ENDED or view.parent) and not (own and own.gate)
        label = "Told on, with no effect of its own: " if reads else "Kept, with no effect of its own: "
        page.line((label, CARE), "; ".join(_one(one, own) for one in view.kept), indent=2, hang=2)


def _one(told: Statement, own: RunView | None) -> str:
    why = f" ({told.why})" if told.why else ""
    # What is found beside `done` stands on the item, and nobody is asked to change it.
    is_remark = told.what == "findings" and own is not None and own.outcome == "done"
    what = "findings, as remarks" if is_remark else one_line(told.what)
    return f"{what}: {one_line(told.said)}{why}"


def taken_in_hand(ask: Ask, view: ItemView, done: str) -> None:
    """What became of an item that a person moved, and which questions that ended: their answer would come too late."""
    changed(view, done)
    last = _last_step(ask, view)
    gone = [str(event.context.get("question")) for event in last if event.event == "question_withdrawn"]
    if gone:
        page = Page()
        ended = f"{', '.join(gone)} {'is' if len(gone) == 1 else 'are'} withdrawn"
        page.line((ended, CARE), "; what its agent should know of it: ", (f'moot say {view.id} "…"', COMMAND), indent=2)


def _last_step(ask: Ask, view: ItemView) -> list[EventView]:
    """All that the last transaction about the item has written."""
    after, last = 0, list[EventView]()
    while events := ask(ReadLog(after=after, item=view.id)).events:
        after = events[-1].seq
        last = [event for event in [*last, *events] if event.timestamp == events[-1].timestamp]
    return last


def question_of(ask: Ask, event: EventView) -> QuestionView | None:
    """The whole question that an event is about, as the item has it now."""
    found = ask(Show(item=event.item)).questions if event.item else []
    return next((one for one in found if one.id == event.context.get("question")), None)


def _following(ask: Ask, view: ItemView, run: str) -> tuple[EventView | None, EventView | None, list[EventView]]:
    """The event that ended the run, the one that refused its change, and what the same transaction wrote after them
    about its item and the one above."""
    ended, refused, after = None, None, 0
    while page := ask(ReadLog(after=after, item=view.id)).events:
        after = page[-1].seq
        mine = [event for event in page if event.event == "agent_completed" and event.run == run]
        ended = mine[-1] if mine else ended
        refused = next((one for one in page if one.event == "work_refused" and one.run == run), refused)
    if ended is None:
        return None, None, []
    concerned = {view.id, view.parent}
    later = ask(ReadLog(after=ended.seq, limit=FOLLOWING_MAX)).events
    return ended, refused, [one for one in later if one.timestamp == ended.timestamp and one.item in concerned]


def answered(ask: Ask, view: ItemView, question: str) -> None:
    """What was answered, and where the item goes on with it."""
    page = Page()
    given = next((q for q in view.questions if q.id == question), None)
    is_given = given is not None and given.state == "answered"
    if given is not None and is_given:
        page.line((f"{question} answered", GOOD), ": ", one_line(given.answer), hang=2)
    elif given is not None and given.state == "open":
        page.line((f"#{view.id} is parked", CARE), f": nobody works on it, and {question} stays open", hang=2)
    else:
        page.line((f"{question} was no longer open; your words are kept as a comment", CARE))
    page.line(page.mark(view.status), (f" #{view.id}", "bold"), "  ", one_line(view.title), hang=2)
    page.line(one_line(view.why), indent=2)
    left = [q.id for q in view.questions if q.state == "open"]
    if left:
        page.line(("still open: ", QUIET), ", ".join(left), indent=2)
    for anew in filter(None, (begun_again(event.context) for event in _last_step(ask, view))):
        page.line(("counters: ", QUIET), anew, indent=2, hang=2)
    if view.status in ("ready", "proving") and _is_nobody_at_work(ask):
        page.line(("nobody is at work: ", CARE), ("moot run", COMMAND), (" puts agents on it", QUIET), indent=2)
    if given is not None and is_given:
        delivered(ask, page, view, given)


def delivered(ask: Ask, page: Page, view: ItemView, given: QuestionView, indent: int = 0) -> None:
    """The notice of the document: whom the answer reaches, and how it goes on."""
    left = [question.id for question in view.questions if question.state == "open"]
    fields = {"Agent": _resumes(view, given), "Task": view.id, "Guidance": given.answer or ""}
    told = ("DIVINE GUIDANCE DELIVERED", "Agent resuming work with guidance.")
    title, goes_on = told if is_divine(ask) else ("YOUR ANSWER IS KEPT", "The next run on it is told.")
    block(page, title, fields, _ending(view, left, goes_on), indent)


def _is_nobody_at_work(ask: Ask) -> bool:
    """Would agents be started, if somebody started them?"""
    runs = any(agent.run for agent in ask(ShowFlow()).agents.values())
    return runs and not ask(ListWorkers()).workers and not ask(ListRuns()).runs


def _resumes(view: ItemView, given: QuestionView) -> str:
    """Who goes on: whose turn it is now, else whoever asked, else whoever worked on it last."""
    turn = view.agent or view.watcher if view.status in ("ready", "running", "proving") else None
    asker = given.agent_id if given.agent_id != ENGINE_NAME else None
    last = view.runs[-1].agent if view.runs else None
    return str(turn or asker or last or "nobody")


def _ending(view: ItemView, left: list[str], goes_on: str) -> str:
    if view.status in ASKING:
        return f"Awaiting human guidance on {', '.join(left)}..." if left else "Awaiting human guidance..."
    if view.status in ("done", "cancelled"):
        return f"The item is {view.status}."
    return goes_on
