"""Gates are runs: claimed, leased, fenced and retried like any other. Done is a claim until one has shown it (R-21)."""

from collections.abc import Iterator
from typing import Any

from msgspec import json
from msgspec.structs import replace

from folkmoot.core.commands import ReportRun
from folkmoot.core.enums import Cause
from folkmoot.core.flow import LANDING
from folkmoot.core.item import Proof, Proving
from folkmoot.core.report import Finding, Report, Try
from folkmoot.core.rules.asking.telling import facts, findings_told, gate_told
from folkmoot.core.rules.claims import end_run, fence
from folkmoot.core.rules.failures import passing_fault, record_attempts
from folkmoot.core.rules.judging.carrying import against, leftovers, repeats, words_of
from folkmoot.core.rules.judging.form import refuse
from folkmoot.core.rules.judging.verdicts import ways
from folkmoot.core.rules.movement import again, at_rest, enter, finish, said_last, stage_of
from folkmoot.core.rules.questions import ask
from folkmoot.core.rules.running.landing import is_before_landing, landing_reported, not_signed
from folkmoot.core.rules.running.pauses import shut_gate
from folkmoot.core.rules.sharing.findings import against_done, remarks
from folkmoot.core.rules.sharing.lessons import learn
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.lines import nth_time
from folkmoot.core.vocabulary.missing import not_there
from folkmoot.core.vocabulary.phrases.nothings import without_nothing
from folkmoot.core.vocabulary.phrases.reds import said_red
from folkmoot.core.vocabulary.problems import listed_under
from folkmoot.core.vocabulary.ways import Way
from folkmoot.core.work import Evidence

GREEN, RED = ("done",), ("failed", "changes_requested")
PASSING = ("transient", "environment", "quota", "timeout")
PROOFS_KEPT = 50
LETTERS_OF_WHY = 200  # of what a gate has printed
LETTERS_FOUND = 8_000  # of all that a red gate says in one finding


def gate_reported(case: Case, command: ReportRun) -> None:
    """The report of a gate's run: green, red, or a fault of the gate itself."""
    run = fence(case)
    if run.agent == LANDING:
        landing_reported(case, command)
        return
    said, fault = _as_counted(without_nothing(command.report)), command.fault
    evidence = command.evidence[0] if command.evidence else None
    red = _red_words(said, run.agent) if evidence is None and fault is None else None
    if red is not None and not command.final:
        words = f"it says {said.outcome}, and its words say {red!r}: report failed if {run.agent} is red"
        refuse(case, said, f"{words}; if it is green leave that out" if red == said.blockers else words)
        return
    said = replace(said, outcome="failed", summary=said.summary or red) if red is not None else said
    if fault is None and said.outcome not in (*GREEN, *RED):
        fault = f"a gate says done or failed, not {said.outcome}"
        if not command.final:
            refuse(case, said, fault)
            return
    passing = said.outcome == "failed" and said.cause in PASSING
    outcome = "failed" if fault else said.outcome
    cause = "protocol" if fault else said.cause
    end_run(
        case,
        "agent_completed",
        "reported",
        {"outcome": outcome, "cause": cause, "summary": said.summary[:200]},
        outcome=outcome,
        cause=cause,
        report=said,
    )
    if fault is None:
        learn(case, said)
    if fault:
        _unreadable(case, fault)
    elif passing and said.cause == "environment" and evidence is not None and _is_not_there(evidence):
        words = f"The gate {run.agent} cannot be run: {said.summary}"
        _shut(case, run.agent, said, words)
    elif said.outcome == "failed" and evidence is not None and evidence.before:
        words = f"The gate {run.agent} was red before any agent worked, and is red in the same way: {evidence.before}"
        _shut(case, run.agent, said, words, said.cause or "gate")
    elif passing:
        passing_fault(case, said.cause or "transient", said.summary or f"{run.agent} could not run")
    elif said.outcome in GREEN:
        _green(case, run.agent, said, evidence)
    else:
        _red(case, run.agent, said, evidence)


def _is_not_there(evidence: Evidence) -> bool:
    """It could not be started, or it did not find what it runs."""
    return evidence.exit_code is None or not_there(evidence.exit_code, evidence.output) is not None


def _shut(case: Case, gate: str, said: Report, words: str, cause: Cause = "environment") -> None:
    """What the gate runs is not there, or was red without this work: no time mends that, and no attempt of an agent
    that was given something else to do. It says nothing about the work."""
    again(case, "error_occurred", {"cause": cause, "why": said.summary})
    choices = (
        Way(f"run {gate} again", "again", says="yes"),
        Way("change the flow first", "park"),
        Way(f"go on without {gate}", "finish"),
    )
    told = f"To change the flow: another `run` for the gate {gate} there; apply it, then choose 1."
    shut_gate(case, gate, said.summary, words, *choices, context=told)


def _as_counted(said: Report) -> Report:
    """A gate that says done beside failed tests or a grave finding, or otherwise in its own words, is red (R-22)."""
    shown = (against_done(said.findings, said.tests) or against(said)) if said.outcome in GREEN else None
    return replace(said, outcome="failed", summary=said.summary or shown) if shown else said


def _red_words(said: Report, gate: str) -> str | None:
    """What a gate's own words say against its `done`: blockers are what keeps it from being green. Where its command
    was run, how that ended says it."""
    if said.outcome not in GREEN:
        return None
    beyond = [f"{name} {value}" for name, value in said.extra.items() if isinstance(value, str)]
    # What a finding weighs, its severity says.
    return said_red([said.summary, said.blockers, *beyond], gate) or said.blockers or None


def _unreadable(case: Case, fault: str) -> None:
    """One more run; a gate that cannot say what it found proves nothing, and no agent can mend that."""
    faults = case.item.effort.protocol_faults
    effort = replace(case.item.effort, protocol_faults=faults + 1)
    again(case, "error_occurred", {"cause": "protocol", "why": fault}, effort=effort)
    if faults:
        words = f"The gate gave no report that can be read: {fault}"
        ask(case, "decision", words, Way("run the gate again", "again"), context=said_last(case))


def _proof(case: Case, gate: str, green: bool, said: Report, evidence: Evidence | None) -> list[Proof]:
    assert case.run is not None
    proof = Proof(
        gate=gate,
        column=stage_of(case),
        green=green,
        run=case.run.id,
        summary=said.summary[:2000],
        commit=said.commit,
        at=case.situation.at,
        evidence=evidence,
        head=case.run.head,
    )
    return [*case.item.proofs, proof][-PROOFS_KEPT:]


def _green(case: Case, gate: str, said: Report, evidence: Evidence | None) -> None:
    proving = case.item.proving
    left = [name for name in proving.left if name != gate] if proving else []
    fields: dict[str, Any] = {"proofs": _proof(case, gate, True, said, evidence)}
    if gate in case.item.waived:
        fields["waived"] = [name for name in case.item.waived if name != gate]  # nobody needs to let it go any more
    if case.item.findings or said.findings:
        others = [finding for finding in case.item.findings if finding.found_by != [gate]]
        fields["findings"] = [*others, *(replace(one, found_by=[gate]) for one in remarks(said.findings))]
    if said.tests:
        fields["tests"] = said.tests
    if proving and left:
        fields["proving"] = replace(proving, left=left)
        case.emit("gate_passed", {"gate": gate, "left": left}, item=at_rest(case, **fields))
        return
    fields["proving"] = None
    case.emit("gate_passed", {"gate": gate, "left": []}, item=at_rest(case, **fields))
    finish(case, proven=True)


def _red(case: Case, gate: str, said: Report, evidence: Evidence | None) -> None:
    """Its output becomes findings; the column the flow names mends them, or the run it checked has failed."""
    item, stage = case.item, stage_of(case)
    if is_before_landing(item.proving):
        case.set("gate_failed", {"gate": gate, "why": said.summary}, proofs=_proof(case, gate, False, said, evidence))
        not_signed(case, gate, said)
        return
    proving, on_red = item.proving, case.flow.columns[stage].on_red
    words = said.summary or said.blockers or (said.findings[0].issue if said.findings else _first(case, gate, said))
    findings = [replace(finding, found_by=[gate]) for finding in _found(case, gate, said, words)]
    asked_for = [finding for finding in item.findings if finding.found_by != [gate]]  # still open; see `_green`
    reds = item.span.reds.get(stage, 0) + 1
    fields: dict[str, Any] = {
        "proofs": _proof(case, gate, False, said, evidence),
        "findings": [*asked_for, *findings],
        "span": replace(item.span, reds={**item.span.reds, stage: reds}),
    }
    if said.tests:
        fields["tests"] = said.tests
    if proving:
        # What is mended is proved again from the first gate on.
        fields["proving"] = replace(proving, left=list(case.flow.columns[stage].gate) or proving.left)
    case.emit("gate_failed", {"gate": gate, "round": reds, "why": words}, item=at_rest(case, **fields))
    if on_red is None:
        _count_against(case, proving, said, words, facts(findings_told(findings), gate_told(gate, evidence)))
    elif reds > case.flow.limits.feedback_rounds:
        choices = (
            Way(f"try again in {on_red}", "move", on_red),
            Way("accept it as it is", "finish"),
            Way(f"run {gate} again", "again"),
        )
        told = facts(findings_told(findings), gate_told(gate, evidence))
        ask(case, "decision", f"{gate} is red{nth_time(reds)}: {words}", *choices, context=told)
    else:
        origins = [*item.origins, item.column]
        enter(case, on_red, f"{gate} is red: {words}", event="escalation_triggered", origins=origins)


def _found(case: Case, gate: str, said: Report, words: str) -> list[Finding]:
    """For whoever mends: what the gate has found, and in one finding more what else it says of it. Nobody else tells
    that: the next brief has the reports of agents."""
    steps = "\n".join(said.next_steps) or None
    more = [f"{name}: {_text(value)}" for name, value in _untold(case, gate, said)]
    if said.findings and not (said.blockers or steps or more):
        return said.findings
    issue = facts(words, said.blockers or "", *more)[:LETTERS_FOUND]
    return [*said.findings, Finding(kind="test", severity="high", issue=issue, recommendation=steps)]


def _untold(case: Case, gate: str, said: Report) -> Iterator[tuple[str, Any]]:
    """What it says in its own words, and no field does; also a list of problems that says more of one than we know."""
    left, known = leftovers(said, gate), words_of(said)
    for name, value in said.extra.items():
        if name in left:
            told = not repeats(said, name, gate, case.item, known)
        else:
            told = listed_under(name)[0] and isinstance(value, list | dict) and bool(value)
        if told:
            yield name, value


def _first(case: Case, gate: str, said: Report) -> str:
    """Why it is red where only its own fields say so, such as its output: the first line of the first."""
    told = (_text(value).strip() for _, value in _untold(case, gate, said))
    return next((words.splitlines()[0][:LETTERS_OF_WHY] for words in told if words), "no words were given")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.encode(value).decode()


def _count_against(case: Case, proving: Proving | None, said: Report, words: str, told: str) -> None:
    """The failure of the run that was checked (R-21)."""
    run = case.run
    if run is None or proving is None or proving.agent not in case.flow.agents:
        choices = ways(case, stage_of(case), case.flow.columns[stage_of(case)].fix)
        ask(case, "decision", f"The gate is red: {words}", *choices, context=told)
        return
    case.set("item_rests", {"why": f"{run.agent} is red"}, proving=None)
    case.run = replace(run, agent=proving.agent, model=proving.model, id=proving.run or run.id)
    checked = Report(outcome="failed", summary=words, attempts=[Try(outcome=words)], commit=said.commit)
    record_attempts(case, checked, "gate")
    case.run = run
    again(case, "item_ready", {"why": f"{run.agent} is red"}, because=f"{run.agent} is red: {words}")
