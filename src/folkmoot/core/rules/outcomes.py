"""A report comes in. However the agent spoke, its outcome is one of nine; each leads to one rule."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import AgreeContracts, RaiseQuestion, ReportRun
from folkmoot.core.item import BOUND, ENDED, Artifact, Output
from folkmoot.core.records import Option
from folkmoot.core.report import Remark, Report
from folkmoot.core.rules.asking.telling import said_told
from folkmoot.core.rules.breaker import thread_of
from folkmoot.core.rules.children.help import (
    UNSUCCESSFUL,
    delegates,
    fault_of_delegation,
    is_unsuccessful,
    seek_help,
)
from folkmoot.core.rules.children.parts import merge, unspoken
from folkmoot.core.rules.children.tasks import agree_contracts, fault_of_discovery, fault_of_split, split
from folkmoot.core.rules.claims import end_run, fence
from folkmoot.core.rules.disputes import (
    disputed,
    fault_of_done,
    fault_of_resolutions,
    fault_of_statement,
    resolve,
    turn_of,
)
from folkmoot.core.rules.failures import failed, incomplete, protocol_fault, record_attempts, stuck
from folkmoot.core.rules.judging.gates import gate_reported
from folkmoot.core.rules.judging.verdicts import approved, ask_about_danger, changes_requested, danger, raise_danger
from folkmoot.core.rules.movement import at_limit, end_child, stage_of, stands_alone, unbind
from folkmoot.core.rules.questions import ask, clarify, give_way
from folkmoot.core.rules.running.limits import spend_day, used
from folkmoot.core.rules.running.work import Judged, ask_about_secrets, hand_over, is_last_word, judge_work, keep
from folkmoot.core.rules.sharing.lessons import learn
from folkmoot.core.rules.sharing.messages import tell_orchestrator
from folkmoot.core.situation import Case
from folkmoot.core.ways import AGAIN

# What an outcome needs in the agent's `may`; the others anyone may say.
PERMISSION = {"asks": "ask", "delegates": "delegate", "split": "split"}
# What kinds of children may not say at all: an expert and a sub-agent look and answer, and nothing else.
UNSPEAKABLE = {
    "expert": ("asks", "delegates", "split", "disputed"),
    "sub": ("asks", "delegates", "split", "disputed"),
    "dispatch": ("delegates", "split", "disputed"),
    "part": ("delegates", "split"),
}
OUTPUT_CHARACTERS = 8_000
OUTPUT_PARTS = 200
TOUCHED_MAX = 2_000


def report(case: Case, command: ReportRun) -> None:
    """End the run with its report, then let the outcome decide. A fault of form ends it as `protocol`."""
    run = fence(case)
    said = command.report
    if run.gate:
        gate_reported(case, command)
        return
    fault = command.fault or _fault(case, said)
    judged = Judged(said, fault, None, False)
    if command.work is not None:
        judged = judge_work(case, said, fault, command.work)
        said, fault = judged.report, judged.fault
    _end(case, judged)
    if fault is None:
        tell_orchestrator(case, said)
        learn(case, said)
    comments: list[str] = []
    if fault is None and case.item.kind != "part":
        comments = [_comment(case, remark) for remark in said.comments]
        resolve(case, said)
    if judged.asks:
        ask_about_secrets(case, judged.asks)
        return
    found = danger(case, said)
    if found is not None and case.item.kind in BOUND and case.item.parent:
        raise_danger(case, found, said)
    elif found is not None:
        ask_about_danger(case, found, said)
        return
    if fault is not None:
        protocol_fault(case, fault, said)
    elif _contracts_agreed(case, said):
        _apply(case, said, comments[0] if comments else None)


def _apply(case: Case, said: Report, comment: str | None) -> None:
    if stands_alone(case) and is_last_word(case.item, said.outcome):
        unbind(case)
    if case.item.kind in BOUND and _ends_child(case, said):
        return
    match said.outcome:
        case "done":
            approved(case)
        case "changes_requested":
            changes_requested(case, said)
        case "disputed":
            disputed(case, comment, said.reason)
        case "failed":
            failed(case, said)
        case "stuck":
            stuck(case, said)
        case "asks":
            _asks(case, said)
        case "split":
            split(case, said)
        case "delegates":
            delegates(case, said)
        case _:
            incomplete(case, said)


def _ends_child(case: Case, said: Report) -> bool:
    """A child makes its one effort where it is: what it says is its parent's to act on."""
    if said.outcome in ("done", "changes_requested", "disputed"):
        end_child(case, f"{case.item.agent} has spoken")
        return True
    if said.outcome == "stuck":
        why = said.summary or said.blockers or "no words were given"
        ask(case, "decision", f"{case.item.agent} is stuck: {why}", AGAIN, context=said_told(said))
        return True
    if case.item.kind == "expert" and said.outcome == "failed" and is_unsuccessful(said):
        record_attempts(case, said, "capability")
        if case.item.status not in ENDED:
            give_way(case, f"{UNSUCCESSFUL}: {said.blockers or said.summary}")
        return True
    if said.outcome == "asks" and case.item.kind == "part" and said.question is not None and case.item.parent:
        asked = said.question
        options = [Option(option=o.option, why_insufficient=o.why_insufficient) for o in asked.options]
        raised = RaiseQuestion(
            kind="clarification",
            question=asked.question,
            part=case.item.agent or "",
            context=asked.context or "",
            help=asked.help,
            options=options,
        )
        case.tell(case.item.parent, raised)
        end_child(case, f"{case.item.agent} asks: {asked.question}")
        return True
    return False


def merged(case: Case) -> None:
    """Every part has spoken: what they say together is the report of the column."""
    said, agent = merge(case)
    if said.findings:
        case.set("item_rests", {"findings": len(said.findings)}, findings=said.findings)
    match said.outcome:
        case "failed":
            seek_help(case, agent, f"{agent} failed in {case.item.column}: {said.summary}")
        case "disputed":
            comments = [_comment(case, _fitting(case, remark), agent) for remark in said.comments]
            disputed(case, comments[0], None, agent)
        case "changes_requested":
            changes_requested(case, said)
        case _:
            if not (_gave_in(case, agent, said) and unspoken(case)):
                approved(case)


def _fitting(case: Case, remark: Remark) -> Remark:
    """A part speaks beside the item: it answers a dispute in which it is this stage's turn, or opens one."""
    turn = {dispute.thread for dispute in turn_of(case)}
    parent = remark.parent if remark.parent and thread_of(case, remark.parent) in turn else None
    return replace(remark, parent=parent, resolution=None)


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


def _contracts_agreed(case: Case, said: Report) -> bool:
    """What a run says about contracts holds for the item that was split; a split brings its own."""
    contracts = {contract.name: contract.text for contract in said.contracts}
    if not contracts or said.outcome == "split":
        return True
    if case.item.kind == "task" and case.item.parent:
        agent = case.run.agent if case.run else ""
        case.set("item_edited", {"contracts": sorted(contracts)}, contracts={**case.item.contracts, **contracts})
        case.tell(case.item.parent, AgreeContracts(contracts=contracts, by=agent, task=case.item.id))
        return True
    return agree_contracts(case, contracts, case.run.agent if case.run else "")


def _fault(case: Case, said: Report) -> str | None:
    """What is wrong with a report that could be read, in words the next run is told; None if nothing is."""
    agent = case.flow.agents.get(case.run.agent) if case.run else None
    wanted = PERMISSION.get(said.outcome)
    if said.outcome in UNSPEAKABLE.get(case.item.kind, ()):
        return f"an item of kind {case.item.kind} cannot end with {said.outcome}"
    if wanted and (agent is None or wanted not in agent.may):
        return f"this agent may not report {said.outcome}: {wanted!r} is not in its `may`"
    if case.item.kind == "part":
        return _fault_of_part(said)
    for remark in said.comments:
        if remark.parent and thread_of(case, remark.parent) is None:
            return f"a comment has the parent {remark.parent}, but the item has no such comment"
        if remark.resolution and not remark.parent:
            return "a comment has a resolution but no parent: name the comment it resolves"
    fault = fault_of_resolutions(case, said)
    if fault:
        return fault
    match said.outcome:
        case "done":
            return fault_of_done(case, said) or fault_of_discovery(case)
        case "disputed":
            return fault_of_statement(case, said)
        case "split":
            return fault_of_split(case, said)
        case "delegates":
            return fault_of_delegation(case, said)
        case "asks" if said.question is None:
            return "asks needs a question"
        case "changes_requested":
            return _fault_of_verdict(said)
        case _:
            return None


def _fault_of_part(said: Report) -> str | None:
    if said.outcome == "asks" and said.question is None:
        return "asks needs a question"
    if said.outcome == "disputed" and not (said.comments or said.summary):
        return "a dispute needs a comment that says the specific concern"
    return _fault_of_verdict(said) if said.outcome == "changes_requested" else None


def _fault_of_verdict(said: Report) -> str | None:
    """Whoever is to change something must be told what."""
    tests = said.tests is not None and said.tests.failed > 0
    words = said.summary.strip() or (said.blockers or "").strip()
    if said.findings or said.comments or said.next_steps or tests or words:
        return None
    return "changes_requested needs findings, or a summary that says what to change"


def _end(case: Case, judged: Judged) -> None:
    item, said, fault, work = case.item, judged.report, judged.fault, judged.work
    outcome, cause = ("failed", "protocol") if fault else (said.outcome, said.cause)
    spent, rows = used(case, said)
    cost = said.usage.cost_usd if said.usage else 0.0
    fields: dict[str, Any] = {"effort": replace(item.effort, releases=0)} if item.effort.releases else {}
    if item.told and not fault:
        fields["told"] = None
    if fault is None:
        fields |= _said(case, said)
    if cost:
        fields["cost_usd"] = item.cost_usd + cost
    if spent:
        fields["span"] = replace(item.span, **spent)
    if work is not None and judged.taken:
        parent = case.situation.parent if work.merged and is_last_word(item, outcome) else None
        fields |= hand_over(case, parent, work) if parent else keep(case, work)
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
        work=work,
        rows=rows,
    )
    if "meters" in rows:
        spend_day(case)


def _said(case: Case, said: Report) -> dict[str, Any]:
    """What the item keeps of a report, whatever follows from it."""
    assert case.run is not None
    item, run = case.item, case.run
    stage = stage_of(case)
    checks = case.flow.checks(stage)
    fields: dict[str, Any] = {}
    if said.findings or (said.outcome == "done" and checks and item.findings):
        # Findings stay until whoever checks says done: the fix is looked at beside what was asked for.
        fields["findings"] = said.findings
    if said.artifacts:
        # An artifact belongs to the stage whose work it is, also when a senior made it.
        made = {a.name: Artifact(stage, run.agent, run.id, a.path) for a in said.artifacts}
        fields["artifacts"] = {**item.artifacts, **made}
    if said.tests:
        fields["tests"] = said.tests
    if isinstance(said.extra.get("spec"), str):
        # The handoff document's way to say where the spec is.
        fields["spec"] = said.extra["spec"]
    touched = [*said.files.created, *said.files.modified]
    if touched and not checks:
        fields["touched"] = list(dict.fromkeys([*item.touched, *touched]))[:TOUCHED_MAX]
    if item.kind != "item":
        fields["result"] = _output(case, said, touched)
    return fields


def _output(case: Case, said: Report, touched: list[str]) -> Output:
    """What the parent keeps of a child's last report."""
    assert case.run is not None
    # A signal's name says how it ended, and its blockers say why: the parent needs both.
    told = [said.summary, said.blockers if said.outcome != "done" or not said.summary else None]
    return Output(
        agent=case.run.agent,
        kind=case.item.kind,
        outcome=said.outcome,
        title=case.item.title,
        summary=": ".join(dict.fromkeys(words for words in told if words))[:OUTPUT_CHARACTERS],
        findings=[replace(f, found_by=f.found_by or [case.run.agent]) for f in said.findings[:OUTPUT_PARTS]],
        comments=said.comments[:OUTPUT_PARTS],
        tests=said.tests,
        files=touched[:OUTPUT_PARTS],
        next_steps=said.next_steps[:OUTPUT_PARTS],
        integration_points=said.integration_points,
        run=case.run.id,
    )


def _comment(case: Case, remark: Remark, author: str | None = None) -> str:
    comment_id = case.new_comment_id()
    row: dict[str, Any] = {
        "item": case.item.id,
        "author": author or (case.run.agent if case.run else ""),
        "content": remark.content,
        "run": case.run.id if case.run else None,
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


def _asks(case: Case, said: Report) -> None:
    assert said.question is not None
    if said.attempts:
        record_attempts(case, said, "capability")
    asked = said.question
    must_wait = said.reason == "security" or at_limit(case)
    clarify(
        case,
        asked.question,
        context=asked.context or "",
        help=asked.help,
        options=[Option(option=o.option, why_insufficient=o.why_insufficient) for o in asked.options],
        blocking=asked.blocking or must_wait,
        default=None if must_wait else asked.default,
    )
