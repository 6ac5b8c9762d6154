"""What a checking column says about the work, and findings that cannot wait (R-10, R-13 to R-15)."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import MakeItem, RaiseQuestion
from folkmoot.core.enums import ONE_SHOT_KINDS
from folkmoot.core.flow import END
from folkmoot.core.order import iteration
from folkmoot.core.report import Finding, Report
from folkmoot.core.rules.asking.telling import facts, findings_told, said_told
from folkmoot.core.rules.breaker import disputes_told
from folkmoot.core.rules.children.counting import count_made, excess
from folkmoot.core.rules.children.help import experts_named, named_experts
from folkmoot.core.rules.children.reopening import mend_tasks, tasks_to_mend
from folkmoot.core.rules.judging.against.checkers import asks_change
from folkmoot.core.rules.judging.carrying import against, own_word
from folkmoot.core.rules.judging.sent import sent_by_run, with_unheard
from folkmoot.core.rules.movement import enter, finish, stage_of, stages
from folkmoot.core.rules.questions import ask
from folkmoot.core.rules.sharing.findings import Scope, against_done, in_scope, remarks, still_open, to_change
from folkmoot.core.rules.sharing.paths import bad_path
from folkmoot.core.rules.sharing.widening import beyond, handed_on
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.triggers import SECURITY, stated_in
from folkmoot.core.vocabulary.ways import AGAIN, AGAIN_ALL_THE_SAME, Way
from folkmoot.core.vocabulary.words import is_security

ABORT = Way("abort", "cancel")
FIX_HERE = Way("fix it", "again")  # whoever found it made it

# Who looks for others and gives no verdict: what it finds is for whoever asked.
ONLY_LOOKS = ("expert", "sub")


def as_shown(case: Case, said: Report) -> Report:
    """Done is a claim until shown (R-22): beside high or critical findings or failed tests it asks for changes.

    However it was said: readers only translate, and this is the one place where the two are weighed. So does a look
    that is not finished, beside whatever it has found: then all is looked at after the fix, and what earlier runs of it
    have found stands beside it.
    """
    if case.item.kind in ONLY_LOOKS or not case.flow.checks(stage_of(case)):
        return said
    if asks_change(case, said):
        return with_unheard(case, replace(said, outcome="changes_requested"))
    shown = objection(case, said) if said.outcome == "done" else None
    return said if shown is None else replace(said, outcome="changes_requested")


def objection(case: Case, said: Report) -> str | None:
    """What keeps `done` from being true: what was found or failed, or a message of the run that asks for changes."""
    shown, refusal = against_done(said.findings, said.tests), sent_by_run(case, said).refusal
    return shown or (f"it has sent {refusal}" if refusal else against(said, judges=True))


def approved(case: Case) -> None:
    """`done`: a verdict of a checking column is a feedback round of the item there."""
    stage, span = stage_of(case), case.item.span
    if case.flow.checks(stage) or stage in span.rounds:
        _count_round(case, stage, {})
    finish(case)


def _count_round(case: Case, stage: str, context: dict[str, Any], whole: bool = True) -> int:
    span = case.item.span
    rounds = span.rounds.get(stage, 0) + 1
    told = {"column": stage, "round": rounds, **context}
    # What is changed from here on is the fix; the next verdict is about that.
    unseen = [*(one for one in span.unseen if one != stage), *([] if whole else [stage])]
    span = replace(span, rounds={**span.rounds, stage: rounds}, looked=stage, unseen=unseen)
    case.set("verdict_given", told, span=span, touched=[], effort=replace(case.item.effort, judged=True))
    return rounds


def changes_requested(case: Case, said: Report, against: str | None = None, whole: bool = True) -> None:
    """Back to the column that fixes; after the fix it returns here and only here (R-13).

    `against` says why, where the agent itself said `done`. What a look that was not `whole` has not seen is under
    review the next time (R-15).
    """
    stage = stage_of(case)
    place = case.flow.columns[stage]
    asked = to_change(said.findings)
    beside = remarks(finding for finding in said.findings if finding not in asked)
    # While tests are red nothing can be about something else: the work would be done with them.
    whole_work = (
        stage not in case.item.span.rounds or stage in case.item.span.unseen or against_done([], said.tests) is not None
    )
    scope = in_scope(case.situation.item or case.item, asked, whole_work)
    if excess(case, case.item, len(scope.aside), case.item.generation + 1):
        scope = replace(scope, kept=[*scope.kept, *scope.aside], aside=[])  # then they are mended here
    context = {"trend": scope.trend, "open": len(scope.kept), "fixed": scope.fixed, "new": scope.new}
    rounds = _count_round(case, stage, context if asked else {}, whole)
    _set_aside(case, scope, beside)
    fix = fixed_in(case, stage)
    told = said.summary or _first_words(scope.kept) or ("" if against else against_done([], said.tests))
    words = told or "changes are requested"
    if against:
        words = f"{against}, though it says {own_word(replace(said, outcome='done'))}" + (f": {told}" if told else "")
    owners = tasks_to_mend(case, scope.kept)
    if asked and not scope.kept:
        # Everything it found is about something else: there is nothing left to change here.
        finish(case)
    elif rounds >= case.flow.limits.feedback_rounds:
        question = f"{stage} asks for changes in round {rounds}: {words}"
        told = facts(findings_told(scope.kept), disputes_told(case), said_told(replace(said, findings=[])))
        ask(case, "decision", question, *ways(case, stage, fix), context=told)
    elif fix is None or fix == stage or place.kind != "flow":
        question = f"{stage} asks for changes, but no stage made the work: {words}"
        told = facts(findings_told(scope.kept), disputes_told(case), said_told(replace(said, findings=[])))
        ask(case, "decision", question, *ways(case, stage, None), *stages(case), context=told)
    elif owners:
        mend_tasks(case, owners, f"{stage} asks for changes: {words}", stage, len(scope.kept))
    else:
        enter(case, fix, f"{stage} asks for changes: {words}", origins=[], returns_to=stage)


def _set_aside(case: Case, scope: Scope, beside: list[Finding]) -> None:
    """A finding of a later round about something else becomes an item of its own (R-15)."""
    if not scope.aside:
        return
    item = case.item
    made = []
    for finding in scope.aside:
        made.append(case.new_item_id())
        where = f" ({finding.file}{f':{finding.line}' if finding.line else ''})" if finding.file else ""
        words = finding.recommendation or finding.issue
        named = [finding.file] if finding.file and not bad_path(finding.file) else []
        files, widened = handed_on(item, [] if beyond(case.flow, item.files, named) else named)
        case.make(
            MakeItem(
                id=made[-1],
                title=f"{finding.issue or 'A finding'}{where}"[:500],
                body=f"Found while item {item.id} ({item.title}) was checked: {words}",
                kind="item",
                column=case.flow.start,
                type="bugfix",
                priority=finding.severity,
                files=files if item.files else [],
                widened=widened,
                needs=item.needs,
                findings=[finding],
                generation=item.generation + 1,
                because=f"found while item {item.id} was checked",
            )
        )
    context = {"items": made, "round": iteration(case.flow, item)}
    counted = count_made(case, item, len(made), item.generation + 1)
    case.emit("finding_set_aside", context, item={"findings": [*scope.kept, *beside]}, meters=counted)


def _first_words(findings: list[Finding]) -> str:
    return findings[0].issue if findings else ""


def danger(case: Case, said: Report) -> str | None:
    """What a person must see whatever else the report says (R-10); `stuck` and `asks` have their own way to someone."""
    if not (said.findings or said.escalation_reason):
        return None
    found = [
        finding
        for finding in still_open(said.findings)
        if finding.severity == "critical" and (finding.kind == "security" or _goes_unheeded(case, said))
    ]
    if found:
        # Each is named, so that nobody takes a risk unseen.
        kind = "security " if all(finding.kind == "security" for finding in found) else ""
        words = "; ".join(finding.issue or finding.category or finding.exploit or "" for finding in found)
        return f"A critical {kind}finding: {words}" if len(found) == 1 else f"{len(found)} critical findings: {words}"
    has_own_way = (
        ("asks",) if case.item.kind in ONE_SHOT_KINDS else ("stuck", "asks")
    )  # a child that is stuck goes nowhere
    if is_security(said.escalation_reason) and said.outcome not in has_own_way:
        reason = said.reason if not is_security(said.reason) else None
        words = stated_in(said, SECURITY) or said.summary or reason or said.blockers or ""
        words = words or "; ".join(one.content for one in said.comments)
        return f"A security concern: {words or 'no words were given'}"
    return None


def _goes_unheeded(case: Case, said: Report) -> bool:
    """Would the item go on, or its finder be gone, and nobody be made to act? A verdict that sends it back is heard,
    except where the flow lets a person decide about everything critical (P-07)."""
    if case.flow.questions.critical:
        return True
    ends = ("done", "changes_requested") if case.item.kind in ONE_SHOT_KINDS else ("done",)
    return case.item.kind == "part" or said.outcome in ends


def is_stopped(case: Case, said: Report) -> bool:
    """Does the item itself wait for a person, whatever else the report says? A child's parent asks for it."""
    return danger(case, said) is not None and not (case.item.kind in ONE_SHOT_KINDS and case.item.parent)


def heed_danger(case: Case, said: Report) -> bool:
    """Put before a person what cannot wait. True if the item waits for the answer; a child's parent asks for it."""
    found = danger(case, said)
    if found is not None and not is_stopped(case, said):
        raise_danger(case, found, said)
    elif found is not None:
        ask_about_danger(case, found, said)
        return True
    return False


def ask_about_danger(case: Case, words: str, said: Report) -> None:
    """Fix it, take the risk, or give up: a person decides."""
    stage, told = stage_of(case), said_told(said, summary=True)
    if case.item.kind in ONE_SHOT_KINDS:
        # It makes its one effort where it is, whoever finds what.
        found = [AGAIN_ALL_THE_SAME, Way("accept the risk and go on", "finish")]
    elif said.outcome == "disputed" and (waiting := [d for d in case.item.disputes if d.waits]):
        sides = {d.side(d.turn).column: d.side(d.turn).agent for d in reversed(waiting)}
        found = [Way(f"let {agent} answer the dispute", "move", column) for column, agent in sides.items()]
        found += _specialists(case, said)
    elif said.outcome not in ("done", "changes_requested"):
        found = [
            AGAIN_ALL_THE_SAME,
            *_specialists(case, said),
        ]  # nothing was finished that a person could take as it is
    else:
        # Beside `done` it is about what this stage has made itself, unless the stage looks at others' work.
        fix = case.flow.columns[stage].fix or (maker(case) if said.outcome == "changes_requested" else None)
        elsewhere = fix if fix != stage else None
        found = [way for way in ways(case, stage, elsewhere) if way != AGAIN]
        found = [*(found if elsewhere else [FIX_HERE, *found]), *_specialists(case, said)]
    named, split = experts_named(case, said), named_experts(case, said)
    ask(case, "decision", words, *found, *named, ABORT, context=told, part=case.item.agent, split=split)


def _specialists(case: Case, said: Report) -> list[Way]:
    """The flow's own column for what is dangerous: whoever watches it does the work of the stage that said so."""
    named = said.escalation_reason if is_security(said.escalation_reason) else None
    found = any(finding.severity == "critical" and finding.kind == "security" for finding in still_open(said.findings))
    target = case.flow.reasons.get(named or ("security" if found else ""))
    place = case.flow.columns.get(target or "")
    helps = place is not None and place.kind in ("escalation", "backflow") and target != case.item.column
    return [Way(f"to {target}", "move", target)] if helps else []


def raise_danger(case: Case, words: str, said: Report) -> None:
    """A part's critical finding asks at once on its item, while the others run on; it stays a verdict (R-14)."""
    assert case.item.parent is not None
    choices = [Way("fix it", "fix"), Way("accept the risk and go on", "waive"), ABORT]
    agent, told = case.item.agent or "", said_told(said, summary=True)
    case.tell(case.item.parent, RaiseQuestion(kind="decision", question=words, context=told, part=agent, ways=choices))


def fixed_in(case: Case, stage: str) -> str | None:
    """The column that changes what a look at this stage has found; None: no stage made the work."""
    return case.flow.columns[stage].fix or maker(case) or case.flow.stage_before(stage)


def maker(case: Case) -> str | None:
    """The stage that made the work, if the flow still has it."""
    return case.item.made_by if case.item.made_by in case.flow.columns and case.item.made_by != END else None


def ways(case: Case, stage: str, fix: str | None) -> list[Way]:
    """Fix it, or take the risk; where neither is possible, look again."""
    following = case.flow.columns[stage].next
    found = [Way("fix it", "fix", fix)] if fix else []
    return found + ([Way("accept the risk and go on", "finish")] if following else []) or [AGAIN]
