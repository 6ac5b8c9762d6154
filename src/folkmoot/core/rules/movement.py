"""Where an item goes and how it rests there. Who acts on it is seen to in `settling`, after every command (R-03)."""

from itertools import groupby
from typing import Any

from msgspec.structs import replace

from folkmoot.core import order
from folkmoot.core.commands import CancelItem
from folkmoot.core.enums import ASKING, ENDED, ONE_SHOT_KINDS, EventName
from folkmoot.core.flow import END, LANDING, Column
from folkmoot.core.item import Dispute, Effort, Item, Output, Proving
from folkmoot.core.records import Attempt
from folkmoot.core.report import Report
from folkmoot.core.rules.asking.telling import said_told
from folkmoot.core.rules.questions import ask, asking_status
from folkmoot.core.rules.running.hearing import because_of, goes_on_for
from folkmoot.core.rules.running.looking import shown_in
from folkmoot.core.situation import MADE, Case
from folkmoot.core.vocabulary.cause_line import cause_line
from folkmoot.core.vocabulary.ways import AGAIN, Way

OFF_MOVES_MAX = 3  # moves off the flow from one stage since guidance
OFF_DEPTH_MAX = 2
HISTORY_TOLD = 12  # attempts that a question or an expert is told in words: two rounds of six


def at_rest(case: Case, **changed: Any) -> dict[str, Any]:
    """The status of an item nobody works on, recomputed from what it waits for: an answer restores what was."""
    waits_for = changed.get("waits_for", case.item.waits_for)
    proving = changed.get("proving", case.item.proving)
    column = changed.get("column", case.item.column)
    asking = asking_status(case.questions.values()) if case.questions else None
    at_gate = proving is not None and proving.column == column
    status = asking or ("waiting" if waits_for else "proving" if at_gate else "ready")
    if status in ASKING and case.item.status == "parked":
        status = "parked"  # only an answer takes it out of the park
    taken = {"taken": None} if case.item.taken is not None else {}
    return {"run": None, "status": status, "ready_at": case.now, **taken, **changed}


def stage_of(case: Case) -> str:
    """The rules ask for it again and again, and it changes with the item alone."""
    if case.staged[0] is not case.item:
        case.staged = case.item, order.stage(case.flow, case.item)
    return case.staged[1]


def origins_for(case: Case, target: str) -> list[str]:
    """Where an item that a person sends to a column will be said to have come from (R-09)."""
    item = case.item
    if target in item.origins:
        return item.origins[: item.origins.index(target)]
    stage = item.origins[0] if item.origins else item.column
    on_flow = case.flow.columns[target].kind == "flow"
    return [] if on_flow or case.flow.columns[stage].kind != "flow" else [stage]


def enter(case: Case, column: str, because: str, *, event: EventName = "item_moved", **changed: Any) -> None:
    """Put the item into a column."""
    item = case.item
    context = {"from": item.column, "to": column, "why": because, **changed.pop("context", {})}
    fields: dict[str, Any] = {"column": column, "because": because, "goes_to": None}
    if column != item.column:
        fields |= {"effort": Effort(), "told": None, "wake_at": 0.0, "advisor": None}
        fields["join"] = None  # what its children were to it, they were in the column it leaves
        if item.tags:
            fields |= _untagged(case)
        if item.outputs:
            fields |= without_parts(item)
    fields |= changed
    if item.asked or "asked" in changed:
        fields["asked"] = _still_asked(column, fields.get("origins", item.origins), changed.get("asked", item.asked))
    if column != item.column and item.made and "made" not in changed:
        fields |= abandon(case, f"item {item.id} went to {column}")
    if item.proving is not None and "proving" not in changed:
        # Whoever mends what a gate has found comes back to that gate; any other way leads past it.
        gate = item.proving.column
        if gate != column and gate not in fields.get("origins", item.origins):
            fields["proving"] = None
    if fields.get("proving", item.proving) is None:  # what comes back to a gate is looked at by nobody but the gate
        fields = shown_in(case.flow, item, column) | fields
    if column == END and item.head is not None and not fields.get("disputes", item.disputes):
        # Done but for its work, which must come onto the branch it is for.
        fields["proving"] = _landing(case, END)
        fields["origins"] = []
    fields = at_rest(case, **fields)
    if column == END and fields["status"] == "ready" and not fields.get("disputes", item.disputes):
        fields |= {"status": "done", "evidence": _evidence(item), "origins": []}
    case.emit(event, context, item=fields)


def _still_asked(column: str, origins: list[str], asked: dict[str, str]) -> dict[str, str]:
    return {place: words for place, words in asked.items() if place == column or place in origins}


def _landing(case: Case, column: str) -> Proving:
    run = case.run
    return Proving(column=column, left=[LANDING], agent=run.agent if run else "", run=run.id if run else "")


def without_parts(item: Item) -> dict[str, Any]:
    """What changes on an item whose parts begin anew: their verdicts were about another time."""
    if all(output.kind != "part" for output in item.outputs.values()):
        return {}
    return {"outputs": {child: output for child, output in item.outputs.items() if output.kind != "part"}}


def _evidence(item: Item) -> str:
    """Gates are evidence if the last word of each was green; a person may have accepted what was red (R-22)."""
    last = {(proof.column, proof.gate): proof.green for proof in item.proofs}
    return "gates" if last and all(last.values()) else "none"


def _untagged(case: Case) -> dict[str, Any]:
    """The tag by which somebody acted on the item goes when it moves on, so that it does not call them again."""
    item = case.item
    acting = case.flow.acting(item.column, item.tags) if item.tags and item.column in case.flow.columns else None
    if acting is None or acting.name == item.column:
        return {}
    return {"tags": [tag for tag in item.tags if tag not in acting.tags]}


def abandon(case: Case, why: str) -> dict[str, Any]:
    """What changes on an item that waits no longer for the children the rules made for it; they are cancelled."""
    item = case.item
    case.tell(MADE, CancelItem(why=why))
    gone = {*item.made, *(task.id for task in case.situation.tasks if task.kind != "item")}
    return {"join": None, "made": {}, "waits_for": [need for need in item.waits_for if need not in gone]}


def leaves_children(case: Case, column: str) -> bool:
    """Would the item go where it does not wait for what the rules made for it? Tasks run on while it is looked at."""
    unfinished = [task for task in case.situation.tasks if task.kind != "item" and task.status not in ENDED]
    return bool(case.item.made) or any(task.home != column for task in unfinished)


def at_limit(case: Case) -> bool:
    """Six means six, where the flow sets it (R-11)."""
    most = case.flow.limits.attempts
    return most is not None and case.item.span.attempts >= most


def again(case: Case, name: EventName, context: dict[str, Any], **changed: Any) -> None:
    """The item stays in its column and may be claimed again."""
    case.emit(name, context, item=at_rest(case, **changed))


def finish(case: Case, *, proven: bool = False) -> None:
    """The work of the item's column is done: its gate first, then back to whoever asked for it, or forward."""
    column, origins = order.worked_for(case.flow, case.item)
    place = case.flow.columns[column]
    if order.ends_here(case.flow, case.item) and (spoken := goes_on_for(case, "done")):
        # Said while a gate was at work, or parts were: nobody would be told any more.
        again(case, "item_ready", {"why": because_of(spoken)}, because=because_of(spoken), proving=None)
        return
    if stands_alone(case):
        unbind(case)
    if case.item.kind in ONE_SHOT_KINDS or (case.item.kind == "task" and column == case.item.home):
        end_child(case, f"{case.item.agent or column} is done")
    elif case.item.proving is not None and case.item.proving.column in origins:
        # A red gate sent it here: what was mended is proved before anything else, whatever kind of column this is.
        gate, left = case.item.proving.column, case.item.proving.left
        healed = {"phase": column, "healed": left, "rounds": case.item.span.reds.get(gate, 0)}
        enter(case, gate, f"{column} has mended it", context=healed, origins=origins[: origins.index(gate)])
    elif place.gate and place.kind == "flow" and not proven:
        _call_gate(case, place)
    elif case.item.returns_to and case.item.returns_to != column and (place.kind == "flow" or not origins):
        back, because = case.item.returns_to, f"{column} has made the changes it asked for"
        enter(case, back, because, origins=[], returns_to=None)
    elif place.kind != "flow" and origins:
        _keep_answer(case)
        enter(case, origins[-1], f"{column} has answered", origins=origins[:-1])
    elif place.kind != "flow" or place.next is None:
        words = f"The work in {column} is done. Where should the item go?"
        ask(case, "decision", words, *stages(case), context=said_last(case))
    elif not _called(case, column):
        go_forward(case, place)


def _keep_answer(case: Case) -> None:
    """What was asked and answered off the flow stays with the item: a report is in the next brief, and then gone."""
    said = case.run.report if case.run else None
    words = said.summary.strip() if said else ""
    if said and case.run and words and words not in [remark.content.strip() for remark in said.comments]:
        asked = case.item.asked.get(case.item.column, case.item.because)
        note(case, case.run.agent, f"In answer to “{asked}”: {words}", f"{case.item.column} has answered")


def note(case: Case, author: str, content: str, why: str) -> None:
    """A comment that the rules make of what was said or has happened, for all who come after."""
    row = {"item": case.item.id, "author": author, "content": content, "at": case.situation.at}
    fields = {"comment_count": case.item.comment_count + 1}
    case.emit("comment_added", {"why": why}, item=fields, comments=(case.new_comment_id(), row))


def _called(case: Case, column: str) -> bool:
    """Does a dispute that has waited keep the item from going forward? Its side speaks now, unless the way leads there
    by itself (R-12)."""
    if not case.item.disputes:
        return False
    stages = case.flow.stages()
    ahead = stages[stages.index(column) :] if column in stages else []
    waiting = [d for d in case.item.disputes if d.waits and d.side(d.turn).stage not in ahead]
    waiting = [d for d in waiting if d.side(d.turn).column in case.flow.columns]
    if not waiting:
        return False
    dispute = waiting[-1]
    words = f"{dispute.thread} has waited: {dispute.side(dispute.turn).agent} is to answer"
    call(case, dispute, words, [d for d in case.item.disputes if d is not dispute])
    return True


def call(case: Case, dispute: Dispute, because: str, others: list[Dispute]) -> None:
    """To the side that must speak: where it works, or into the dispute's own column, where it comes to speak."""
    side, disputes = dispute.side(dispute.turn), [*others, replace(dispute, waits=False)]
    if dispute.column and dispute.column in case.flow.columns:
        enter(case, dispute.column, because, origins=[*side.origins, side.column], disputes=disputes)
    else:
        enter(case, side.column, because, origins=side.origins, disputes=disputes)


def go_forward(case: Case, place: Column) -> None:
    """Only this is forward: the next agent starts at the bottom of its ladder (R-05, K-18)."""
    item, column = case.item, place.name
    assert place.next is not None
    checks = case.flow.checks(column)
    reds = item.span.reds.get(column, 0)
    rounds = item.span.rounds.get(column, 0) or (reds + 1 if reds else 0)  # verdicts, or looks of its gates
    told = {"phase": column, "tests": item.tests, "rounds": rounds}
    enter(
        case,
        place.next,
        f"{column} is done",
        event="phase_completed" if place.agents else "item_moved",
        context={name: value for name, value in told.items() if value} if place.agents else {},
        origins=[],
        failures={},
        forwards=item.forwards + 1,
        made_by=item.made_by if checks or not case.flow.writes(column) else column,  # readers make no work
        returns_to=None,
        escalation_reason=None,
    )


def _call_gate(case: Case, place: Column) -> None:
    """Done is a claim until it is shown (R-22): the gates of the column come first."""
    run = case.run
    proving = Proving(
        column=case.item.column,
        left=list(place.gate),
        agent=run.agent if run else "",
        run=run.id if run else "",
        model=run.model if run else None,
    )
    fields = at_rest(case, proving=proving, join=None, because=f"{place.name} says that it is done")
    case.emit("gate_called", {"gates": place.gate, "column": place.name}, item=fields)


def end_child(case: Case, because: str) -> None:
    """A child ends where it is, with success; what it said goes to its parent, after the work that is still its own."""
    item = case.item
    if item.head is not None:
        fields = at_rest(case, proving=_landing(case, item.column), because=because, disputes=[], flag=None)
        case.emit("landing_called", {"why": because}, item=fields)
        return
    result = item.result or Output(agent=item.agent or "", kind=item.kind, outcome="done", title=item.title)
    case.set(
        "item_done",
        {"why": because, "outcome": result.outcome},
        status="done",
        run=None,
        because=because,
        result=result,
        disputes=[],
        flag=None,
    )


def stands_alone(case: Case) -> bool:
    """Has a dispatched item work, and no branch for it: no item sent for it, or the one that did has ended?"""
    return case.item.kind == "dispatch" and case.item.head is not None and case.situation.parent is None


def judges_alone(case: Case, said: Report) -> bool:
    """Does a dispatched item ask for changes, where no item has sent for it that could act on the verdict?"""
    alone = case.item.kind == "dispatch" and case.situation.parent is None and case.flow.checks(stage_of(case))
    return alone and said.outcome == "changes_requested"


def unbind(case: Case) -> None:
    """Nothing reaches the target branch past the flow's stages and gates (R-19): from its column on it goes their way.
    Where a person chose the column its way begins there; a run's choice of a column spares it no gate."""
    item = case.item
    why = f"item {item.asker}, which sent for it, has ended" if item.asker else "no item sent for it"
    entry = item.column if item.asker is None and item.column != case.flow.start else None
    fields = {"kind": "item", "parent": None, "agent": None, "home": None, "result": None, "entry": entry}
    case.set("item_unbound", {"why": why}, **fields, proving=None, landing=None)


def leave_flow(case: Case, target: str, because: str, reason: str | None = None) -> None:
    """Go to an escalation, specialist, backflow or human column, or ask if the item has done so too often (R-09)."""
    item = case.item
    if item.kind in ONE_SHOT_KINDS:
        ask(case, "decision", because, AGAIN)  # it never moves: its parent goes on with what there is
        return
    stage = item.origins[0] if item.origins else item.column
    moves = item.span.off_moves.get(stage, 0)
    if target == item.column or moves >= OFF_MOVES_MAX or len(item.origins) >= OFF_DEPTH_MAX:
        deep = f"it is {len(item.origins)} columns off the flow already"
        often = f"it left {stage} {moves} times already"
        why = "it is there already" if target == item.column else often if moves >= OFF_MOVES_MAX else deep
        there = [Way(f"let it go to {target}", "move", target)] if target != item.column else []
        words = f"{because}. The next step would be {target}, but {why}."
        ask(case, "decision", words, *there, Way(f"try again in {item.column}", "again"), context=history(case))
        return
    span = replace(
        item.span,
        off_moves={**item.span.off_moves, stage: moves + 1},
        off_columns=[*item.span.off_columns, target],
    )
    tags = {"tags": [*(t for t in item.tags if t != reason), reason]} if reason and _by_tag(case, target) else {}
    enter(
        case,
        target,
        because,
        event="escalation_triggered",
        origins=[*item.origins, item.column],
        asked={**item.asked, target: because},
        span=span,
        escalation_reason=reason or item.escalation_reason,
        **tags,
    )


def _by_tag(case: Case, target: str) -> bool:
    """In a column that nobody watches the tag says why the item is there, and so who acts (K-13)."""
    place = case.flow.columns[target]
    return not place.agents and not place.human


def stages(case: Case) -> list[Way]:
    """Every watched stage of the flow, as ways to answer where an item should go; there is always one."""
    flow = case.flow
    watched = [name for name in flow.stages() if name in flow.columns and flow.watcher(name)]
    return [Way(name, "move", name) for name in watched or [flow.start]]


def said_last(case: Case) -> str:
    """What the run said whose report is being judged, for a person who is asked about it."""
    return said_told(case.run.report, summary=True) if case.run and case.run.report else ""


def history(case: Case) -> str:
    """The last attempts in words, so that whoever is asked need not look up what was tried and how it ended."""
    told = [attempt for attempt in case.attempts if attempt.item == case.item.id]
    left, told = len(told) - HISTORY_TOLD, told[-HISTORY_TOLD:]
    lines = [f"{left} earlier attempts stand with item {case.item.id}"] if left > 0 else []
    for (agent, words), same in groupby(told, lambda a: (a.agent, _tried(a))):
        alike = list(same)
        models = ", ".join(dict.fromkeys(a.model for a in alike if a.model))
        numbers = f"{alike[0].number}–{alike[-1].number}" if len(alike) > 1 else f"{alike[0].number}"
        times = f"{len(alike)} × " if len(alike) > 1 else ""
        lines.append(f"{numbers}. {agent}{f' ({models})' if models else ''}: {times}{words}")
    return "\n".join(lines)


def last_reason(case: Case) -> str:
    """Why the run failed whose report is being judged, in one line; empty where nobody said it."""
    report = case.run.report if case.run else None
    return cause_line(report.summary or report.blockers or "") if report is not None else ""


def _tried(attempt: Attempt) -> str:
    return ": ".join(words for words in (attempt.approach, attempt.reason or attempt.outcome or "failed") if words)
