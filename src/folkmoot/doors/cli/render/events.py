"""Events in words: what each one says to a person, alone in a log or together as one step of a story."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from folkmoot.api.views import CommentView, EventView, RunView
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.core.unfinished import PARTIAL
from folkmoot.doors.cli.render.page import (
    AGENT,
    BAD,
    CARE,
    GOOD,
    PERSON,
    QUIET,
    Page,
    day_of,
    lasting,
    more,
    one_line,
    shortened,
    time_of,
    today,
)
from folkmoot.doors.cli.render.phases import begun_again, rounds_of, tests_of, title_of

View = dict[str, Any]
Comments = Mapping[str, CommentView]
# Cells for who and with which model; on less of a screen than NARROW names are not set in a column.
NAMES_MAX, MODELS_MAX, NARROW = 22, 10, 70


class Said(Struct, frozen=True):
    """What happened in a few words, where the item went by it, and what else is worth telling."""

    lead: str = ""
    to: str | None = None
    detail: str = ""
    style: str = ""


class Step(Struct, frozen=True):
    """What one person or run did at one moment."""

    timestamp: str
    who: str
    model: str
    said: list[Said]
    is_person: bool


Say = Callable[[View, Comments], Said]
OUTCOMES = {
    "done": ("done", GOOD),
    "changes_requested": ("asked for changes", CARE),
    "disputed": ("objected", CARE),
    "failed": ("failed", BAD),
    "stuck": ("got stuck", CARE),
    "asks": ("asked a person", CARE),
    "delegates": ("asked for help", CARE),
    "split": ("split it", GOOD),
    "incomplete": ("left it incomplete", CARE),
    "released": ("gave it back", QUIET),
}


def _completed(context: View, comments: Comments) -> Said:
    lead, style = OUTCOMES.get(context.get("outcome", ""), (f"reported {context.get('outcome')}", ""))
    cause = context.get("cause") if context.get("outcome") in PARTIAL else None  # beside a verdict it explains nothing
    return Said(f"{lead} ({cause})" if cause else lead, detail=context.get("summary") or "", style=style)


def _started(context: View, comments: Comments) -> Said:
    return Said("took it, to do it by hand" if context.get("person") else "took it")


def _commented(context: View, comments: Comments) -> Said:
    if (number := context.get("comment", "")) not in comments:
        return Said(f"left a comment {number}".rstrip(), detail=context.get("why") or "")
    return Said("commented", detail=f"{number} “{shortened(comments[number].content)}”")


def _fault(context: View, comments: Comments) -> Said:
    again = f"; again in {lasting(pause)}" if isinstance(pause := context.get("pause"), int | float) else ""
    return Said(f"fault ({context.get('cause')})", detail=f"{context.get('why')}{again}", style=CARE)


def _overruled(context: View, comments: Comments) -> Said:
    counts = "counts" if context.get("counted") else "does not count"
    return Said(f"overruled: attempt {context.get('attempt')} {counts}")


def _edited(context: View, comments: Comments) -> Said:
    if "dropped" in context:
        return Said(f"took away that it waits for #{context['dropped']}")
    if "fields" not in context:
        return Said("told it more", detail=context.get("why") or "")
    return Said(f"edited {', '.join(context.get('fields', []))}")


def _added(context: View, comments: Comments) -> Said:
    what = {"item": "added it", "dispatch": "dispatched it", "expert": "asked an expert", "sub": "asked a sub-agent"}
    return Said(what.get(kind := context.get("kind", "item"), f"made the {kind}"), to=context.get("column"))


def _phase(context: View, comments: Comments) -> Said:
    tests, rounds = tests_of(context), rounds_of(context)
    detail = ", ".join(words for words in (tests and f"tests {tests}", rounds and f"rounds {rounds}") if words)
    return Said(f"{title_of(context)} complete", context.get("to"), detail, GOOD)


def _held(context: View, comments: Comments) -> Said:
    seconds = context.get("seconds")
    span = f" for {lasting(seconds)}" if isinstance(seconds, int | float) else ""
    lead = "asked for more paths" if context.get("widened") else "locked paths" if span else "holds its paths"
    return Said(f"{lead}{span}", detail=_listed(context.get("paths")))


def _merged(context: View, comments: Comments) -> Said:
    verdicts = context.get("verdicts") or {}
    detail = ", ".join(f"{agent}: {verdict}" for agent, verdict in verdicts.items())
    style = GOOD if context.get("verdict") == "done" else CARE
    return Said(f"all have spoken: {context.get('verdict')}", detail=detail, style=style)


def _to_children(lead: str, style: str = "") -> Say:
    """Work that goes to items made for it."""

    def say(context: View, comments: Comments) -> Said:
        children = _listed([f"#{child}" for child in context.get("children", [])])
        to = _listed(context.get("to") if isinstance(context.get("to"), list) else [])
        words = " ".join(part for part in (lead, to, f"in {children}" if children else "") if part)
        return Said(words, detail=context.get("why") or "", style=style)

    return say


def _set_aside(context: View, comments: Comments) -> Said:
    return Said(f"set aside what is about something else: {_listed([f'#{one}' for one in context.get('items', [])])}")


def _green(context: View, comments: Comments) -> Said:
    left = _listed(context.get("left"))
    return Said("found it green", detail=f"still to pass: {left}" if left else "", style=GOOD)


def _listed(values: Any) -> str:
    return ", ".join(str(value) for value in values or [])


def _says(lead: str, detail: str = "", to: str = "", style: str = "", **missing: str) -> Say:
    """A sentence made from values of the context; one that is missing is empty, or as it is given here."""

    def say(context: View, comments: Comments) -> Said:
        values = defaultdict[str, Any](str, {**missing, **context})
        return Said(lead.format_map(values), values[to] or None if to else None, detail.format_map(values), style)

    return say


SAYS: dict[str, Say] = {
    "item_added": _added,
    "agent_started": _started,
    "sentence_said": _says("said to whoever works on it", "“{text}”"),
    "sentence_heard": _says("heard what people said"),
    "agent_completed": _completed,
    "lease_renewed": _says("kept its lease"),
    "setup_ended": _says("had its clone ready after {seconds}s", style=QUIET),
    "run_released": _says("gave it back", style=CARE),
    "run_lapsed": _says("heard no more of {agent}", "{how}", style=CARE),
    "run_revoked": _says("ended its run", "{why}", style=CARE),
    "item_moved": _says("moved it", "{why}", to="to"),
    "escalation_triggered": _says("escalated it", "{why}", to="to", style=CARE),
    "agent_resumes_with_guidance": _says("sent it on", to="to"),
    "agent_seeks_guidance": _says("asked you {question}", "{text}", style=CARE),
    "divine_response_received": _says("answered {question}", "“{answer}”", style=GOOD),
    "divine_clarification_received": _says("gave guidance"),
    "escalation_counters_reset": lambda context, _: Said("the counters began again", detail=begun_again(context)),
    "default_taken": _says("nobody answered {question} in time", "the default is “{answer}”", style=CARE),
    "question_withdrawn": _says("withdrew {question}"),
    "attempt_counted": _says("attempt {attempt} counts", "{ground}"),
    "attempt_noted": _says("attempt {attempt} is kept, and does not count", "{ground}"),
    "attempt_repeated": _says("attempt {attempt} does not count", "{ground}"),
    "attempt_overruled": _overruled,
    "error_occurred": _fault,
    "work_left_incomplete": _says("incomplete {count} in a row"),
    "comment_added": _commented,
    "comment_restated": _says("said {comment} again, in good form", style=QUIET),
    "report_refused": _says("said {outcome}; not accepted, its run goes on", "{why}", "", CARE, outcome="no outcome"),
    "comment_resolved": _says("resolved {comment}: {resolution}"),
    "dispute_opened": _says("disputed it, {thread}", style=CARE),
    "dispute_answered": _says("disagreed, round {rounds}", style=CARE),
    "dispute_settled": _says("settled {thread}: {resolution}", style=GOOD),
    "verdict_given": _says("round {round} in {column}"),
    "changes_asked": _says("asks for changes", "{why}", style=CARE),
    "item_cancelled": _says("cancelled it", "{why}", style=CARE),
    "item_reopened": _says("opened it again", "{why}"),
    "item_edited": _edited,
    "item_parked": _says("parked until you answer", "{why}", style=CARE),
    "deadline_passed": _says("waited for an answer until its deadline"),
    "item_resumed": _says("it went on"),
    "item_ready": _says("ready again", "{why}"),
    "item_rests": _says("at rest"),
    "items_counted": _says("what it makes is counted"),
    "item_ranked": _says("ranked {rank}"),
    "dependency_done": _says("#{item} ended, which it waited for"),
    "dependency_reopened": _says("#{item} is open again, which it waits for"),
    "child_added": _says("#{child} is a part of it, which it waits for"),
    "handoff_created": _says("sent {type} to {to}", style=QUIET),
    "handoff_accepted": _says("accepted the {type}", style=QUIET),
    "handoff_completed": _says("completed the {type}", style=QUIET),
    "handoff_rejected": _says("refused the {type}", "{why}", style=CARE),
    "paths_held": _held,
    "paths_wanted": _says("asked for paths that others hold", "{why}", style=CARE),
    "paths_released": lambda context, comments: Said("gave up paths", detail=_listed(context.get("paths"))),
    "lesson_learned": _says("told what it learnt"),
    "work_split": _to_children("made tasks of it", GOOD),
    "work_delegated": _to_children("asked"),
    "parts_dealt": _to_children("dealt it to"),
    "parts_merged": _merged,
    "agent_dispatched": _says("sent #{child} to {to} ({purpose})", "{title}"),
    "output_received": _says("heard from {agent} in #{child}: {outcome}"),
    "expert_unsuccessful": _says("{expert} could not help, attempt {attempt}", style=CARE),
    "item_failed": _says("ended without success", "{why}", style=BAD),
    "item_done": _says("ended with {outcome}", style=GOOD),
    "item_unbound": _says("goes its own way through the flow from here on", "{why}", style=CARE),
    "gate_called": lambda context, comments: Said(f"says it is done; {_listed(context.get('gates'))} must show it"),
    "gate_passed": _green,
    "gate_failed": _says("found it red, round {round}", "{why}", style=BAD),
    "gates_waived": lambda context, comments: Said(f"lets it land without {_listed(context.get('gates'))}", style=CARE),
    "finding_set_aside": _set_aside,
    "contract_changed": lambda said, comments: Said(f"changed contracts: {_listed(said.get('contracts'))}", style=CARE),
    "phase_completed": _phase,
    "work_kept": _says("took in the work of #{child}", "{commit}", style=QUIET),
    "work_refused": _says("changed what it may not; nothing of it is taken", "{why}", style=BAD),
    "work_dropped": lambda context, comments: Said(
        "only reads: what it changed is dropped, what it said counts", detail=_listed(context.get("paths")), style=CARE
    ),
    "work_waits": _says("its work is kept, and lands when others are done", "{why}", style=CARE),
    "landing_called": _says("its work must land first", "{why}"),
    "landing_recorded": _says("made the commit for {branch}", "{new}", style=QUIET),
    "landing_deferred": _says("waits to land", "{why}", style=CARE),
    "landing_failed": _says("could not land it, round {round}", "{why}", style=BAD),
    "work_proposed": _says("proposed its work", "{url}", style=GOOD),
    "proposal_seen": _says("saw its pull request", "{why}"),
    "proposal_answered": _says("saw its pull request answered", "{why}", style=CARE),
    "issue_noted": _says("saw to its issue", "{url}: {why}"),
    "work_landed": _says("landed it on {branch}", "{commit}", style=GOOD),
    "landing_found": _says("found it on {branch} after its landing had ended", "{commit}", style=GOOD),
    "landing_dropped": _says("found that {branch} was not moved", "the landing of {commit} had ended", style=QUIET),
    "run_stopped": _says("was stopped", "{why}", style=CARE),
    "run_paused": _says("ended, nothing is counted", "{why}", style=CARE),
    "pool_paused": _says("{pool} pauses {how}", "{why}", style=CARE),
    "budget_spent": _says("the day's budget is spent; agents begin again tomorrow", style=CARE),
    "board_stopped": _says("paused the board", "{why}", style=CARE),
    "board_resumed": _says("resumed the board", "{why}", style=GOOD),
    "flow_adopted": _says("took in version {version} of the flow {flow}"),
    "clock_restarted": _says("set the clock"),
}
# Bookkeeping: in the log, but no part of a story.
UNTOLD = {
    *("lease_renewed", "setup_ended", "divine_clarification_received", "escalation_counters_reset", "item_ranked"),
    *("item_ready", "item_rests", "items_counted", "verdict_given", "sentence_heard"),
    *("handoff_accepted", "handoff_completed", "paths_held", "paths_released"),
}
# What only carries on what the step's first words have said: the words are left out, the rest is told.
CARRIES_ON = {"item_moved", "escalation_triggered", "agent_resumes_with_guidance", "comment_added"}
# What is told in full elsewhere on an item's page.
TOLD_BELOW = {"attempt_counted", "attempt_noted", "attempt_repeated"}
DISPUTING = {"dispute_opened", "dispute_answered"}


def said(event: EventView, comments: Comments) -> Said:
    return told_of(event.event, event.context, comments)


def told_of(name: str, context: View, comments: Comments = MappingProxyType({})) -> Said:
    """An event in words; one that has none of its own yet is told by its name and its context."""
    if name in SAYS:
        return SAYS[name](context, comments)
    told = {key: value for key, value in context.items() if key not in ("workflow", "spec")}
    return Said(name.replace("_", " "), detail=", ".join(f"{key} {value}" for key, value in told.items()))


def steps(events: list[EventView], comments: Comments, runs: Mapping[str, RunView]) -> list[Step]:
    """The story of an item: what came by one transaction is one step; a claim that has its report is left out."""
    found = []
    for (timestamp, run, agent), group in groupby(events, lambda e: (e.timestamp, e.run, e.agent)):
        made = runs.get(run or "")
        hidden = UNTOLD | {"agent_started"} if made and made.ended_at else UNTOLD
        happened = [event for event in group if event.event not in hidden or begun_again(event.context)]
        told = _together(happened, comments)
        if told:
            model = (made.model if made else None) or ""
            hand = made.person if made else None
            person = bool(hand) or (run is None and agent != ENGINE_NAME)
            found.append(Step(timestamp or "", hand or agent or "", model, told, person))
    return found


def _together(happened: list[EventView], comments: Comments) -> list[Said]:
    """The events of one step, without what they say twice."""
    names = {event.event for event in happened}
    causes = {event.context.get("cause") for event in happened if event.event == "agent_completed"}
    told = []
    for event in happened:
        name, words = event.event, said(event, comments)
        # A statement of a dispute stands in its thread, and its report says no more than the dispute does.
        if names & DISPUTING and name in ("agent_completed", "comment_added"):
            continue
        if name == "comment_added" and event.context.get("comment") not in comments:
            continue
        if (name == "handoff_created" and happened[1:]) or (name == "sentence_said" and "question" in event.context):
            continue  # where the item went, or what was answered, says as much
        if len(happened) > 1 and name in CARRIES_ON:
            words = replace(words, lead="", style="")
        if name == "error_occurred" and event.context.get("cause") in causes:
            words = replace(words, lead="", style="")  # the report has said that it failed, and why
        if name in TOLD_BELOW or (name == "item_moved" and len(happened) > 1 and "item_reopened" not in names):
            words = replace(words, detail="")
        told.append(words)
    return told


def tell(page: Page, told: list[Step]) -> None:
    """The steps, one below the other: when, who, with which model, what."""
    names = min(max((len(one_line(step.who)) for step in told), default=0), NAMES_MAX)
    models = min(max((len(one_line(step.model)) for step in told), default=0), MODELS_MAX)
    narrow = page.width < names + models + 44
    day = ""
    for step in told:
        if day_of(step.timestamp) != day:
            day = day_of(step.timestamp)
            page.line((day, QUIET), indent=2)
        name, model = one_line(step.who)[:NAMES_MAX], one_line(step.model)[:MODELS_MAX]
        if not narrow:
            name, model = name.ljust(names), model.ljust(models)
        style = PERSON if step.is_person else AGENT
        label = page.text((time_of(step.timestamp), QUIET), "  ", (name, style), "  ", (model, QUIET))
        _tell_step(page, label, step)


def _tell_step(page: Page, label: Text, step: Step) -> None:
    lead = page.text()
    for part in step.said:
        if part.lead:
            lead.append_text(page.text("; " if lead else "", (one_line(part.lead), part.style)))
    to = next((part.to for part in reversed(step.said) if part.to), None)
    if to:
        lead.append_text(page.text(" → " if lead else "→ ", (one_line(to), "bold")))
    indent = page.labelled(label, lead, indent=2)
    details = list(dict.fromkeys(one_line(part.detail) for part in step.said if part.detail))
    for detail in details:
        if not any(detail in other for other in details if other != detail):  # what another says too is said once
            page.line((detail, QUIET), indent=indent)


def log(events: list[EventView]) -> None:
    """The log, a line for each event; what did not happen today stands below its day."""
    page = Page()
    if not events:
        return page.line(("Nothing more has happened.", QUIET))
    wide, items = len(str(events[-1].seq)), max(len(event.item or "") for event in events) + 1
    by_hand = {event.run: event.context["person"] for event in events if event.context.get("person")}
    doers = {e.seq: one_line((e.agent != ENGINE_NAME and by_hand.get(e.run)) or e.agent or "") for e in events}
    names = 0 if page.row_width < NARROW else min(max(map(len, doers.values())), NAMES_MAX)
    day = today()
    for event in events:
        if day_of(event.timestamp) != day:
            day = day_of(event.timestamp)
            page.line((day, QUIET))
        told, agent = said(event, {}), doers[event.seq]
        # A reason that only says again who did what is none.
        detail = "" if told.detail == f"{event.agent} {told.lead}" else one_line(told.detail)
        page.row(
            (str(event.seq).rjust(wide), QUIET),
            (f"  {time_of(event.timestamp)}  ", QUIET),
            ((f"#{event.item}" if event.item else "–").ljust(items), "bold"),
            "  ",
            (agent.ljust(names), PERSON if agent != ENGINE_NAME and event.run in {None, *by_hand} else AGENT),
            "  " if names else " ",
            (one_line(told.lead), told.style),
            (f" → {one_line(told.to)}" if told.to else "", "bold"),
            (f": {detail}" if detail else "", QUIET),
        )


def more_log(item: str | None, after: int) -> None:
    """The log goes on: how to see the rest."""
    more(" ".join(["moot log", *([item] if item else []), f"--after {after}"]))
