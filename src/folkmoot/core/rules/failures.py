"""Why a run failed decides what happens next (R-07), and which failures count (R-05)."""

from typing import Any, assert_never

from msgspec.structs import replace

from folkmoot.core.enums import Cause
from folkmoot.core.item import Effort, GuidanceCounters
from folkmoot.core.records import Attempt
from folkmoot.core.report import SHOWN_BESIDE, SIGNALS, WORDS_BESIDE, Report, Try
from folkmoot.core.rules.asking.telling import facts, in_words, left_told, said_told
from folkmoot.core.rules.children.help import (
    EXPERTS_MAX,
    INCOMPLETES_MAX,
    RETOLD,
    experts_named,
    named_experts,
    next_attempt,
    next_expert,
    retells_expert,
    seek_help,
)
from folkmoot.core.rules.children.tasks import conflicted, to_discovery
from folkmoot.core.rules.distinct import TOLD_MAX, judge
from folkmoot.core.rules.judging.carrying import leftovers
from folkmoot.core.rules.judging.verdicts import is_stopped
from folkmoot.core.rules.movement import again, at_limit, at_rest, history, leave_flow, said_last
from folkmoot.core.rules.questions import ask, clarify
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.roles import helping_column
from folkmoot.core.vocabulary.tries import is_told, unended, worked
from folkmoot.core.vocabulary.triggers import FATAL, REQUIREMENT, named_in, stated_in
from folkmoot.core.vocabulary.ways import AGAIN, AGAIN_ALL_THE_SAME, CANCEL, GO_ON, GO_ON_ALL_THE_SAME, PARK, Way
from folkmoot.core.vocabulary.words import is_only_word, is_security, known_reason

BACKOFF_SECONDS = 5.0
CONFLICTS_MAX = 2
# Causes that say by themselves who must act, also where an agent only says that it is stuck.
ENDS = ("requirement", "size", "integration", "fatal")
# Causes that go to a person before anybody is asked for help (E-05).
MANDATORY = ("fatal", "requirement")
# Outcomes that say something about the work, and not that a run has failed at it.
GIVES_VERDICT = ("done", "changes_requested", "disputed", "split")
# Causes that say nothing about an approach: what was tried beside them is kept, and the same may be tried again.
PASSING = ("transient", "environment", "quota", "outage", "timeout", "conflict")
EXPERTS_LABEL = "Expert Delegation"  # the document's word in `ATTEMPT [N]: [Self-Solve | Expert Delegation]`
WHAT_IS_MEANT = "Say in words what is meant; the agent goes on with that."


def failed(case: Case, report: Report, stated: bool = False) -> None:
    """`stated`: the agent itself says why, and not whoever looked at its change."""
    cause: Cause = report.cause or "capability"
    if cause in ENDS and cause != "fatal" and tried_before(case, report):
        return  # six means six, and a person is asked; what else it says is in the question
    if cause in ENDS:
        note_failure(case, report, f"{cause}: no further attempt can mend it")
    elif cause in PASSING and not (cause == "timeout" and case.item.effort.timeouts):
        _note(case, report, f"told beside {cause}: kept, not counted")
    match cause:
        case "transient" | "environment" | "quota" | "outage":
            # By the agent's own word it is a passing fault; only the client can show what holds for a whole pool.
            passing_fault(case, cause, _words(report))
        case "timeout" if case.item.effort.timeouts == 0:
            passing_fault(case, cause, _words(report), replace(case.item.effort, timeouts=1))
        case "protocol":
            protocol_fault(case, _words(report), report)
        case "requirement":
            _unclear(case, report)
        case "size":
            to_discovery(case, _words(report), said_told(report))
        case "fatal":
            _fatal(case, report)
        case "integration":
            conflicted(case, _words(report), "The parts do not fit together")
        case "conflict" if case.item.effort.conflicts < CONFLICTS_MAX and not (stated and case.flow.arbiter):
            # What could not be merged may be on the new base; assumptions that do not fit together do not mend
            # themselves.
            effort = replace(case.item.effort, conflicts=case.item.effort.conflicts + 1)
            again(case, "error_occurred", {"cause": cause, "why": _words(report)}, effort=effort)
        case "conflict":
            conflicted(case, _words(report))
        case "capability" | "timeout" | "gate":
            record_attempts(case, report, cause)
        case _:
            assert_never(cause)


def passing_fault(case: Case, cause: Cause, why: str, effort: Effort | None = None) -> None:
    """Try the same again after a growing, jittered pause, a few times in all; then a person is asked."""
    effort = effort or case.item.effort
    effort = replace(effort, executions=effort.executions + 1)
    context = {"cause": cause, "why": why, "execution": effort.executions}
    if effort.executions >= case.flow.limits.executions:
        case.emit("error_occurred", context, item=at_rest(case, effort=effort))
        runs = f"{effort.executions} runs" if effort.executions != 1 else "1 run"
        words = f"{why.rstrip('. ')}. {runs} ended so ({cause})."
        ask(case, "decision", words, AGAIN, context=facts(said_last(case), history(case)))
        return
    pause = BACKOFF_SECONDS * 2 ** (effort.executions - 1) * (0.5 + case.situation.draw.jitter)
    again(case, "error_occurred", {**context, "pause": round(pause, 3)}, effort=effort, wake_at=case.now + pause)


def bad_form(case: Case, fault: str, said: Report, silent: str | None, unchanged: bool) -> None:
    """What a run brought cannot be taken. Where nothing came at all, the second time is a person's to look at."""
    agent = case.run.agent if case.run else ""
    if unchanged:
        words = f"{agent} says done, and again no file changed: {said.summary or 'it says nothing more'}"
        protocol_fault(case, fault, said, words, Way("nothing has to change: it is done", "finish"), AGAIN)
    elif silent is not None:
        printed = f"The last one printed: {silent}" if silent else "The last one printed nothing."
        protocol_fault(case, fault, said, f"Two runs of {agent} brought no report that could be taken. {printed}")
    else:
        protocol_fault(case, fault, said)


def protocol_fault(case: Case, fault: str, report: Report, asked: str | None = None, *ways: Way) -> None:
    """One more run that is told exactly what was wrong; then it is a failure like any other. Where a stronger model
    would do no better, a person is asked (`asked`) instead."""
    faults = case.item.effort.protocol_faults
    _note(case, replace(report, cause="protocol"), "told in a report in bad form: kept, not counted")
    if faults == 0:
        effort = replace(case.item.effort, protocol_faults=1)
        again(case, "error_occurred", {"cause": "protocol", "why": fault}, effort=effort, told=fault)
        return
    if asked is not None:
        effort = replace(case.item.effort, protocol_faults=faults + 1)
        context = {"cause": "protocol", "why": fault}
        case.emit("error_occurred", context, item=at_rest(case, effort=effort, told=fault))
        ask(case, "decision", asked, *(ways or (AGAIN,)), context=history(case))
        return
    case.set("error_occurred", {"cause": "protocol", "why": fault}, told=fault)
    record_attempts(case, replace(report, attempts=[], summary=fault), "protocol")


def incomplete(case: Case, report: Report) -> None:
    if tried_before(case, report):
        return
    if report.cause in ENDS:
        # Why it is incomplete says more than that it is: another run would stop at the same place.
        failed(case, replace(report, attempts=[]))
        return
    effort = replace(case.item.effort, incompletes=case.item.effort.incompletes + 1)
    context = {"count": effort.incompletes, "why": report.summary}
    case.emit("work_left_incomplete", context, item=at_rest(case, effort=effort))
    if effort.incompletes >= INCOMPLETES_MAX:
        words = f"{effort.incompletes} runs in a row left the work incomplete: {_words(report)}"
        ask(case, "decision", words, GO_ON, context=facts(left_told(report, words), history(case)))


def stuck(case: Case, report: Report) -> None:
    """The agent says why it cannot go on; the reason names the column that can."""
    if tried_before(case, report):
        return  # a person is asked; no column can help any more
    reason = report.escalation_reason
    target = case.flow.reasons.get(reason or "") or helping_column(case.flow, reason)
    if target in (case.item.column, *case.item.origins):
        target = None  # who is stuck there, or was, names nobody else: it is the end of its ladder
    agent = case.run.agent if case.run else ""
    because = f"{agent} is stuck{_named(reason or report.reason, report)}: {report.blockers or _words(report)}"
    if target is None and is_security(reason):
        ways, named = experts_named(case, report), named_experts(case, report)
        told = facts(left_told(report, because), history(case))
        ask(case, "decision", because, GO_ON_ALL_THE_SAME, *ways, context=told, split=named)
    elif target is None and report.cause in ENDS:
        # What no further attempt can mend needs no reason: its cause says who can.
        failed(case, replace(report, attempts=[]))
    elif target is None:
        seek_help(case, agent, because, blocked=True)
    elif case.flow.columns[target].kind == "dispute":
        words = f"{because}. The reason leads to {target}, but nothing is disputed."
        ask(case, "decision", words, GO_ON, context=facts(left_told(report, words), history(case)))
    else:
        leave_flow(case, target, because, reason)


def _fatal(case: Case, report: Report) -> None:
    """Nothing that an agent could try would help: a person at once, and nothing more is counted (H-08, E-08)."""
    if not tried_before(case, report):
        said = stated_in(report, FATAL) or ": ".join(filter(None, (named_in(report, FATAL), _words(report))))
        words = f"It cannot go on without you: {said}"
        named = experts_named(case, report)
        told = facts(left_told(report, words), history(case))
        ask(case, "decision", words, AGAIN_ALL_THE_SAME, *named, context=told, split=named_experts(case, report))


def tried_before(case: Case, report: Report) -> bool:
    """Attempts told beside another outcome count as well; is the limit of attempts reached with them?"""
    if report.attempts:
        record_attempts(case, report, "capability")
    return at_limit(case)


def record_attempts(case: Case, report: Report, cause: Cause) -> None:
    """Write down each approach that was tried, and judge whether it counts: only what failed does."""
    for told in report.attempts[-TOLD_MAX:] or [Try(outcome=report.summary or None)]:
        _record(case, report, told, cause)


def note_attempts(case: Case, report: Report) -> None:
    """Attempts told where nothing else would hear of them. Where a person is asked at once they count all the same;
    beside a verdict on the work they are kept for whoever comes after, and nothing is counted."""
    if report.outcome in GIVES_VERDICT:
        _note(case, report, f"told beside {report.outcome}: kept, not counted")
    elif is_stopped(case, report) and report.attempts:
        record_attempts(case, report, report.cause or "capability")
    elif is_stopped(case, report):
        note_failure(case, report, "a person is asked at once")


def note_failure(case: Case, report: Report, why: str) -> None:
    """A failure after which nobody tries again by itself: it is in the history like any other, and counts for nothing.
    Attempts that it tells of are there already."""
    if report.outcome == "failed" and not report.attempts:
        told = replace(report, attempts=[Try(outcome=report.summary or report.blockers or report.reason or None)])
        _note(case, told, f"{why}: kept, not counted")


def keep_told(case: Case, report: Report) -> None:
    """Whatever the rules made of a report: attempts that none of them has heard of are in the history all the same."""
    before = case.situation.item.attempt_count if case.situation.item else 0
    if case.item.attempt_count == before:
        _note(case, report, "something else is decided first: kept, not counted")


def _note(case: Case, report: Report, ground: str) -> None:
    for told in report.attempts[-TOLD_MAX:]:
        _record(case, report, told, report.cause, noted=ground)


def _judged(case: Case, report: Report, told: Try, files: list[str], kind: str, noted: str) -> tuple[bool, str, int]:
    """Does this attempt count, on what ground, and how many repeats are there with it?"""
    item = case.item
    repeats = item.effort.repeats
    was_told = is_told(told.approach, told.outcome, report.summary)
    if was_told and worked(told.outcome):
        return False, "it succeeded: only what failed counts", repeats
    if was_told and unended(told.outcome):
        return False, "it has not ended: only what failed counts", repeats
    if noted:
        return False, noted, repeats
    earlier = [a for a in case.attempts if a.guidance == item.clarifications and _was_tried(a)]
    verdict = judge(told.approach, told.outcome, files, report.commit, earlier, told.why_different)
    repeats += 0 if verdict.distinct else 1
    counted = verdict.distinct or repeats >= case.flow.limits.repeats
    ground = verdict.ground if verdict.distinct or not counted else f"{verdict.ground}; repeat {repeats} counts"
    if counted and at_limit(case):
        return False, f"past the limit of attempts ({case.flow.limits.attempts}): kept, not counted", repeats
    if counted and kind == "self_solve" and _own_are_used_up(case):
        most = case.flow.limits.own_attempts
        return (
            False,
            f"past the limit of {most} attempts of its own, while experts are left: kept, not counted",
            repeats,
        )
    return counted, ground, repeats


def _was_tried(attempt: Attempt) -> bool:
    """Is the same again no new approach? What a passing fault or a report in bad form has ended may be tried, or told,
    again; and what an expert tried itself was no attempt of whoever asked it."""
    if attempt.counted:
        return True
    return attempt.cause not in (*PASSING, "protocol") and attempt.kind == "self_solve"


def _record(case: Case, report: Report, told: Try, cause: Cause | None, noted: str = "") -> None:
    assert case.run is not None
    item, run = case.item, case.run
    files = [*report.files.created, *report.files.modified]
    # A block that is labelled as an expert's is the agent's own unless an expert was asked.
    is_labelled = told.kind == "expert_delegation"
    said_so = is_labelled and item.span.expert_attempts < len(item.span.experts)
    retold = not (item.advisor or said_so) and retells_expert(case, report, told)
    kind = "expert_delegation" if item.advisor or said_so or retold else "self_solve"
    noted = noted or (f"{RETOLD}: kept, not counted" if retold else "")
    counted, ground, repeats = _judged(case, report, told, files, kind, noted)
    if is_labelled and kind == "self_solve":
        ground += f"; labelled {EXPERTS_LABEL}, but the board has asked no expert for it: its own"
    elif item.advisor and not is_labelled:
        ground += f"; it follows the advice of {item.advisor}: that expert's attempt, also if it is labelled Self-Solve"
    number = item.attempt_count + 1
    fields: dict[str, Any] = {
        "attempt_count": number,
        "last_attempt_type": kind,
        "last_attempt_outcome": told.outcome or report.summary,
        # Beside `done` nobody is to help, and the next phase begins without a reason.
        "escalation_reason": (_known(case, report) if report.outcome != "done" else None) or item.escalation_reason,
        "effort": Effort() if counted else replace(item.effort, repeats=repeats),
    }
    if counted:
        fields["failures"] = {**item.failures, run.agent: item.failures.get(run.agent, 0) + 1}
        fields["span"] = _counted_in(item.span, kind)
        if item.advisor:
            fields["advisor"] = None
    is_repeat = not counted and repeats > item.effort.repeats
    said = {
        "model": run.model,
        "cause": cause,
        "reason": "\n\n".join(words for words in (_why(report, told), told.beside) if words),
        "approach": told.approach,
        "outcome": told.outcome,
        "why_different": told.why_different,
        "files": files,
        "commit": report.commit,
        "counted": counted,
        "ground": ground,
    }
    case.emit(
        "attempt_counted" if counted else "attempt_repeated" if is_repeat else "attempt_noted",
        {"attempt": number, "approach": told.approach, "ground": ground, "outcome": told.outcome},
        item=fields,
        attempts=next_attempt(case, run.id, run.agent, kind, said),
    )


def _why(report: Report, told: Try) -> str:
    """Why this attempt failed: in its own words, since a summary is about all of them, or about something else. The
    failure's own reason is the last one's, with which the run ended; a word that only names who can help is none."""
    own = told.outcome if report.attempts and told.outcome != report.summary else None
    given = report.reason if report.reason != report.escalation_reason and not is_only_word(report.reason) else None
    if given and report.outcome == "failed" and report.attempts and told == report.attempts[-1]:
        return given
    return own or given or report.summary or report.blockers or told.outcome or report.reason or ""


def _known(case: Case, report: Report) -> str | None:
    return known_reason(case.flow.reasons, report.escalation_reason)


def _own_are_used_up(case: Case) -> bool:
    """While experts are left, the agent's own attempts end at `own_attempts`, however many one report tells of."""
    item, run, limits = case.item, case.run, case.flow.limits
    if run is None or limits.attempts is None or run.agent not in case.flow.agents:
        return False
    if item.span.self_solve_attempts < limits.own_attempts or len(item.span.experts) >= EXPERTS_MAX:
        return False
    return next_expert(case, run.agent) is not None


def _counted_in(span: GuidanceCounters, kind: str) -> GuidanceCounters:
    if kind == "expert_delegation":
        return replace(span, expert_attempts=span.expert_attempts + 1)
    return replace(span, self_solve_attempts=span.self_solve_attempts + 1)


def _unclear(case: Case, report: Report) -> None:
    """No model can invent a requirement: it goes back to who can say it, or to a person at once."""
    reason = report.escalation_reason or ""
    target = case.flow.reasons.get(reason)
    # Where one column holds all that is blocked, the reason becomes the tag that says who answers (K-13).
    if target and case.flow.acting(target, [reason]).kind == "backflow":
        leave_flow(case, target, f"unclear ({reason}): {_words(report)}", reason)
    else:
        # No option can say what is meant: words do. The options are for whoever has none.
        ways = Way("go on with what there is", "again"), PARK, CANCEL
        words = f"The requirement is not clear: {stated_in(report, REQUIREMENT) or _words(report)}"
        told = left_told(report, words)
        clarify(case, words, options=[way.option for way in ways], context=told, help=WHAT_IS_MEANT)


def _named(reason: str | None, report: Report) -> str:
    """The reason in brackets, where the words behind it say something else."""
    return f" ({reason})" if reason and reason != _words(report) else ""


def _words(report: Report) -> str:
    """What it says for itself: a signal's name alone says nothing, if anything else does."""
    said = [report.summary, report.blockers, report.reason, "; ".join(report.next_steps)]
    beside = [in_words(told) for name, told in leftovers(report).items() if name not in (WORDS_BESIDE, SHOWN_BESIDE)]
    said += [words for words in beside if " " in words]  # a name alone is no reason
    return next((words for words in said if words and words not in SIGNALS), report.summary or "no words were given")
