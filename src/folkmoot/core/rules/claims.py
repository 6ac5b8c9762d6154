"""Taking an item, keeping it, giving it back, losing it. Every later write of a run is fenced by its token."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import Actor, ClaimItem, EndRun, LapseRun, NoteSetup, ReleaseRun, TakeOver
from folkmoot.core.enums import ENDED, Cause, EventName, RunEnd, RunOutcome
from folkmoot.core.explain import stands, time_of_day
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import claimant
from folkmoot.core.records import Hold, Question, Run, Window
from folkmoot.core.report import Usage
from folkmoot.core.rules.failures import passing_fault
from folkmoot.core.rules.judging.verdicts import danger, heed_danger
from folkmoot.core.rules.messages.life import accept_handoffs
from folkmoot.core.rules.movement import again, at_rest
from folkmoot.core.rules.running.batches import most_together
from folkmoot.core.rules.running.budgets import spend_day, started
from folkmoot.core.rules.running.hearing import told_by_brief
from folkmoot.core.rules.running.joining import check_labels
from folkmoot.core.rules.running.looking import shown_in
from folkmoot.core.rules.running.spending import Counted, spend, windows_of
from folkmoot.core.rules.running.work import partial_work
from folkmoot.core.rules.sharing.holds import (
    end_locks,
    held_by,
    held_details,
    in_the_way,
    landings_there,
    take_branch,
    take_paths,
    wants_paths,
    with_wanted,
)
from folkmoot.core.situation import Case
from folkmoot.errors import Refused

RELEASES_MAX = 3
NOT_TOGETHER = "it could not land together with others"
PERSON_LEASE = 30 * 86_400.0  # a person who has taken an item need not say that they are alive


def claim(case: Case, command: ClaimItem) -> None:
    """Grant the item. What makes it claimable is looked at again here, inside the granting transaction."""
    item = case.item
    waits = item.wake_at > case.now and command.person is None  # a pause is for agents
    if claimant(case.flow, item) != command.agent or waits or item.waits_for:
        raise not_claimable(case.flow, item, command.agent, case.now, case.situation.at, case.questions.values())
    check_labels(case.flow, item, command.agent, command.labels)
    token = item.token + 1
    agent = case.flow.agents.get(command.agent)
    is_gate = item.status == "proving"
    writes = agent is not None and not is_gate and wants_paths(item, agent.write)
    if writes:
        _check_paths(case)
    if command.agent == LANDING:
        _check_branch(case, command)
    run = case.situation.draw.run
    work = case.flow.columns[item.column].work if not is_gate and item.agent is None else None
    row = _begun(case, command, token, work or item.column)
    moved = {"column": work, "because": f"{command.agent} took it up"} if work else {}
    case.run = case.voice = Run(id=run, **row)
    by_hand = {"person": command.person} if command.person else {}
    case.emit(
        "agent_started",
        {"token": token, "model": row["model"], "column": row["column"], **by_hand},
        item={
            "token": token,
            "run": run,
            "status": "running",
            **({"taken": command.person} if command.person else {}),
            "span": replace(item.span, runs=item.span.runs + 1),
            **moved,
            **({} if is_gate else shown_in(case.flow, item, row["column"])),
            # Whoever looks again after a verdict gives another.
            **({"effort": replace(item.effort, judged=False)} if item.effort.judged and not is_gate else {}),
        },
        runs=(run, row),
        **({} if command.person else started(case, command.agent)),
    )
    if item.said and not is_gate:
        told_by_brief(case)
    if writes:
        take_paths(case, command.agent)
    if command.agent == LANDING:
        take_branch(case, command.beside)
    if case.messages and not is_gate:
        accept_handoffs(case, case.run)


def not_claimable(
    flow: Flow,
    item: Item,
    agent: str,
    now: float,
    at: int,
    questions: Iterable[Question] = (),
    holds: Iterable[Hold] = (),
) -> Refused:
    """Why this agent cannot take this item now; of a pause, how long it lasts and until when."""
    words = "{agent} cannot take item {item}: it is {status} in {column}"
    about: dict[str, Any] = {"agent": agent, "item": item.id, "status": item.status, "column": item.column}
    if item.status in ENDED:
        return Refused("not_claimable", words, "see why with: <show item>", **about)
    if item.wake_at > now and claimant(flow, item) == agent:
        left = item.wake_at - now
        about |= {"seconds": round(left, 3), "until": time_of_day(at + round(left * 1000))}
        words += ", and is tried again after a pause: in {seconds:.0f}s, at {until}"
        return Refused("not_claimable", words, "try again then: <claim agent item>", **about)
    others = in_the_way(item.files, holds, item.id) if item.status == "ready" and claimant(flow, item) == agent else []
    waits = f"{held_by(others[0])}" if others else stands(flow, item, now, questions)
    return Refused("not_claimable", words + "; {waits}", "see why with: <show item>", waits, **about)


def _begun(case: Case, command: ClaimItem, token: int, column: str) -> dict[str, Any]:
    """The row of a run that begins."""
    item = case.item
    is_gate = item.status == "proving"
    agent = case.flow.agents.get(command.agent) if not is_gate else None
    model = agent.model(item.failures.get(command.agent, 0)) if agent and not command.person else None
    row: dict[str, Any] = {
        "item": item.id,
        "token": token,
        "agent": command.agent,
        "column": column,
        "lease_until": case.now + command.lease,
        "lease": command.lease,
        "model": model,
        "flow_version": case.situation.flow_version,
        "started_at": case.situation.at,
        "began": case.now,
    }
    if item.head is not None:
        row["head"] = item.head
    if item.contracts and agent is not None:
        row["contracts"] = item.contracts  # a `done` is for these words, whatever they become meanwhile
    if command.person:
        row["person"] = command.person
        row |= {"took": command.took} if command.took else {}
    elif agent is not None:
        row["pool"] = case.flow.pool(command.agent, model)
    if command.worker:
        row["worker"] = command.worker
    if command.cloned:
        row["cloned"] = True
    if command.beside:
        row["beside"] = command.beside
    if command.sandboxed is not None:
        row["sandboxed"] = command.sandboxed
    if is_gate:
        row["gate"] = True
    return row


def _check_paths(case: Case) -> None:
    """Two items whose paths overlap are never worked on at once (R-20)."""
    others = in_the_way(case.item.files, case.holds.values(), case.item.id, case.situation.waiters)
    if others:
        words = "item {item} cannot be taken: {held}"
        hint = "take another item, or wait; see: <locks>"
        raise Refused("path_held", words, hint, **{**held_details(others[0]), "item": case.item.id})


def _check_branch(case: Case, command: ClaimItem) -> None:
    """One at a time lands on a branch; beside it those that it takes along, as many as the flow lets now (R-19)."""
    there = landings_there(case)
    if there and there[0].run != command.beside:
        words = "item {other} is landing there, and item {item} must wait for it"
        raise Refused("path_held", words, "one at a time lands on a branch; try again", there[0].item, case.item.id)
    if command.beside is None:
        return
    if not there:
        raise stale(Actor(command.agent, command.beside, None), "it has its branch no more, and nobody lands beside it")
    if len(there) >= most_together(case.flow):
        words = "the flow in force lets {most} land together"
        raise Refused("not_together", words, "let it land by itself", most_together(case.flow))


def fence(case: Case) -> Run:
    """The live run of the actor, or a refusal that says what holds instead."""
    run, actor = case.run, case.actor
    if run is not None and run.ended_at is None and run.id == actor.run and run.token == actor.token:
        case.voice = run
        return run
    raise stale(actor, f"item {case.item.id} is {case.item.status}, its token is {case.item.token}")


def stale(actor: Actor, holds: str) -> Refused:
    words = "run {run} with token {token} is not the current run; {holds}"
    hint = "stop this effort: its lease was lost, or it has ended; nothing was changed"
    return Refused("stale_claim", words, hint, actor.run, actor.token, holds)


def renew(case: Case, usage: Usage | None = None, windows: Sequence[Window] = ()) -> None:
    run = fence(case)
    spent = spend(case, usage)
    fields = {"lease_until": case.now + run.lease, "renewals": run.renewals + 1, **spent.run}
    told = {"renewals": run.renewals + 1, **_told(spent)}
    meters = [*spent.rows.get("meters", []), *windows_of(case, windows)]
    rows = {"meters": meters} if meters else {}
    case.emit("lease_renewed", told, item=spent.item, runs=(run.id, fields), **rows)
    if spent.rows:
        spend_day(case)


def keep_alive(case: Case) -> None:
    """An agent from outside has no worker that renews for it: whatever it says to the board is a sign of life. Its
    lease is renewed once half of it is over, so that not every word stands twice in the log."""
    run, voice = case.run, case.voice
    if voice is None or run is None or not run.cloned or run.id != voice.id or run.ended_at is not None:
        return
    if run.lease_until - case.now < run.lease / 2:
        renew(case)


def _told(spent: Counted) -> dict[str, Any]:
    usage = spent.run.get("usage")
    return {"tokens": usage.input_tokens + usage.output_tokens, "usd": usage.cost_usd} if usage is not None else {}


def note_setup(case: Case, command: NoteSetup) -> None:
    """A landing proves by several gates, each in a clone of its own: their times add up."""
    run = fence(case)
    seconds = round((run.setup_seconds or 0.0) + command.seconds, 3)
    context = {"seconds": round(command.seconds, 3), "kept": command.kept}
    case.emit("setup_ended", context, runs=(run.id, {"setup_seconds": seconds, "setup_kept": command.kept}))


def end_run(
    case: Case,
    event: EventName,
    end: RunEnd,
    context: dict[str, Any] | None = None,
    *,
    outcome: RunOutcome,
    cause: Cause | None = None,
    usage: Usage | None = None,
    **changed: Any,
) -> None:
    """Close the run; `changed` are further fields of its row, `usage` what it has used up in all, where that is told.
    The item rests until the rules say where it goes."""
    assert case.run is not None
    spent = spend(case, usage)
    item_fields = {**spent.item, **changed.pop("item", {})}
    rows, changed = {**spent.rows, **changed.pop("rows", {})}, {**spent.run, **changed}
    if changed.get("work", True) is None:
        del changed["work"]
    row = {"ended_at": max(case.run.started_at, case.at), "end": end, "outcome": outcome, "cause": cause, **changed}
    fields = at_rest(case, last_run=case.run.id, **with_wanted(case.item, outcome), **item_fields)
    case.emit(event, context, item=fields, runs=(case.run.id, row), **rows)
    if spent.rows:
        spend_day(case)
    if case.holds:
        end_locks(case, case.run.id)


def release(case: Case, command: ReleaseRun) -> None:
    """Given back unworked. Nothing is counted, but a third time in a row is a passing fault. What a person made is
    kept: the agent goes on from it."""
    run = fence(case)
    if run.person is not None:
        _hand_back(case, run, command)
        return
    if run.beside is not None:  # nobody has begun anything for it alone, so nothing is counted
        end_run(case, "landing_deferred", "released", {"why": NOT_TOGETHER}, outcome="released")
        again(case, "item_ready", {"why": NOT_TOGETHER})
        return
    releases = case.item.effort.releases + 1
    end_run(case, "run_released", "released", {"in_a_row": releases}, outcome="released")
    if _danger_refused(case):
        return
    if releases >= RELEASES_MAX:
        effort = replace(case.item.effort, releases=0)
        passing_fault(case, "transient", f"given back {releases} times in a row", effort)
    else:
        again(case, "item_ready", {"why": "given back"}, effort=replace(case.item.effort, releases=releases))


def _hand_back(case: Case, run: Run, command: ReleaseRun) -> None:
    work, fields = partial_work(case, command.work)
    end_run(case, "run_released", "released", {"person": run.person}, outcome="released", work=work, item=fields)
    again(case, "item_ready", {"why": f"{run.person} gave it back"}, because=f"{run.person} gave it back")


def take_over(case: Case, command: TakeOver) -> None:
    """A person takes the item out of its agent's hands, to do the work: the agent's run ends, nothing is counted."""
    item, run, name = case.item, case.run, case.actor.name
    if run is None or run.ended_at is not None:
        return
    about = {"item": item.id, "column": item.column}
    if run.gate:
        words = "{agent} is at work on item {item} in {column}: nobody takes it over before it has ended"
        raise Refused("not_taken", words, "wait for it: <show item>", run.agent, **about)
    if run.person is not None:
        words = "{person} has taken item {item} already, in {column}"
        hint = "let {person} give it, or give it back; or take it away: <move item column>"
        raise Refused("not_taken", words, hint, run.person, **about)
    revoke(case, f"{name} takes it over")


def end_by_hand(case: Case, command: EndRun) -> None:
    """A person ends a run, of an agent, a gate or another person. The item stays where it is, with all it has: no
    counter begins again, no question or dispute ends. What the run made is kept, and the next one is told why."""
    run, name = case.run, case.actor.name
    if run is None or run.ended_at is not None:
        words = "nobody is at work on item {item}"
        raise Refused("not_at_work", words, "see how it stands: <show item>", item=case.item.id)
    told = f"{name} ended the run of {run.person or run.agent}"
    revoke(case, command.why or told)
    again(case, "item_ready", {"why": told}, because=f"{told}: “{command.why}”" if command.why else told)


def lapse(case: Case, command: LapseRun) -> None:
    """The lease ran out, or the worker is known to be dead: the run is dead to the board whatever its process does; the
    effort is tried again."""
    run = case.run
    if command.died is not None and (run is None or run.ended_at is not None or run.id != command.died):
        return  # it has ended meanwhile, and another may be at work
    assert run is not None
    if command.died is None:
        case.count_from(run.lease_until)
    how = "its worker died" if command.died else "its lease ran out"
    told = {"run": run.id, "agent": run.agent, "lease": run.lease, "how": how}
    end_run(case, "run_lapsed", "rescued", told, outcome="failed", cause="transient")
    if _danger_refused(case):
        return
    if run.person is not None:
        again(case, "item_ready", {"why": f"the lease of {run.person} ran out"})
        return
    effort = replace(case.item.effort, releases=0)
    passing_fault(case, "transient", f"{how.replace('its lease', 'the lease')} without a report", effort)


def _danger_refused(case: Case) -> bool:
    """What a person must see is seen also where its report was refused for its form, and no other came (R-10)."""
    said = case.run.refused if case.run else None
    if said is None or danger(case, said) is None:
        return False
    new = [finding for finding in said.findings if finding not in case.item.findings]
    case.set("item_rests", {"findings": len(new)}, findings=[*case.item.findings, *new])
    return heed_danger(case, said)


def revoke(case: Case, why: str) -> None:
    """A person takes the item out of the agent's hands."""
    if case.run is not None and case.run.ended_at is None:
        end_run(case, "run_revoked", "revoked", {"why": why, "run": case.run.id}, outcome="revoked")
