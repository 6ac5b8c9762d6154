"""A person's answer, and what it begins again: guidance resets this item's counters and only its own (R-16 to R-18)."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import AnswerQuestion, PassDeadline
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS, EventName
from folkmoot.core.flow import END
from folkmoot.core.item import Dispute, Effort, Guidance, GuidanceCounters
from folkmoot.core.records import Option, Question
from folkmoot.core.rules.asking.choosing import Chosen, check_words, choose
from folkmoot.core.rules.breaker import decided_by, leave_undecided
from folkmoot.core.rules.children.help import ask_named
from folkmoot.core.rules.children.parts import waived
from folkmoot.core.rules.children.reopening import sent_to_fix
from folkmoot.core.rules.children.tasks import carry_out
from folkmoot.core.rules.claims import revoke
from folkmoot.core.rules.dependencies import drop_dependency
from folkmoot.core.rules.disputes import close
from folkmoot.core.rules.judging.required import begins_at, not_green, unproved, waive
from folkmoot.core.rules.movement import (
    abandon,
    again,
    at_rest,
    enter,
    finish,
    leaves_children,
    note,
    origins_for,
)
from folkmoot.core.rules.questions import asking_status, withdraw
from folkmoot.core.rules.running.hearing import say_answer
from folkmoot.core.rules.running.looking import shown
from folkmoot.core.rules.running.pauses import go_on
from folkmoot.core.rules.running.proposing import take_in
from folkmoot.core.rules.sharing.findings import remarks, to_change
from folkmoot.core.rules.sharing.mirrored import take_over
from folkmoot.core.situation import Case
from folkmoot.errors import Invalid, Refused, unknown_column

GUIDANCE_KEPT = 20
CONTEXT_KEPT = 2_000  # characters
# What says by itself where the item goes, or that it goes nowhere.
SAYS_WHERE = frozenset({"park", "cancel", "finish", "split", "delegate"})


def answer(case: Case, command: AnswerQuestion) -> None:
    question = case.questions[command.question]
    check_words(question, command.answer)
    if question.state == "answered":
        words = "{question} was answered by {by}: {answer}"
        hint = "look at the item with: <show item>; what you would add or correct, tell its agent: <say item text>"
        told = (question.id, question.answered_by, question.answer)
        raise Refused("already_answered", words, hint, *told, item=question.item)
    if question.state != "open" or case.item.status in ENDED:
        _late(case, question, command)
        return
    said = _heard(question, command)
    _check_verdict(case, question, said, command.to)
    option = said.option
    effect = option.effect if option else None
    if effect == "park":
        _park(case, question, said)
        return
    target = _target(case, question, command, option)
    origins = _origins(case, question, target)
    _record(case, question, said, target, command.to)
    # Who gives the item up has decided for neither side: what was disputed stays as it was said.
    decided = _settle_dispute(case, question, effect) if effect != "cancel" else None
    reset_counters(case, "divine_clarification_received")
    if effect == "cancel":
        give_up(case, said.text)
        return
    if effect == "go":
        go_on(case, question.id)
    if effect == "waive" and question.part:
        case.set("item_rests", {"waived": question.part}, outputs=waived(case.item.outputs, question.part))
    if effect == "whole":
        case.set("item_rests", {"why": said.text}, span=replace(case.item.span, whole=True))
    if question.dependency:
        drop_dependency(case, question.dependency)
    if effect == "join":
        take_in(case)
    if effect == "take" and question.wanted is not None:
        take_over(case, question.wanted, question.id)
    if question.paths:
        _give_paths(case, question, effect == "give")
    waits = case.item.status == "running" or asking_status(case.questions.values())
    if effect == "finish" and not waits:
        _finish(case, said.text)
    elif effect == "split" and question.split is not None and case.item.status != "running":
        case.emit("agent_resumes_with_guidance", {"why": said.text}, item=at_rest(case, goes_to=None))
        carry_out(case, question.split, allowed=True)
    elif effect == "delegate" and question.split is not None and option is not None and not waits:
        case.emit("agent_resumes_with_guidance", {"why": said.text}, item=at_rest(case, goes_to=None))
        ask_named(case, question.split, option.option)
    else:
        fixes: dict[str, Any] = {}
        if effect == "fix" and option and option.to and not waits:
            target, fixes = sent_to_fix(case, target, said.text)
        _resume(case, target, origins, decided or "a person has answered", **fixes)


def _heard(question: Question, command: AnswerQuestion) -> Chosen:
    """What the answer means. A column decides too; but what is asked about files or a dependency it cannot decide."""
    decided = question.wanted is not None and not question.wanted.is_empty
    free = command.to is not None and not (question.dependency or question.paths or decided)
    said = choose(question, command.answer, command.more, text=command.text, free=free)
    if command.to is not None and said.option is not None and said.option.effect in SAYS_WHERE:
        words = "{option!r} and the column {to} say two things about where the item goes"
        raise Invalid("two_answers", words, "leave one of them out", said.option.option, command.to)
    return said


def _check_verdict(case: Case, question: Question, said: Chosen, to: str | None) -> None:
    """Who is right is guessed neither from words nor from the column of one side: they may say two things (R-12)."""
    if said.option is not None or question.kind != "dispute" or decided_by(_dispute(case, question), to) is None:
        return
    words = "the column {to} does not say who is right. Options of {question}: {options}"
    hint = (
        "say it: <answer question answer=1 to> or <answer question answer=2 to>, with your words behind the number; "
        "for neither side: <move item column=to why>"
    )
    options = [f"{number} {option.option}" for number, option in enumerate(question.options[:2], 1)]
    raise Invalid("choose_option", words, hint, to, question.id, options, item=case.item.id)


def _park(case: Case, question: Question, said: Chosen) -> None:
    """Not now: nobody works on the item, and its question stays open (R-03). It is no guidance, and resets nothing;
    words beside it are for whoever takes the item up again, so they stay as a comment."""
    if case.item.status == "running":
        words = "an agent works on item {item}: it cannot be parked now"
        raise Refused("item_running", words, "wait for its report, or choose another option", case.item.id)
    context = {"question": question.id, "by": case.actor.name, "why": said.text}
    row = {"blocking": True, "deadline": None}
    case.emit("item_parked", context, item={"status": "parked"}, questions=(question.id, row))
    if said.option is not None and said.text != said.option.option:
        note(case, case.actor.name, f"Said to {question.id} ({question.question}): {said.text}", "it was parked")


def _finish(case: Case, why: str) -> None:
    """Whoever accepts what a gate has found red does not want to hear it from the gate again; and what was found in
    the work is a remark from here on: nothing must change for it."""
    proving = case.item.proving
    proven = proving is not None and proving.column == case.item.column
    accepted = {"findings": remarks(case.item.findings)} if to_change(case.item.findings) else {}
    case.emit("agent_resumes_with_guidance", {"why": why}, item=at_rest(case, **accepted))
    waive(case, not_green(case, proving.left) if proving and proven else [], why)
    finish(case, proven=proven)


def _give_paths(case: Case, question: Question, gives: bool) -> None:
    """What a run wanted for the item: its files from now on, or never asked for again."""
    name = "files" if gives else "denied"
    changed = {name: list(dict.fromkeys([*getattr(case.item, name), *question.paths]))}
    if gives and case.item.widened:
        changed["widened"] = [path for path in case.item.widened if path not in question.paths]
    case.set("item_edited", {"fields": [name], "question": question.id}, **changed)


def give_up(case: Case, why: str) -> None:
    """Cancel the item: its run, its questions and its disputes end with it."""
    revoke(case, why)
    withdraw(case, why)
    case.set("item_cancelled", {"why": why}, status="cancelled", run=None, because=why, disputes=[], flag=None)


def _target(case: Case, question: Question, command: AnswerQuestion, option: Option | None) -> str | None:
    target = command.to or (option.to if option else None)
    if target and target not in case.flow.columns:
        raise unknown_column(target, case.flow.columns)
    if target and case.item.kind in ONE_SHOT_KINDS:
        words = "item {item} is of kind {kind}: it never moves"
        raise Refused("bound", words, "answer without <.to>", case.item.id, case.item.kind)
    if target and case.item.status == "running":
        words = "an agent works on the item: an answer cannot move it"
        raise Refused("item_running", words, "answer without <.to>, or use: <move item column>", item=case.item.id)
    if target is None and question.kind == "dispute":
        dispute = _dispute(case, question)
        target = dispute.maker.column if dispute else None
    if question.kind == "dispute" and option and option.effect == "dismiss" and not command.to:
        # Where another dispute was upheld by an earlier answer, its maker has something to change.
        return case.item.goes_to or target
    return target


def _record(case: Case, question: Question, said: Chosen, target: str | None, to: str | None) -> None:
    by, text = case.actor.name, said.text
    chosen = said.option.option if said.option else None
    told = {"question": question.id, "answer": text, "by": by, "option": chosen, "to": to}
    remaining = [q for q in case.item.open_questions if q != question.id]
    row = {"state": "answered", "answer": text, "answered_by": by, "answered_at": case.situation.at}
    case.emit(
        "divine_response_received",
        {name: words for name, words in told.items() if words is not None},
        item={"open_questions": remaining},
        questions=(question.id, row),
    )
    guidance = [*case.item.guidance, _guidance(question, text, by)][-GUIDANCE_KEPT:]
    case.set(
        "divine_clarification_received",
        {"question": question.id},
        guidance=guidance,
        clarifications=case.item.clarifications + 1,
        goes_to=target or case.item.goes_to,
    )
    say_answer(case, question, text)


def _guidance(question: Question, text: str, by: str) -> Guidance:
    """The answer with what its agent has asked: a fresh run goes on with it, and knows no more than this."""
    if question.decides:
        return Guidance(question.question, text, by)
    options = [_told(option) for option in question.options]
    # Where the rules offer ways of theirs, what would help is theirs as well, and was for the person.
    help = "" if any(option.effect for option in question.options) else question.help or ""
    return Guidance(question.question, text, by, options, question.context[:CONTEXT_KEPT], help[:CONTEXT_KEPT])


def _told(option: Option) -> str:
    return f"{option.option}: {option.why_insufficient}" if option.why_insufficient else option.option


def _dispute(case: Case, question: Question) -> Dispute | None:
    """The open dispute that the question is about."""
    return next((d for d in case.item.disputes if d.thread == question.thread), None)


def _settle_dispute(case: Case, question: Question, effect: str | None) -> str | None:
    """End the thread the question was about; says for whom the person decided, if it was a dispute. Words of a
    person's own decide for neither side."""
    if question.thread is None:
        return None
    dispute = _dispute(case, question)
    way = {"dismiss": "rejected", "uphold": "accepted"}.get(effect or "")
    if way is None:
        leave_undecided(case, question.thread)
        return f"a person sent it here, and decided for neither side in {question.thread}" if dispute else None
    close(case, question.thread, way)
    if dispute is None:
        return None
    right = dispute.maker if way == "rejected" else dispute.disputer
    return f"a person decided for {right.agent} in {question.thread}"


def reset_counters(case: Case, reason: str) -> None:
    """Start afresh with guidance: every counter of this item but the record of who was tried. The rounds that were
    given are told: whoever answers an agent may not have meant to allow as many again."""
    rounds = dict(case.item.span.rounds)
    case.set(
        "escalation_counters_reset",
        {"reason": reason, **({"rounds": rounds} if rounds else {})},
        span=GuidanceCounters(experts_tried=case.item.span.experts_tried),
        failures={},
        effort=Effort(),
        told=None,
        wake_at=0.0,
        last_attempt_type=None,
        last_attempt_outcome="divine_guidance_received",
        advisor=None,
        **({"contract_changes": {}} if case.item.contract_changes else {}),
    )


def _origins(case: Case, question: Question, target: str | None) -> list[str] | None:
    """The way back of the side a person decided for, if the question is about a dispute."""
    dispute = _dispute(case, question)
    sides = [dispute.maker, dispute.disputer] if dispute else []
    sides += [d.side(d.turn) for d in case.item.disputes if d.waits]
    return next((side.origins for side in sides if side.column == target), None)


def _resume(case: Case, target: str | None, origins: list[str] | None, because: str, **changed: Any) -> None:
    item = case.item
    if item.status == "running" or asking_status(case.questions.values()):
        return
    target = target or item.goes_to
    if target is None and case.flow.columns[item.column].kind == "dispute" and not item.disputes and item.origins:
        # Whoever asked has ended the last dispute here, and goes on in its own column.
        target, origins = item.origins[-1], item.origins[:-1]
    elif target is None or target == item.column:
        target, origins = _where_it_came_from(case)
    elif origins is None:
        origins = origins_for(case, target)
    if target != item.column and leaves_children(case, target):
        changed |= abandon(case, because)
    if target == item.goes_to:
        changed |= begins_at(case, target)
        if target == END:
            waive(case, unproved(case.flow, item, item.asker is None), because)
            changed |= shown(item)
    enter(case, target, because, event="agent_resumes_with_guidance", origins=origins, **changed)


def _where_it_came_from(case: Case) -> tuple[str, list[str]]:
    """Back to the agent that asked; out of a human column to the one before it, or on if it is a stage of the flow."""
    item, column = case.item, case.flow.columns[case.item.column]
    if not column.human:
        return item.column, item.origins
    if item.origins:
        return item.origins[-1], item.origins[:-1]
    return column.next or case.flow.start, []


def _late(case: Case, question: Question, command: AnswerQuestion) -> None:
    """An answer that comes when nobody waits for it any more is kept as a comment, in full: who reads it does not see
    the options, so a number would say nothing."""
    by = case.actor.name
    text = choose(question, command.answer, command.more, text=command.text, free=True).text
    comment: dict[str, Any] = {"item": case.item.id, "author": by, "at": case.situation.at}
    comment["content"] = f"A late answer to {question.id} ({question.question}): {text}"
    fields: dict[str, Any] = {"comment_count": case.item.comment_count + 1}
    name = case.new_comment_id()
    rows: dict[str, Any] = {"comments": (name, comment)}
    if question.state == "open":
        fields["open_questions"] = [q for q in case.item.open_questions if q != question.id]
        answered = {"state": "answered", "answer": text, "answered_by": by, "answered_at": case.situation.at}
        rows["questions"] = (question.id, answered)
    case.emit("comment_added", {"comment": name, "question": question.id}, item=fields, **rows)


def pass_deadline(case: Case, command: PassDeadline) -> None:
    """A default that fires is no guidance and resets nothing; without one the item is parked, its question open."""
    question = case.questions[command.question]
    case.count_from(case.now if question.deadline is None else question.deadline)
    if question.default is None:
        parks = question.blocking and case.item.status != "running"
        name: EventName = "item_parked" if parks else "deadline_passed"
        parked = {"status": "parked"} if parks else {}
        case.emit(name, {"question": question.id}, item=parked, questions=(question.id, {"deadline": None}))
        return
    row = {"state": "defaulted", "answer": question.default, "answered_at": max(question.at, case.at)}
    remaining = [q for q in case.item.open_questions if q != question.id]
    said = _guidance(question, question.default, "the default")
    fields = {"open_questions": remaining, "guidance": [*case.item.guidance, said][-GUIDANCE_KEPT:]}
    case.emit(
        "default_taken",
        {"question": question.id, "answer": question.default},
        item=fields,
        questions=(question.id, row),
    )
    if case.item.status not in ENDED and case.item.status != "running":
        again(case, "item_resumed", {"question": question.id})
