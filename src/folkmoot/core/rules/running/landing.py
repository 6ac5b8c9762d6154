"""Landing is a gate that every flow has: merge, prove the result, move the branch; one at a time per branch (R-19)."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import Actor, RecordLanding, ReportRun, SettleLanding
from folkmoot.core.enums import ENDED, QuestionKind
from folkmoot.core.flow import END, LANDING
from folkmoot.core.item import Item, Proof, Proving
from folkmoot.core.records import Run
from folkmoot.core.report import Finding, Report
from folkmoot.core.rules.asking.telling import findings_told
from folkmoot.core.rules.children.contracts import changed_while_landing
from folkmoot.core.rules.claims import end_run, fence, stale
from folkmoot.core.rules.failures import failed, passing_fault
from folkmoot.core.rules.judging.required import required, unproved, waived
from folkmoot.core.rules.movement import again, at_rest, end_child, enter, finish, stands_alone
from folkmoot.core.rules.questions import ask
from folkmoot.core.rules.running.looking import unseen_by
from folkmoot.core.rules.running.rights import strays
from folkmoot.core.rules.running.work import TOUCHED_MAX, hand_over, with_paths
from folkmoot.core.rules.sharing.holds import branch_of, in_the_way, is_landing
from folkmoot.core.rules.sharing.paths import overlap
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.cause_line import cause_line
from folkmoot.core.vocabulary.lines import nth_time
from folkmoot.core.vocabulary.ways import AGAIN, PARK, Way
from folkmoot.core.work import Batch, Evidence, Landing, Work
from folkmoot.errors import Refused

DEFER_SECONDS, DEFER_SECONDS_MAX = 5.0, 300.0
PROOFS_KEPT = 50
SHOWN_MAX = 5
SUMMARY_SHOWN = 400  # a landing that went beside the branch says in it how to go on
BEFORE = "it was green on this very tree before"
GIVE_UP = Way("give it up", "cancel")


def record(case: Case, command: RecordLanding) -> None:
    """What no declared path covered is taken now: it must be held by no other, or the landing waits (R-20)."""
    run = fence(case)
    if run.agent != LANDING:
        words = "run {run} is of {agent}, and moves no branch"
        raise Refused("not_landing", words, "report the work instead", run.id, run.agent)
    if _has_no_branch(case):
        return
    if not _may_land(case, run, command):
        return
    paths = [one.path for one in command.touched]
    landing = Landing(
        branch=command.branch,
        old=command.old,
        new=command.new,
        run=run.id,
        tree=command.tree,
        head=case.item.head,
        batch=command.batch,
    )
    context: dict[str, Any] = {"branch": command.branch, "old": command.old, "new": command.new, "tree": command.tree}
    context |= {"paths": paths[:TOUCHED_MAX], **_told_of(command.batch)}
    # What proves it is kept with the intent: whoever finds that the branch was moved finds also why it might be.
    proofs = [*case.item.proofs, *_evidence(case, command.evidence)][-PROOFS_KEPT:]
    case.set("landing_recorded", context, landing=landing, proofs=proofs)


def _told_of(batch: Batch | None) -> dict[str, Any]:
    return {"beside": batch.beside} if batch else {}


def _may_land(case: Case, run: Run, command: RecordLanding) -> bool:
    """Proofs, rights and what others hold, as they are now: asked when the move is written down, and again in the
    transaction that makes it. False: it waits, or goes back."""
    _check_mended(case.item)
    missing = unproved(case.flow, case.item, case.situation.parent is None, command.tree, command.evidence)
    if unseen_by(case.flow, case.item) or any(not case.flow.gates[gate].run for gate in missing):
        _defer(case, "somebody must look at it as it is now")  # see `settling`: who must is called first
        return False
    if missing:
        words = "{gate} is not green on what item {item} would bring onto {branch}"
        hint = "run the gates on it first; a person can waive them: <move item column=done>"
        raise Refused("not_proved", words, hint, missing[0], case.item.id, command.branch)
    astray = strays(command.touched, case.flow, case.item, case.item.changed)
    if astray:
        _refuse(case, run, command, "; ".join(astray[:SHOWN_MAX]))
        return False
    holds = [hold for hold in case.holds.values() if not is_landing(hold)]
    paths = [one.path for one in command.touched]
    others = in_the_way(paths, holds, case.item.id, case.situation.waiters)
    if others:
        _defer(case, f"{others[0].path} is held by {others[0].owner}", overlap(paths, [hold.path for hold in others]))
        return False
    return True


def _may_still_land(case: Case, run: Run, command: ReportRun) -> bool:
    """What was written down was true then. Between that and the move others may have had their say."""
    intent = case.item.landing
    if command.moves is None or intent is None or intent.run != run.id:
        return True
    again = RecordLanding(
        branch=intent.branch,
        old=intent.old,
        new=intent.new,
        tree=intent.tree,
        touched=command.moves,
        evidence=command.evidence,
        batch=intent.batch,
    )
    return _may_land(case, run, again)


def _refuse(case: Case, run: Run, command: RecordLanding, words: str) -> None:
    """One path too many refuses the landing whole (R-20). Who mends it begins from both sides merged, and sees there
    where the change has gone; it can ask for that path (`widen`), or a person can give it."""
    said = Report.failed(f"it would change what it may not: {words}", cause="conflict")
    work = Work(base=case.item.head, commit=command.new, tree=command.tree)
    context = {"outcome": said.outcome, "cause": said.cause, "summary": said.summary[:SUMMARY_SHOWN]}
    ended = {"report": said, "work": work}
    end_run(case, "agent_completed", "reported", context, outcome=said.outcome, cause=said.cause, usage=None, **ended)
    _send_back(case, run, said, work)


def _has_no_branch(case: Case) -> bool:
    """Has the item that sent for this one ended meanwhile? Then its landing is over, and it goes its own way."""
    if not stands_alone(case):
        return False
    end_run(case, "landing_deferred", "released", {"why": "no item's branch is there for it"}, outcome="released")
    finish(case)
    return True


def _defer(case: Case, why: str, held: list[str] | None = None) -> None:
    """What the merge has shown is part of the change from now on, so that the landing waits behind a bar for whoever
    holds it, and no run finds that out again (R-20). Otherwise it waits longer each time."""
    times = min(case.item.effort.deferrals, 10)
    new = [path for path in held or [] if path not in case.item.changed]
    pause = 0.0 if new else min(DEFER_SECONDS * 2**times, DEFER_SECONDS_MAX)
    end_run(case, "landing_deferred", "released", {"why": why}, outcome="released")
    effort = replace(case.item.effort, deferrals=times + 1)
    because = f"it waits to land: {why}"
    changed = with_paths(case.item.changed, new)
    again(case, "item_ready", {"why": why}, wake_at=case.now + pause, because=because, effort=effort, changed=changed)


def is_at_rest(item: Item) -> bool:
    """No landing of it is at work, and none is to come by itself."""
    return item.run is None and item.status not in ("running", "proving")


def unsettled(item: Item) -> Landing | None:
    """The move that was begun and of which nobody has said what came of it, where no run will say it by itself."""
    return item.landing if is_at_rest(item) else None


def settle_landing(case: Case, command: SettleLanding) -> None:
    """What git shows of a move whose run has ended is what the board says, whatever the item has become since (R-19).

    The run is over, so it moves nothing any more. Where another landing has begun since, that one finds out itself.
    """
    intent = unsettled(case.item)
    if intent is None or intent.new != command.new:
        return
    context = {"branch": command.branch, "commit": intent.commit, "run": intent.run}
    if not command.moved:
        case.set("landing_dropped", context, landing=None)
        return
    fields: dict[str, Any] = {"landing": None, "landed": intent.commit, "landed_on": command.branch}
    if case.item.head == intent.head:
        fields["head"] = None
        if is_before_landing(case.item.proving):
            fields["proving"] = None  # nothing of it is left to land, when it goes on
    if case.item.status in ENDED:
        fields["because"] = f"{case.item.because}; its work was on {command.branch} already"
    case.set("landing_found", context, **fields)


def check_lease(run: Run, now: float) -> None:
    """A branch is moved by a run whose lease holds; one that is over may just not have been swept yet (R-29)."""
    if run.lease_until <= now:
        raise stale(Actor(run.agent, run.id, run.token), f"its lease ended {now - run.lease_until:.1f}s ago")


def moves_branch(run: Run) -> bool:
    """Has the run just reported that its item's work is on the branch it is for?"""
    return run.agent == LANDING and run.end == "reported" and run.outcome == "done"


def landing_reported(case: Case, command: ReportRun) -> None:
    run = fence(case)
    if _has_no_branch(case):
        return
    said, work, head, intent = _judged(command), command.work, case.item.head, case.item.landing
    done = said.outcome == "done" and command.fault is None
    if done:
        _check_mended(case.item)
        _check_proved(case, command)
        check_lease(run, case.now)
        if not _may_still_land(case, run, command):
            return
    proofs = [*case.item.proofs, *_proofs(case, command, done)][-PROOFS_KEPT:]
    fields: dict[str, Any] = {"proofs": proofs, "effort": replace(case.item.effort, releases=0, deferrals=0)}
    if done:
        fields |= _landed(case, run, said, work)
    end_run(
        case,
        "agent_completed",
        "reported",
        {"outcome": said.outcome, "cause": said.cause, "summary": said.summary[:SUMMARY_SHOWN]},
        outcome=said.outcome,
        cause=said.cause,
        report=said,
        work=work,
        item=fields,
    )
    if done:
        told = {"branch": fields["landed_on"], "commit": fields["landed"], "run": run.id}
        told |= _told_of(intent.batch if intent else None)
        what = replace(case.item, head=head)  # that has just landed
        case.set("work_landed", {**told, "proved": required(case.flow, what, case.situation.parent is None)})
        _end(case, f"its work is on {fields['landed_on']}")
    elif said.cause in ("conflict", "gate"):
        _send_back(case, run, said, work, said.cause == "conflict")
    elif said.extra.get("no_target"):
        _ask_for_target(case, said)
    else:
        passing_fault(case, said.cause or "transient", command.fault or said.summary or "it could not be landed")


def is_marked(item: Item) -> bool:
    """Is its branch still where a landing has marked conflicts, so that nobody has mended them?"""
    return item.marked is not None and item.head == item.marked


def _check_mended(item: Item) -> None:
    if is_marked(item):
        words = "the conflicts that are marked in {files} were not mended"
        hint = "mend them first; a person can land it as it is: <move item column=done>"
        raise Refused("not_proved", words, hint, item.marked, item=item.id)


def not_mended(case: Case) -> None:
    """Who was to mend the conflicts says done, and has changed nothing: it is the same conflict again."""
    said = Report.failed("the marked conflicts were not mended", "conflict", findings=case.item.findings)
    _send_back(case, None, said, None)


def _check_proved(case: Case, command: ReportRun) -> None:
    """A move that was written down was proved then. One by somebody's word alone needs every gate's last word."""
    item, commit = case.item, command.report.commit
    if item.landing is not None and commit in (None, item.landing.commit):
        return
    missing = unproved(case.flow, item, case.situation.parent is None, None, command.evidence)
    if missing:
        words = "{gate} is not green for item {item}: it cannot have landed"
        hint = "run the gate first; a person can waive it: <move item column=done>"
        raise Refused("not_proved", words, hint, missing[0], item.id)


def _ask_for_target(case: Case, said: Report) -> None:
    """The branch is gone, or has another name. No run can know what is meant, and none makes a branch of its own."""
    because = f"it cannot land: {said.summary}"
    context = {"why": said.summary, "round": case.item.span.reds.get(END, 0)}
    case.emit("landing_failed", context, item=at_rest(case, because=because))
    words = f"The work cannot land: {said.summary}. It is kept."
    told = f"its work is at {case.item.head}" if case.item.head else ""
    ask(case, "decision", words, AGAIN, GIVE_UP, context=told, help=said.blockers)


def _judged(command: ReportRun) -> Report:
    """A gate that was red on the two together is the last word, whatever else is said."""
    red = next((one for one in command.evidence if not one.green), None)
    if red is None or command.report.outcome != "done":
        return command.report
    return replace(
        command.report, outcome="failed", cause="gate", summary=f"{red.gate} is red: {cause_line(red.output)}"
    )


def _landed(case: Case, run: Run, said: Report, work: Work | None) -> dict[str, Any]:
    item, parent = case.item, case.situation.parent
    over: dict[str, Any] = {"landing": None, "proving": None}
    if item.column == END:
        over["returns_to"] = None
    if parent is not None:
        return {**hand_over(case, parent, work or Work()), **over}
    # Where the user's tree stands in the way, the work is brought to a branch beside the one it is for.
    branch = said.extra.get("branch") or (item.landing.branch if item.landing else branch_of(case.flow, item))
    commit = said.commit or (work.commit if work else None) or item.head
    # What a child has brought onto the item's branch meanwhile has yet to land.
    head = None if item.head == run.head else item.head
    over["changed"] = [] if head is None else item.changed
    return {"head": head, "landed": commit, "landed_on": branch, **over}


def _end(case: Case, because: str) -> None:
    """A child that landed where it is ends there."""
    if case.item.column == END:
        enter(case, END, because)
    elif not changed_while_landing(case):
        end_child(case, because)


def _proofs(case: Case, command: ReportRun, done: bool) -> list[Proof]:
    assert case.run is not None
    run, at, item = case.run.id, case.situation.at, case.item
    found = _evidence(case, command.evidence)
    # A gate need not run again on a tree on which it was green: then its last word here is not that it was red.
    last = {proof.gate: proof.green for proof in item.proofs if proof.column == END}
    red = [gate for gate, green in last.items() if not green and done and gate not in {one.gate for one in found}]
    red = [gate for gate in red if gate not in waived(item)]
    return found + [Proof(gate=gate, column=END, green=True, run=run, summary=BEFORE, at=at) for gate in red]


def _evidence(case: Case, evidence: list[Evidence]) -> list[Proof]:
    """What a landing's gates have shown, and is not on the item yet. It has nothing to say for a gate by hand."""
    assert case.run is not None
    run, at = case.run.id, case.situation.at
    known = [proof.evidence for proof in case.item.proofs if proof.run == run]
    return [
        Proof(gate=e.gate, column=END, green=e.green, run=run, summary="", commit=e.commit, at=at, evidence=e)
        for e in evidence
        if e not in known and (e.gate not in case.flow.gates or case.flow.gates[e.gate].run)
    ]


def is_before_landing(proving: Proving | None) -> bool:
    """Is the item done but for its landing, and a gate that only people can play is asked once more?"""
    return proving is not None and LANDING in proving.left


def not_signed(case: Case, gate: str, said: Report) -> None:
    """Somebody has looked at what is to land, and it is not to: whoever made it hears why."""
    assert case.run is not None
    words = said.summary or (said.findings[0].issue if said.findings else "no words were given")
    findings = said.findings or [Finding(kind="review", severity="high", issue=words)]
    findings = [replace(finding, found_by=[gate]) for finding in findings]
    _send_back(case, case.run, replace(said, cause="gate", summary=f"{gate} is red: {words}", findings=findings), None)


def _mending_stage(case: Case, modes: tuple[str, ...]) -> str | None:
    """The stage that made the work; or the last one before it, on the item's way, whose agent may change what it must.
    Who only reads would say done, and what is wrong would land."""
    item, flow = case.item, case.flow
    way = [name for name in flow.stages(item.entry if item.entry in flow.columns else None) if name in flow.columns]
    if item.made_by in way:
        way = way[: way.index(item.made_by) + 1]
    elif item.made_by is not None:  # off that way, or gone from the flow: then only the stage before the end can know
        last = item.made_by if item.made_by in flow.columns else flow.stage_before(END)
        way = [last] if last else []
    return next((name for name in reversed(way) if name != END and flow.writes(name, modes)), None)


def _menders(case: Case, stage: str | None) -> list[str]:
    """The stage that mends it; where none on its way may, every stage of the flow whose agent may write the files."""
    flow = case.flow
    able = (name for name, place in flow.columns.items() if place.kind == "flow" and flow.writes(name, ("own", "any")))
    return [stage] if stage else [name for name in able if name != END]


def _send_back(case: Case, run: Run | None, said: Report, work: Work | None, marks: bool = False) -> None:
    """To the stage that made the work, with both sides already merged, and from there straight back to landing."""
    item, flow = case.item, case.flow
    reds = item.span.reds.get(END, 0) + 1
    fields: dict[str, Any] = {
        "span": replace(item.span, reds={**item.span.reds, END: reds}),
        "findings": said.findings or [Finding(kind="test", severity="high", issue=said.summary)],
        "proving": None,
        "landing": None,
    }
    if work is not None and work.commit and run is not None and item.head == run.head:
        fields["head"] = work.commit
        fields["marked"] = work.commit if marks else None
    because = f"it cannot land as it is: {said.summary}"
    case.emit("landing_failed", {"why": said.summary, "round": reds}, item=at_rest(case, **fields, because=because))
    stays = item.column != END
    fresh = run is None and item.span.runs == 0  # a person has just said to try again: that is one effort, in any flow
    stage = _mending_stage(case, ("own", "any") if said.cause == "conflict" else ("own", "new_tests", "any"))
    if stays and item.kind == "task" and said.cause == "conflict" and run is not None:
        failed(case, Report.failed(said.summary, "conflict"))  # an integration conflict is the whole's
    elif (reds > flow.limits.feedback_rounds and not fresh) or (stage is None and not stays):
        words = f"The work could not be landed{nth_time(reds)}: {said.summary}"
        ways = [Way(f"mend it in {place}", "move", place) for place in _menders(case, stage)] if not stays else []
        # Marks that nobody on its way may mend are there as long as nobody else does: to try again is to ask again.
        ways += [*([AGAIN] if stage or stays or not is_marked(case.item) else []), GIVE_UP, PARK]
        hint = f"to move item {item.id} to done lands it as it is" if is_marked(case.item) else None
        kind: QuestionKind = "conflict" if said.cause == "conflict" else "decision"
        ask(case, kind, words, *ways, context=findings_told(fields["findings"]), help=hint)
    elif stage is not None and not stays:
        enter(case, stage, because, event="escalation_triggered", returns_to=END, origins=[], proving=None)


def mend(case: Case, said: Report) -> None:
    """What was found in the work after it was proposed: whoever made it mends it, as what a landing's gates find."""
    _send_back(case, None, said, None)
