"""Several agents look at the same work at once: each gets a part, and the strictest verdict holds (R-14)."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import MakeItem
from folkmoot.core.enums import Outcome
from folkmoot.core.item import Item, Output
from folkmoot.core.report import Finding, Remark, Report, Tests
from folkmoot.core.rules.movement import at_rest, stage_of
from folkmoot.core.rules.sharing.findings import against_done, merged, remarks, still_open
from folkmoot.core.situation import Case

STRICTNESS: tuple[Outcome, ...] = ("failed", "disputed", "changes_requested", "done")
RISK_TAKEN = "no, a person took the risk"  # what was done about it


def settle_group(case: Case) -> None:
    """Deal the parts that are missing; the verdict falls when each agent has spoken."""
    item = case.item
    if item.waits_for and not (item.join == "parts" and item.made):
        return  # it waits for other items; the group begins when they are over
    missing = [agent for agent in unspoken(case) if agent not in item.made.values()]
    if missing:
        deal(case, missing)


def _wanted(case: Case) -> list[str]:
    """Everybody who watches the column; in a dispute only the side whose turn it is."""
    column, dispute = case.flow.columns[case.item.column], case.item.dispute
    if dispute is not None:
        side = dispute.side(dispute.turn)
        if side.column == column.name and side.agent in column.agents:
            return [side.agent]
    return column.agents


def _spoken(case: Case) -> set[str]:
    """Who gave a verdict; an agent whose part asked speaks again when the question is answered."""
    outputs = case.item.outputs.values()
    return {output.agent for output in outputs if output.kind == "part" and output.outcome in STRICTNESS}


def deal(case: Case, agents: list[str]) -> None:
    item = case.item
    children = {case.new_item_id(): agent for agent in agents}
    for child, agent in children.items():
        case.make(
            MakeItem(
                id=child,
                title=item.title,
                body=item.body,
                kind="part",
                agent=agent,
                column=item.column,
                parent=item.id,
                type=item.type,
                priority=item.priority,
                tags=item.tags,
                needs=item.needs,
                generation=item.generation,
                contracts=item.contracts,
                findings=_left_by(item, agent),
                because=f"{agent} looks at item {item.id}",
            )
        )
    outputs = {child: o for child, o in item.outputs.items() if not (o.kind == "part" and o.agent in agents)}
    made = {**item.made, **children}
    waits_for = list(dict.fromkeys([*item.waits_for, *children]))
    fields = at_rest(case, join="parts", made=made, waits_for=waits_for, outputs=outputs)
    case.emit("parts_dealt", {"to": agents, "children": list(children)}, item=fields)


def _left_by(item: Item, agent: str) -> list[Finding]:
    """What an agent that has given no verdict yet, since it asked, has found: its next look goes on from there."""
    outputs = [o for o in item.outputs.values() if o.kind == "part" and o.agent == agent]
    left = [finding for output in outputs if output.outcome not in STRICTNESS for finding in output.findings]
    return [replace(finding, unheard=item.column) for finding in left]


def all_have_spoken(case: Case) -> bool:
    return case.item.join == "parts" and not case.item.waits_for and not unspoken(case)


def unspoken(case: Case) -> list[str]:
    """Whose verdict is missing."""
    spoken = _spoken(case)
    return [agent for agent in _wanted(case) if agent not in spoken]


def merge(case: Case) -> tuple[Report, str]:
    """What the parts say together, as one report, and the agent whose verdict is the strictest."""
    item = case.item
    watchers = case.flow.columns[item.column].agents  # a changed flow may have taken one away since it spoke
    outputs = [output for output in item.outputs.values() if output.kind == "part" and output.agent in watchers]
    checks = case.flow.checks(stage_of(case))
    verdicts = {output.agent: _verdict(output, checks) for output in outputs}
    strictest = min(outputs, key=lambda output: STRICTNESS.index(verdicts[output.agent]))
    verdict = verdicts[strictest.agent]
    findings = merged(
        (output.agent, finding)
        for output in outputs
        for finding in remarks(output.findings, verdicts[output.agent] == "done")
    )
    said = Report(
        outcome=verdict,
        summary=_words(outputs, verdicts),
        findings=findings,
        tests=_tests(outputs),
        comments=_remarks(strictest),
        next_steps=[step for output in outputs for step in output.next_steps],
    )
    # Where one has failed, what the others said still holds when it is tried again in this column; where one has
    # given in, the others speak too before the work goes on.
    goes_on_here = verdict == "failed" or (verdict == "done" and bool(item.disputes))
    done_with = () if goes_on_here else STRICTNESS
    kept = {c: o for c, o in item.outputs.items() if o.kind != "part" or o.outcome not in ("failed", *done_with)}
    rest: dict[str, Any] = {"join": None, "outputs": kept}
    context = {"verdicts": verdicts, "verdict": said.outcome, "findings": len(findings)}
    case.emit("parts_merged", context, item=at_rest(case, **rest))
    return said, strictest.agent


def _words(outputs: list[Output], verdicts: dict[str, Outcome]) -> str:
    """What each says, whose verdict decides first: of who says nothing more, the first thing that it found."""
    told = {
        o.agent: o.summary or next((f.issue for f in o.findings if verdicts[o.agent] != "done"), "") for o in outputs
    }
    order = sorted(told, key=lambda agent: STRICTNESS.index(verdicts[agent]))
    return "; ".join(f"{agent}: {told[agent]}" for agent in order if told[agent])


def _verdict(output: Output, checks: bool) -> Outcome:
    """What its own report could not be weighed for: help that several give looks for the stage it helps (R-22).

    A critical finding is a reason for changes in any column, until a person takes the risk.
    """
    if output.outcome != "done":
        return output.outcome
    critical = any(finding.severity == "critical" for finding in still_open(output.findings))
    grave = checks and against_done(output.findings, output.tests) is not None
    return "changes_requested" if critical or grave else "done"


def _tests(outputs: list[Output]) -> Tests | None:
    """As the part told that ran them; of several the one with the most that failed."""
    told = [output.tests for output in outputs if output.tests]
    return max(told, key=lambda tests: tests.failed) if told else None


def _remarks(output: Output) -> list[Remark]:
    """A dispute needs words: its summary, if the part made no comment."""
    if output.outcome == "disputed" and not output.comments:
        return [Remark(content=output.summary or "it is disputed")]
    return output.comments


def disputing(case: Case) -> dict[str, list[Remark]]:
    """Who of those that watch the column disputes, and what."""
    watchers = case.flow.columns[case.item.column].agents
    outputs = [output for output in case.item.outputs.values() if output.kind == "part" and output.agent in watchers]
    return {output.agent: _remarks(output) for output in outputs if output.outcome == "disputed"}


def waived(outputs: dict[str, Output], part: str) -> dict[str, Output]:
    """A person takes the risk: the critical findings of that part are no reason to change anything. They stay, since
    whoever goes on must know which risk was taken."""
    changed = {}
    for child, output in outputs.items():
        if output.kind == "part" and output.agent == part:
            findings = [
                replace(one, fixed=RISK_TAKEN) if one.severity == "critical" and one.fixed is None else one
                for one in output.findings
            ]
            left = still_open(findings)
            said_done = output.claimed == "done" and against_done(left, output.tests) is None
            lenient = output.outcome == "changes_requested" and (said_done or not left)
            output = replace(output, findings=findings, outcome="done" if lenient else output.outcome)
        changed[child] = output
    return changed
