"""Asking a person. A question holds its own item and what waits for it, and nothing else (R-16, R-17)."""

from collections.abc import Iterable
from typing import Any, assert_never

from msgspec.structs import replace

from folkmoot.core.enums import ENGINE_NAME, ONE_SHOT_KINDS, QuestionKind, Status
from folkmoot.core.item import Output
from folkmoot.core.records import Option, Question, Wanted
from folkmoot.core.report import Report
from folkmoot.core.rules.asking.choosing import fitting
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import CANCEL, PARK, Way

# An item's third question since guidance blocks and has no default: two were for the agent's convenience.
FREE_QUESTIONS = 2
ENDS = ("cancel", "wait")  # a way that gives the item up, or lets time decide


def asking_status(questions: Iterable[Question]) -> Status | None:
    """The status that open questions give an item, or None if none of them blocks."""
    asked = {_status(question.kind) for question in questions if question.blocking and question.state == "open"}
    return max(asked, default=None)  # a review goes before guidance


def _status(kind: QuestionKind) -> Status:
    match kind:
        case "dispute":
            return "needs-human-review"
        case "clarification" | "decision" | "budget" | "conflict":
            return "awaiting-divine-guidance"
        case _:
            assert_never(kind)


def ask(
    case: Case,
    kind: QuestionKind,
    question: str,
    first: Way,
    *more: Way,
    context: str = "",
    help: str | None = None,
    blocking: bool = True,
    thread: str | None = None,
    dependency: str | None = None,
    flag: str | None = None,
    because: str | None = None,
    part: str | None = None,
    paths: Iterable[str] = (),
    split: Report | None = None,
    wanted: Wanted | None = None,
) -> None:
    """A question of the rules: one of its ways is the answer, the first is what most people would choose.

    There is none without a way to answer it, and no default: where time runs out the item can only be parked (R-18).
    A question that holds its item can be put off, or the item given up, unless its own ways say how that is done.
    """
    if _gives_way(case, question, part):
        return
    blocking = blocking or case.item.span.questions >= FREE_QUESTIONS
    ways = [first, *more]
    if blocking and not any(way.effect in ENDS for way in ways):
        ways += [end for end in (PARK, CANCEL) if all(way.effect != end.effect for way in ways)]
    if help is None and kind == "decision" and case.run is not None and case.run.sandboxed is not None:
        help = f"The output of run {case.run.id} shows what the last run printed"
    asked = Question(
        id=case.new_question_id(),
        item=case.item.id,
        kind=kind,
        question=question,
        agent=ENGINE_NAME,
        run=case.run.id if case.run else None,
        context=context,
        help=help,
        options=[way.option for way in ways],
        blocking=blocking,
        deadline=_deadline(case),
        thread=thread,
        dependency=dependency,
        part=part,
        paths=list(paths),
        split=split,
        wanted=wanted,
        takes="option",
        at=case.situation.at,
    )
    _open(case, asked, {}, {"flag": flag} if flag else {}, {"because": because} if because else {})


def clarify(
    case: Case,
    question: str,
    *,
    context: str = "",
    options: Iterable[Option] = (),
    help: str | None = None,
    blocking: bool = True,
    default: str | None = None,
    part: str | None = None,
    counted: dict[str, Any] | None = None,
) -> None:
    """An agent's own question: any words are an answer. Its default is one of its options, or becomes one (R-18)."""
    if _gives_way(case, question, part):
        return
    known = list(options)
    if case.item.span.questions >= FREE_QUESTIONS:
        blocking, default = True, None
    if default is not None:
        meant = fitting(known, default)
        known += [] if meant else [Option(option=default)]
        default = meant.option if meant else default
    asked = Question(
        id=case.new_question_id(),
        item=case.item.id,
        kind="clarification",
        question=question,
        agent=part or (case.run.agent if case.run else ENGINE_NAME),  # a part asks through its item
        run=case.run.id if case.run else None,
        context=context,
        help=help,
        options=known,
        blocking=blocking,
        default=default,
        deadline=_deadline(case),
        part=part,
        takes="words",
        at=case.situation.at,
    )
    _open(case, asked, counted or {})


def _gives_way(case: Case, question: str, part: str | None) -> bool:
    """A child that may not ask ends instead; only what was dispatched, and has no parent, is asked about itself. So is
    what nobody hears of any more, since the item whose run sent for it has ended."""
    item = case.item
    if item.kind not in ONE_SHOT_KINDS or (part and item.parent is None):
        return False
    if item.kind == "dispatch" and item.dispatched_by and case.situation.parent is None:
        return False
    give_way(case, question)
    return True


def _deadline(case: Case) -> float | None:
    seconds = case.flow.questions.deadline
    return case.now + seconds if seconds is not None else None


def _open(case: Case, asked: Question, rows: dict[str, Any], *changed: dict[str, Any]) -> None:
    status = asking_status([*case.questions.values(), asked])
    fields: dict[str, Any] = {
        "open_questions": [*case.item.open_questions, asked.id],
        "span": replace(case.item.span, questions=case.item.span.questions + 1),
    }
    if status and case.item.status != "running":
        fields["status"] = status
    for more in changed:
        fields |= more
    row = {name: getattr(asked, name) for name in asked.__struct_fields__ if name != "id"}
    context = {"question": asked.id, "kind": asked.kind, "text": asked.question, "blocking": asked.blocking}
    case.emit("agent_seeks_guidance", context, item=fields, questions=(asked.id, row), **rows)


def give_way(case: Case, why: str) -> None:
    """A child that may not ask a person ends instead, and its parent goes on with what there is (R-08)."""
    item = case.item
    result = item.result or Output(agent=item.agent or "", kind=item.kind, outcome="failed", title=item.title)
    case.set(
        "item_failed",
        {"why": why, "outcome": "failed"},
        status="failed",
        run=None,
        because=why,
        result=replace(result, outcome="failed", summary=result.summary or why),
        disputes=[],
        flag=None,
    )


def withdraw(case: Case, why: str, dependency: str | None = None, question: str | None = None) -> None:
    """Close open questions without an answer: all, or only those about a dependency, or this one."""
    wanted = [q for q in case.questions.values() if dependency is None or q.dependency == dependency]
    wanted = [q for q in wanted if question in (None, q.id)]
    for asked in [q for q in wanted if q.state == "open"]:
        case.emit(
            "question_withdrawn",
            {"question": asked.id, "why": why},
            item={"open_questions": [q for q in case.item.open_questions if q != asked.id]},
            questions=(asked.id, {"state": "withdrawn", "answered_at": case.situation.at}),
        )
