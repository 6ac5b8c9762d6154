"""A report comes in. However the agent spoke, its outcome is one of nine; each leads to one rule."""

from typing import Any, assert_never

from msgspec.structs import replace

from folkmoot.core.commands import OfferReport, RaiseQuestion, ReportRun
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS
from folkmoot.core.item import Artifact
from folkmoot.core.records import Comment, Option
from folkmoot.core.report import AskedQuestion, Files, Remark, Report
from folkmoot.core.rules.asking.telling import left_told, question_told
from folkmoot.core.rules.breaker import thread_of, turn_of
from folkmoot.core.rules.children.agreeing import contracts_agreed
from folkmoot.core.rules.children.contracts import goes_again
from folkmoot.core.rules.children.help import UNSUCCESSFUL, delegates, is_unsuccessful, seek_help
from folkmoot.core.rules.children.outputs import kept, lost_files, output_of, with_tried
from folkmoot.core.rules.children.parts import disputing, merge, unspoken
from folkmoot.core.rules.children.reopening import are_taken_back, disputes_task, rebuilds_tasks
from folkmoot.core.rules.children.tasks import split
from folkmoot.core.rules.claims import end_run, fence, renew
from folkmoot.core.rules.disputes import answered_by, disputed, gave_in, go_on, resolve, state
from folkmoot.core.rules.failures import (
    MANDATORY,
    bad_form,
    failed,
    incomplete,
    keep_told,
    note_attempts,
    record_attempts,
    stuck,
    tried_before,
)
from folkmoot.core.rules.judging.against.contradictions import settled
from folkmoot.core.rules.judging.carrying import may_say
from folkmoot.core.rules.judging.form import fault_of, not_kept, refuse, row_of, said_before, with_kept
from folkmoot.core.rules.judging.gates import gate_reported
from folkmoot.core.rules.judging.sent import with_unheard
from folkmoot.core.rules.judging.understanding import understood
from folkmoot.core.rules.judging.verdicts import approved, as_shown, changes_requested, danger, heed_danger, objection
from folkmoot.core.rules.messages.carrying import told_by_report
from folkmoot.core.rules.messages.enclosed import send_enclosed, without_unsent
from folkmoot.core.rules.messages.life import end_loose, reject_disputed
from folkmoot.core.rules.messages.writing import tell_orchestrator
from folkmoot.core.rules.movement import again, at_limit, end_child, judges_alone, stage_of, stands_alone, unbind
from folkmoot.core.rules.questions import ask, clarify, give_way
from folkmoot.core.rules.running.budgets import waits_no_more
from folkmoot.core.rules.running.hearing import because_of, goes_on_for
from folkmoot.core.rules.running.rights import may_write
from folkmoot.core.rules.running.work import (
    Judged,
    ask_about_secrets,
    hand_over,
    is_last_word,
    is_own_word,
    judge_work,
    keep,
    unchanged,
)
from folkmoot.core.rules.sharing.findings import kept_of, unheard
from folkmoot.core.rules.sharing.lessons import learn
from folkmoot.core.rules.sharing.makers import files_made
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import AGAIN
from folkmoot.core.vocabulary.words import is_security

TOUCHED_MAX = 2_000


def offer(case: Case, command: OfferReport) -> None:
    """The same look at the form as `report`, before the run's process has ended; it keeps the lease."""
    run = fence(case)
    said = understood(case, command.report)
    fault = command.fault or (None if run.gate else _fault(case, said))
    if fault is not None:
        refuse(case, said, fault)
    else:
        renew(case)


def report(case: Case, command: ReportRun) -> None:
    """End the run with its report, then let the outcome decide. Bad form is refused, or as last word `protocol`."""
    run = fence(case)
    if run.gate:
        gate_reported(case, command)
        return
    heard = told = understood(case, command.report)
    if command.final and command.fault is None:
        heard = without_unsent(case, settled(case, told))
    # Where somebody looked at the files they decide, and not what the agent lists.
    fault = command.fault or _fault(case, heard if command.work is None else replace(heard, files=Files()))
    if fault is not None and not command.final and command.fault is None:
        refuse(case, heard, fault)
        return
    said = as_shown(case, with_kept(case, without_unsent(case, heard)))
    if fault is None and goes_on_for(case, said.outcome):
        said = replace(said, outcome="incomplete")
    claimed = told.outcome if said.outcome != told.outcome else ""
    judged = Judged(said, fault, None, False)
    if command.work is not None:
        judged = judge_work(case, said, fault, command.work)
        if told_nothing := unchanged(case, judged):
            if run.cloned and not command.final:
                refuse(case, heard, told_nothing)  # no process of it has ended: it can still mend that
                return
            judged = replace(judged, fault=told_nothing, unchanged=True)
        said, fault = judged.report, judged.fault
    if fault is None:
        send_enclosed(case, said)
    _end(case, judged, claimed)
    if fault is None:
        tell_orchestrator(case, said)
        if case.messages:
            reject_disputed(case, said)
            end_loose(case, run, said.outcome)
        learn(case, said)
    comments = _comments(case, said, fault)
    if fault is None and case.item.kind != "part":
        resolve(case, said)
    disputes = fault is None and said.outcome == "disputed" and case.item.kind not in ONE_SHOT_KINDS
    if disputes and (judged.asks or danger(case, said)):
        state(case, comments, said.escalation_reason)  # the dispute is not lost: a person goes first
    _decide(case, judged, comments, claimed, command.silent)
    keep_told(case, said)


def _decide(case: Case, judged: Judged, comments: list[str], claimed: str, silent: str | None) -> None:
    said, fault = judged.report, judged.fault
    if judged.asks:
        ask_about_secrets(case, judged.asks)
        return
    if fault is None:
        _ask_beside(case, said)
        note_attempts(case, said)
    if fault is None and case.item.message and judges_alone(case, said):
        unbind(case)  # it was assigned: a person who is asked may have it fixed
    if heed_danger(case, said):
        return
    if fault is not None:
        bad_form(case, fault, said, silent, judged.unchanged)
    elif contracts_agreed(case, said):
        _apply(case, said, comments, claimed)


def _fault(case: Case, said: Report) -> str | None:
    """A `done` that the rules take for another verdict must be in good form as what it says it is."""
    shown = as_shown(case, said)
    return fault_of(case, said) or (fault_of(case, shown) if shown is not said else None)


def _comments(case: Case, said: Report, fault: str | None) -> list[str]:
    """What a report comments is kept in any case; what breaks the form resolves nothing."""
    if case.item.kind == "part":
        return []
    if fault is not None:
        return [_comment(case, remark) for remark in not_kept(case, said)]
    known = said_before(case, said.comments)
    return [_comment(case, remark, known=one) for remark, one in zip(said.comments, known, strict=True)]


def _apply(case: Case, said: Report, comments: list[str], claimed: str) -> None:
    if said.outcome == "incomplete" and (spoken := goes_on_for(case, claimed)):
        again(case, "item_ready", {"why": because_of(spoken)}, because=because_of(spoken))
        return
    if (stands_alone(case) and is_last_word(case.item, said.outcome)) or judges_alone(case, said):
        unbind(case)  # what must change is for whoever fixes, and then it is looked at again
    if case.item.kind in ONE_SHOT_KINDS and _ends_child(case, said):
        return
    match said.outcome:
        case "done" if goes_again(case, said):
            pass
        case "done" if are_taken_back(case, said):
            changes_requested(case, said)
        case "done" if rebuilds_tasks(case, said):
            pass
        case "done":
            approved(case)
        case "changes_requested":
            against = objection(case, said) if claimed == "done" else None
            changes_requested(case, said, against, whole=claimed != "incomplete")
        case "disputed" if disputes_task(case, comments):
            pass
        case "disputed":
            disputed(case, comments, said.escalation_reason)
        case "failed":
            failed(case, said, stated=is_own_word(case.run))
        case "stuck":
            stuck(case, said)
        case "asks":
            _asks(case, said)
        case "split":
            split(case, said)
        case "delegates" if said.cause in MANDATORY:
            failed(case, said)
        case "delegates":
            if not tried_before(case, said):
                delegates(case, said)
        case "incomplete" if (ended := gave_in(case)) and not (said.attempts or said.cause):
            go_on(case, ended)
        case "incomplete":
            incomplete(case, said)
        case _:
            assert_never(said.outcome)


def _ends_child(case: Case, said: Report) -> bool:
    """A child makes its one effort where it is: what it says is its parent's to act on."""
    if said.outcome in ("done", "changes_requested", "disputed"):
        end_child(case, f"{case.item.agent} has spoken")
        return True
    if said.outcome == "stuck":
        why = said.blockers or said.summary or "; ".join(said.next_steps) or "no words were given"
        ask(case, "decision", f"{case.item.agent} is stuck: {why}", AGAIN, context=left_told(said, why))
        return True
    if case.item.kind == "expert" and said.outcome == "failed" and is_unsuccessful(said):
        record_attempts(case, said, "capability")
        if case.item.status not in ENDED:
            give_way(case, f"{UNSUCCESSFUL}: {said.blockers or said.summary}")
        return True
    if said.outcome == "asks" and case.item.kind == "part" and said.question is not None and case.item.parent:
        asked = said.question
        _raise(case, said, asked)
        end_child(case, f"{case.item.agent} asks: {asked.question}")
        return True
    return False


def _raise(case: Case, said: Report, asked: AskedQuestion) -> None:
    """A part asks through its item."""
    raised = RaiseQuestion(
        kind="clarification",
        question=asked.question,
        part=case.item.agent or "",
        context=question_told(said, asked.context),
        help=asked.help,
        options=_options(asked),
    )
    case.tell(case.item.parent or "", raised)


def _options(asked: AskedQuestion) -> list[Option]:
    return [Option(option=o.option, why_insufficient=o.why_insufficient) for o in asked.options]


def merged(case: Case) -> None:
    """Every part has spoken: what they say together is the report of the column."""
    others = disputing(case)
    whole = all(output.claimed != "incomplete" for output in case.item.outputs.values())
    said, agent = merge(case)
    said = as_shown(case, with_unheard(case, said))
    approves = said.outcome == "done" and case.flow.checks(stage_of(case)) and bool(case.item.findings)
    if said.findings or approves:
        found = (
            unheard(said.findings, stage_of(case)) if said.outcome == "failed" else said.findings
        )  # its look goes on
        case.set("item_rests", {"findings": len(found)}, findings=found)
    match said.outcome:
        case "failed":
            seek_help(case, agent, f"{agent} failed in {case.item.column}: {said.summary}")
        case "disputed":
            # One of them speaks for all: what each of the others disputes must be answered as well.
            told = {agent: said.comments, **{who: words for who, words in others.items() if who != agent}}
            comments = [_comment(case, _fitting(case, one), who) for who, remarks in told.items() for one in remarks]
            disputed(case, comments, None, agent)
        case "changes_requested":
            changes_requested(case, said, whole=whole)
        case _:
            if not (_gave_in(case, agent, said) and unspoken(case)):
                approved(case)


def _fitting(case: Case, remark: Remark) -> Remark:
    """A part speaks beside the item: it answers a dispute in which it is this stage's turn, or opens one."""
    turn = {dispute.thread for dispute in turn_of(case)}
    parent = remark.parent if remark.parent and thread_of(case, remark.parent) in turn else None
    answered = answered_by(case, remark) if parent is None else None
    return replace(remark, parent=answered.thread if answered else parent, resolution=None)


def _gave_in(case: Case, agent: str, said: Report) -> bool:
    """A part that was shown the other side's reply and says done has given in; the others have yet to speak again."""
    before = len(case.item.disputes)
    resolve(case, said)
    for dispute in case.item.disputes:
        if dispute.turn == 0 and dispute.disputer.agent == agent and dispute.disputer.column == case.item.column:
            comment = Remark(content="no longer disputed", parent=dispute.thread, resolution="rejected")
            _comment(case, comment, agent)
            resolve(case, Report(outcome="done", comments=[comment]))
    return len(case.item.disputes) < before


def _end(case: Case, judged: Judged, claimed: str = "") -> None:
    item, said, fault, work = case.item, judged.report, judged.fault, judged.work
    outcome, cause = ("failed", "protocol") if fault else (said.outcome, said.cause)
    fields: dict[str, Any] = {"effort": replace(item.effort, releases=0)} if item.effort.releases else {}
    if item.told and not fault:
        fields["told"] = None
    if fault is None:
        fields |= _said(case, said, claimed)
    elif item.kind != "item" and said.attempts:
        fields["result"] = kept(item, with_tried(item, said))
    fields |= lost_files(item, fields.get("result"), work is not None and work.dropped)
    if work is not None and judged.taken:
        parent = case.situation.parent if work.merged and is_last_word(item, outcome) else None
        fields |= hand_over(case, parent, work) if parent else keep(case, work)
    context = {"outcome": outcome, "cause": cause, "summary": said.summary[:200]}
    end_run(
        case,
        "agent_completed",
        "reported",
        {**context, "said": claimed} if claimed and outcome == said.outcome == "changes_requested" else context,
        item=fields,
        outcome=outcome,
        cause=cause,
        usage=said.usage,
        report=said,
        work=work,
        rows=waits_no_more(case),
    )


def _said(case: Case, said: Report, claimed: str) -> dict[str, Any]:
    """What the item keeps of a report, whatever follows from it."""
    assert case.run is not None
    item, run = case.item, case.run
    stage = stage_of(case)
    checks = case.flow.checks(stage)
    fields: dict[str, Any] = {}
    if said.findings or (said.outcome == "done" and any(checks or one.unheard or said.extra for one in item.findings)):
        fields["findings"] = kept_of(item.findings, said, stage if checks else None, run.agent)
    if said.artifacts:
        # An artifact belongs to the stage whose work it is, also when a senior made it.
        made = {a.name: Artifact(stage, run.agent, run.id, a.path) for a in said.artifacts}
        fields["artifacts"] = {**item.artifacts, **made}
    if said.tests:
        fields["tests"] = said.tests
    fields |= told_by_report(item, said, said.outcome == "done" and not checks)
    touched = [*said.files.created, *said.files.modified]
    if touched and not checks:
        fields["files_made"] = files_made(item, said.files, Artifact(stage, run.agent, run.id))
        fields["touched"] = list(dict.fromkeys([*item.touched, *touched]))[:TOUCHED_MAX]
    if said.files.created and run.sandboxed is None and may_write(case.flow, item, run.agent) == "new_tests":
        fields["new_tests"] = list(dict.fromkeys([*item.new_tests, *said.files.created]))[:TOUCHED_MAX]
    if item.kind != "item":
        fields["result"] = kept(item, output_of(item, run, said, claimed))
    return fields


def _comment(case: Case, remark: Remark, author: str | None = None, known: Comment | None = None) -> str:
    row = row_of(case, remark, author)
    if known is not None:
        # A report that was refused has brought it already: what was wrong with it is mended, and it stands once.
        case.emit("comment_restated", {"comment": known.id, "parent": remark.parent}, comments=(known.id, row))
        return known.id
    comment_id = case.new_comment_id()
    case.emit(
        "comment_added",
        {"comment": comment_id, "parent": remark.parent},
        item={"comment_count": case.item.comment_count + 1},
        comments=(comment_id, row),
    )
    return comment_id


def _ask_beside(case: Case, said: Report) -> None:
    """A question beside another outcome is asked as well: where it blocks, the item waits where it is sent."""
    asked, agent = said.question, case.run.agent if case.run else ""
    if asked is None or not asked.question.strip() or said.outcome == "asks" or not may_say(case.flow, agent, "asks"):
        return
    if case.item.kind == "part" and case.item.parent:
        _raise(case, said, asked)
    elif case.item.kind not in ONE_SHOT_KINDS:
        _clarify(case, said, asked)


def _asks(case: Case, said: Report) -> None:
    assert said.question is not None
    tried_before(case, said)
    _clarify(case, said, said.question)


def _clarify(case: Case, said: Report, asked: AskedQuestion) -> None:
    must_wait = is_security(said.escalation_reason) or at_limit(case)
    clarify(
        case,
        asked.question,
        context=question_told(said, asked.context),
        help=asked.help,
        options=_options(asked),
        blocking=asked.blocking or must_wait,
        default=None if must_wait else asked.default,
    )
