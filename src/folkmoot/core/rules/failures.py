"""Why a run failed decides what happens next (R-07), and which failures count (R-05)."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.item import Effort, Span
from folkmoot.core.report import Report, Try
from folkmoot.core.rules.asking.telling import facts, said_told
from folkmoot.core.rules.children.help import (
    EXPERTS_MAX,
    INCOMPLETES_MAX,
    experts_named,
    named_experts,
    next_expert,
    seek_help,
)
from folkmoot.core.rules.children.tasks import conflicted, to_discovery
from folkmoot.core.rules.distinct import judge
from folkmoot.core.rules.judging.verdicts import is_stopped
from folkmoot.core.rules.movement import again, at_limit, at_rest, history, leave_flow, said_last
from folkmoot.core.rules.questions import ask, clarify
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.roles import helping_column
from folkmoot.core.vocabulary.tries import worked
from folkmoot.core.vocabulary.ways import AGAIN, CANCEL, GO_ON, PARK, Way
from folkmoot.core.vocabulary.words import is_security, known_reason, meaning_of

BACKOFF_SECONDS = 5.0
CONFLICTS_MAX = 2
# Causes that say by themselves who must act, also where an agent only says that it is stuck.
ENDS = ("requirement", "size", "integration", "fatal")
# Causes that go to a person before anybody is asked for help (E-05).
MANDATORY = ("fatal", "requirement")
# Outcomes that say something about the work, and not that a run has failed at it.
GIVES_VERDICT = ("done", "changes_requested", "disputed", "split")
EXPERTS_LABEL = "Expert Delegation"  # the document's word in `ATTEMPT [N]: [Self-Solve | Expert Delegation]`
WHAT_IS_MEANT = "Say in words what is meant; the agent goes on with that."


def failed(case: Case, report: Report, stated: bool = False) -> None:
    """`stated`: the agent itself says why, and not whoever looked at its change."""
    cause = report.cause or "capability"
    if cause in ENDS and cause != "fatal" and tried_before(case, report):
        return  # six means six, and a person is asked; what else it says is in the question
    if cause in ("transient", "environment", "quota"):
        # Quota by the agent's own word is a passing fault; only the client can show that a pool is empty.
        passing_fault(case, cause, _words(report))
    elif cause == "timeout" and case.item.effort.timeouts == 0:
        effort = replace(case.item.effort, timeouts=1)
        passing_fault(case, cause, _words(report), effort)
    elif cause == "protocol":
        protocol_fault(case, _words(report), report)
    elif cause == "requirement":
        _unclear(case, report)
    elif cause == "size":
        to_discovery(case, _words(report), said_told(report))
    elif cause == "fatal":
        _fatal(case, report)
    elif cause == "integration":
        conflicted(case, _words(report), "The parts do not fit together")
    elif cause == "conflict" and case.item.effort.conflicts < CONFLICTS_MAX and not (stated and case.flow.arbiter):
        # What could not be merged may be on the new base; assumptions that do not fit together do not mend themselves.
        effort = replace(case.item.effort, conflicts=case.item.effort.conflicts + 1)
        again(case, "error_occurred", {"cause": cause, "why": _words(report)}, effort=effort)
    elif cause == "conflict":
        conflicted(case, _words(report))
    else:
        record_attempts(case, report, cause)


def passing_fault(case: Case, cause: str, why: str, effort: Effort | None = None) -> None:
    """Try the same again after a growing, jittered pause, a few times in all; then a person is asked."""
    effort = effort or case.item.effort
    effort = replace(effort, executions=effort.executions + 1)
    context = {"cause": cause, "why": why, "execution": effort.executions}
    if effort.executions >= case.flow.limits.executions:
        case.emit("error_occurred", context, item=at_rest(case, effort=effort))
        words = f"{effort.executions} executions ended by a passing fault ({cause}): {why}"
        ask(case, "decision", words, AGAIN, context=facts(said_last(case), history(case)))
        return
    pause = BACKOFF_SECONDS * 2 ** (effort.executions - 1) * (0.5 + case.situation.draw.jitter)
    again(case, "error_occurred", {**context, "pause": round(pause, 3)}, effort=effort, wake_at=case.now + pause)


def protocol_fault(case: Case, fault: str, report: Report) -> None:
    """One more run that is told exactly what was wrong; then it is a failure like any other."""
    faults = case.item.effort.protocol_faults
    if faults == 0:
        effort = replace(case.item.effort, protocol_faults=1)
        again(case, "error_occurred", {"cause": "protocol", "why": fault}, effort=effort, told=fault)
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
        ask(case, "decision", words, GO_ON, context=facts(said_told(report), history(case)))


def stuck(case: Case, report: Report) -> None:
    """The agent says why it cannot go on; the reason names the column that can."""
    if tried_before(case, report):
        return  # a person is asked; no column can help any more
    reason = report.escalation_reason
    target = case.flow.reasons.get(reason or "") or helping_column(case.flow, reason)
    agent = case.run.agent if case.run else ""
    because = f"{agent} is stuck ({reason or report.reason or 'no reason given'}): {_words(report)}"
    if target is None and is_security(reason):
        ways, named = experts_named(case, report), named_experts(case, report)
        ask(case, "decision", because, GO_ON, *ways, context=facts(said_told(report), history(case)), split=named)
    elif target is None and report.cause in ENDS:
        # What no further attempt can mend needs no reason: its cause says who can.
        failed(case, replace(report, attempts=[]))
    elif target is None:
        seek_help(case, agent, because, blocked=True)
    elif case.flow.columns[target].kind == "dispute":
        words = f"{because}. The reason leads to {target}, but nothing is disputed."
        ask(case, "decision", words, GO_ON, context=facts(said_told(report), history(case)))
    else:
        leave_flow(case, target, because, reason)


def _fatal(case: Case, report: Report) -> None:
    """Nothing that an agent could try would help: a person at once, and nothing more is counted (H-08, E-08)."""
    if not tried_before(case, report):
        words = f"It cannot go on without you: {_words(report)}"
        named = experts_named(case, report)
        told = facts(said_told(report), history(case))
        ask(case, "decision", words, AGAIN, *named, context=told, split=named_experts(case, report))


def tried_before(case: Case, report: Report) -> bool:
    """Attempts told beside another outcome count as well; is the limit of attempts reached with them?"""
    if report.attempts:
        record_attempts(case, report, "capability")
    return at_limit(case)


def record_attempts(case: Case, report: Report, cause: str) -> None:
    """Write down each approach that was tried, and judge whether it counts: only what failed does."""
    for told in report.attempts or [Try(outcome=report.summary or None)]:
        _record(case, report, told, cause)


def note_attempts(case: Case, report: Report) -> None:
    """Attempts told where nothing else would hear of them. Where a person is asked at once they count all the same;
    beside a verdict on the work they are kept for whoever comes after, and nothing is counted."""
    if not report.attempts:
        return
    if report.outcome in GIVES_VERDICT:
        for told in report.attempts:
            _record(case, report, told, "", beside=report.outcome)
    elif is_stopped(case, report):
        record_attempts(case, report, report.cause or "capability")


def _judged(case: Case, report: Report, told: Try, files: list[str], kind: str, beside: str) -> tuple[bool, str, int]:
    """Does this attempt count, on what ground, and how many repeats are there with it?"""
    item = case.item
    repeats = item.effort.repeats
    if worked(told.outcome):
        return False, "it succeeded: only what failed counts", repeats
    if beside:
        return False, f"told beside {beside}: kept, not counted", repeats
    earlier = [a for a in case.attempts if a.guidance == item.clarifications]
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


def _record(case: Case, report: Report, told: Try, cause: str, beside: str = "") -> None:
    assert case.run is not None
    item, run = case.item, case.run
    files = [*report.files.created, *report.files.modified]
    # A block that is labelled as an expert's is the agent's own unless an expert was asked.
    is_labelled = told.kind == "expert_delegation"
    said_so = is_labelled and item.span.expert_attempts < len(item.span.experts)
    kind = "expert_delegation" if item.advisor or said_so else "self_solve"
    counted, ground, repeats = _judged(case, report, told, files, kind, beside)
    if is_labelled and kind == "self_solve":
        ground += f"; labelled {EXPERTS_LABEL}, but the board has asked no expert for it: its own"
    number = item.attempt_count + 1
    fields: dict[str, Any] = {
        "attempt_count": number,
        "last_attempt_type": kind,
        "last_attempt_outcome": told.outcome or report.summary,
        "escalation_reason": _known(case, report) or item.escalation_reason,
        "effort": Effort() if counted else replace(item.effort, repeats=repeats),
    }
    if counted:
        fields["failures"] = {**item.failures, run.agent: item.failures.get(run.agent, 0) + 1}
        fields["span"] = _counted_in(item.span, kind)
        if item.advisor:
            fields["advisor"] = None
    is_repeat = not counted and repeats > item.effort.repeats
    row = {
        "item": item.id,
        "number": number,
        "run": run.id,
        "agent": run.agent,
        "column": item.column,
        "kind": kind,
        "model": run.model,
        "cause": cause or None,
        "reason": _why(report, told),
        "approach": told.approach,
        "outcome": told.outcome,
        "why_different": told.why_different,
        "files": files,
        "commit": report.commit,
        "counted": counted,
        "ground": ground,
        "forward": item.forwards,
        "guidance": item.clarifications,
        "at": case.situation.at,
    }
    case.emit(
        "attempt_counted" if counted else "attempt_repeated" if is_repeat else "attempt_noted",
        {"attempt": number, "approach": told.approach, "ground": ground, "outcome": told.outcome},
        item=fields,
        attempts=(f"{item.id}/{number}", row),
    )


def _why(report: Report, told: Try) -> str:
    """Why this attempt failed: in its own words if the report tells of several, since its summary is about them all;
    else the failure's own reason, which a word that only names who can help is not."""
    own = told.outcome if len(report.attempts) > 1 else None
    given = report.reason if report.reason != report.escalation_reason and not meaning_of(report.reason) else None
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


def _counted_in(span: Span, kind: str) -> Span:
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
        words = f"The requirement is not clear: {_words(report)}"
        clarify(case, words, options=[way.option for way in ways], context=said_told(report), help=WHAT_IS_MEANT)


def _words(report: Report) -> str:
    return report.summary or report.blockers or report.reason or "no words were given"
