"""A report comes in. However the agent spoke, its outcome is one of nine; each leads to one rule."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import ReportRun
from folkmoot.core.item import Artifact
from folkmoot.core.records import Option
from folkmoot.core.report import Remark, Report
from folkmoot.core.rules.breaker import thread_of
from folkmoot.core.rules.claims import end_run, fence
from folkmoot.core.rules.disputes import (
    disputed,
    fault_of_done,
    fault_of_resolutions,
    fault_of_statement,
    resolve,
)
from folkmoot.core.rules.failures import failed, incomplete, protocol_fault, record_attempts, stuck
from folkmoot.core.rules.movement import at_limit, enter, finish, settle, stage_of
from folkmoot.core.rules.questions import ask
from folkmoot.core.situation import Case

# What an outcome needs in the agent's `may`; the others anyone may say.
PERMISSION = {"asks": "ask", "delegates": "delegate", "split": "split"}


def report(case: Case, command: ReportRun) -> None:
    """End the run with its report, then let the outcome decide. A fault of form ends it as `protocol`."""
    fence(case)
    said = command.report
    fault = command.fault or _fault(case, said)
    cause = "protocol" if fault else said.cause
    outcome = "failed" if fault else said.outcome
    _end(case, said, outcome, cause, fault)
    comments: list[str] = []
    if fault is None:
        comments = [_comment(case, remark) for remark in said.comments]
        resolve(case, said)
    danger = _danger(said)
    if danger is not None:
        _ask_about_danger(case, danger)
    elif fault is not None:
        protocol_fault(case, fault, said)
    else:
        _apply(case, said, comments[0] if comments else None)


def _apply(case: Case, said: Report, comment: str | None) -> None:
    match said.outcome:
        case "done":
            _count_verdict(case)
            finish(case)
        case "changes_requested":
            _changes_requested(case, said)
        case "disputed":
            disputed(case, comment)
        case "failed":
            failed(case, said)
        case "stuck":
            stuck(case, said)
        case "asks":
            _asks(case, said)
        case _:
            incomplete(case, said)


def _fault(case: Case, said: Report) -> str | None:
    """What is wrong with a report that could be read, in words the next run is told; None if nothing is."""
    agent = case.flow.agents.get(case.run.agent) if case.run else None
    wanted = PERMISSION.get(said.outcome)
    if wanted and (agent is None or wanted not in agent.may):
        return f"this agent may not report {said.outcome}: {wanted!r} is not in its `may`"
    for remark in said.comments:
        if remark.parent and thread_of(case, remark.parent) is None:
            return f"a comment has the parent {remark.parent}, but the item has no such comment"
        if remark.resolution and not remark.parent:
            return "a comment has a resolution but no parent: name the comment it resolves"
    fault = fault_of_resolutions(case, said)
    if fault:
        return fault
    if said.outcome == "done":
        return fault_of_done(case, said)
    if said.outcome == "disputed":
        return fault_of_statement(case, said)
    if said.outcome == "asks" and said.question is None:
        return "asks needs a question"
    return None


def _danger(said: Report) -> str | None:
    """What a person must see whatever else the report says (R-10); `stuck` and `asks` have their own way to someone."""
    for finding in said.findings:
        if finding.kind == "security" and finding.severity == "critical":
            return f"A critical security finding: {finding.issue}"
    if said.reason == "security" and said.outcome not in ("stuck", "asks"):
        return f"A security concern: {said.summary or said.blockers or 'no words were given'}"
    return None


def _end(case: Case, said: Report, outcome: str, cause: str | None, fault: str | None) -> None:
    assert case.run is not None
    item, run = case.item, case.run
    made = {a.name: Artifact(item.column, run.agent, run.id, a.path) for a in said.artifacts}
    cost = said.usage.cost_usd if said.usage else 0.0
    fields: dict[str, Any] = {"effort": replace(item.effort, releases=0)} if item.effort.releases else {}
    if item.told and not fault:
        fields["told"] = None
    checks = case.flow.columns[stage_of(case)].fix is not None
    if said.findings or (outcome == "done" and checks and item.findings):
        # Findings stay until whoever checks says done: the fix is looked at beside what was asked for.
        fields["findings"] = said.findings
    if made:
        # An artifact belongs to the stage whose work it is, also when a senior made it.
        stage = stage_of(case)
        fields["artifacts"] = {**item.artifacts, **{name: replace(a, column=stage) for name, a in made.items()}}
    if cost:
        fields["cost_usd"] = item.cost_usd + cost
    end_run(
        case,
        "agent_completed",
        "reported",
        {"outcome": outcome, "cause": cause, "summary": said.summary[:200]},
        item=fields,
        outcome=outcome,
        cause=cause,
        cost_usd=cost,
        report=said,
    )


def _comment(case: Case, remark: Remark) -> str:
    assert case.run is not None
    comment_id = case.new_comment_id()
    row: dict[str, Any] = {
        "item": case.item.id,
        "author": case.run.agent,
        "content": remark.content,
        "run": case.run.id,
        "at": case.situation.at,
    }
    about = {"artifact": remark.artifact, "target": remark.target, "parent": remark.parent}
    row |= {name: value for name, value in about.items() if value is not None}
    if remark.resolution:
        row |= {"status": "resolved", "resolution": remark.resolution}
    case.emit(
        "comment_added",
        {"comment": comment_id, "parent": remark.parent},
        item={"comment_count": case.item.comment_count + 1},
        comments=(comment_id, row),
    )
    return comment_id


def _count_verdict(case: Case) -> int:
    """A verdict of a checking column is a feedback round of the item there."""
    stage, span = stage_of(case), case.item.span
    checking = case.flow.columns[stage].fix is not None or stage in span.rounds
    if not checking:
        return 0
    rounds = span.rounds.get(stage, 0) + 1
    case.set(
        "verdict_given", {"column": stage, "round": rounds}, span=replace(span, rounds={**span.rounds, stage: rounds})
    )
    return rounds


def _changes_requested(case: Case, said: Report) -> None:
    """Back to the column that fixes; after the fix it returns here and only here (R-13)."""
    stage = stage_of(case)
    rounds = case.item.span.rounds.get(stage, 0) + 1
    span = replace(case.item.span, rounds={**case.item.span.rounds, stage: rounds})
    case.set("verdict_given", {"column": stage, "round": rounds}, span=span)
    fix = case.flow.columns[stage].fix or _maker(case) or case.flow.stage_before(stage)
    words = said.summary or "changes are requested"
    if rounds >= case.flow.limits.feedback_rounds:
        ask(case, "decision", f"{stage} asks for changes in round {rounds}: {words}", options=_ways(case, stage, fix))
    elif fix is None or fix == stage or case.flow.columns[stage].kind != "flow":
        ask(case, "decision", f"{stage} asks for changes, but no stage made the work: {words}")
    else:
        enter(case, fix, f"{stage} asks for changes: {words}", origins=[], returns_to=stage)


def _asks(case: Case, said: Report) -> None:
    assert said.question is not None
    if said.attempts:
        record_attempts(case, said, "capability")
    asked = said.question
    must_wait = said.reason == "security" or at_limit(case)
    ask(
        case,
        "clarification",
        asked.question,
        context=asked.context or "",
        help=asked.help,
        options=[Option(option=o.option, why_insufficient=o.why_insufficient) for o in asked.options],
        blocking=asked.blocking or must_wait,
        default=None if must_wait else asked.default,
    )
    settle(case)


def _ask_about_danger(case: Case, words: str) -> None:
    stage = stage_of(case)
    fix = case.flow.columns[stage].fix or _maker(case)
    ways = [*_ways(case, stage, fix), Option(option="abort", effect="cancel")]
    ask(case, "decision", words, options=ways)


def _maker(case: Case) -> str | None:
    """The stage that made the work, if the flow still has it."""
    return case.item.made_by if case.item.made_by in case.flow.columns else None


def _ways(case: Case, stage: str, fix: str | None) -> list[Option]:
    following = case.flow.columns[stage].next
    ways = [Option(option="fix it", to=fix, effect="fix")] if fix else []
    return ways + ([Option(option="accept the risk and go on", effect="finish")] if following else [])
