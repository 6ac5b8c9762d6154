"""Help from others: experts after the own attempts, a column that can, a person; and sub-agents (R-08, R-09, R-25)."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import MakeItem
from folkmoot.core.enums import ENGINE_NAME, ONE_SHOT_KINDS, Kind
from folkmoot.core.flow import RUNG_ESCALATE
from folkmoot.core.item import Output
from folkmoot.core.report import Delegation, Report, Try
from folkmoot.core.rules.asking.telling import facts
from folkmoot.core.rules.children.tasks import is_bound_for_discovery, may_be_split, to_discovery
from folkmoot.core.rules.movement import again, at_rest, history, last_reason, leave_flow, note, said_last
from folkmoot.core.rules.questions import ask
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.scopes import makes_something
from folkmoot.core.vocabulary.ways import AGAIN, GO_ON, Way

EXPERTS_MAX = 3
INCOMPLETES_MAX = 3  # runs in a row that leave the work unfinished, or to others
SUB_AGENTS_MAX = 20
TITLE_MAX = 500  # what is longer stands whole in the body
UNSUCCESSFUL = "EXPERT_UNSUCCESSFUL"
RETOLD = "it tells of an expert whom the board has asked, which is counted already"  # the ground of such an attempt


def wants_help(case: Case, agent: str) -> bool:
    """Where the flow sets a number of attempts, the agent's own are only the first of them."""
    limits = case.flow.limits
    counted = limits.attempts is not None and not case.flow.agents[agent].ladder
    return counted and case.item.span.self_solve_attempts >= limits.own_attempts


def experts_left(case: Case, agent: str) -> list[str]:
    """Those who were not asked since the last guidance; nobody is asked twice for the same problem (E-03)."""
    item = case.item
    if item.kind in ONE_SHOT_KINDS or len(item.span.experts) >= EXPERTS_MAX:
        return []
    return [name for name in case.flow.agents[agent].experts if name not in item.span.experts]


def next_expert(case: Case, agent: str) -> str | None:
    return next(iter(experts_left(case, agent)), None)


def seek_help(case: Case, agent: str, because: str = "", blocked: bool = False) -> None:
    """The agent is at its end: an expert, then the column of a known reason, then its own, then a person (K-10).

    `blocked`: it says itself that nobody can do it as it is, so whoever splits work looks at it before a person (Q-08).
    """
    item = case.item
    failures = item.failures.get(agent, 0)
    tried = "1 attempt" if failures == 1 else f"{failures} attempts"
    expert = next_expert(case, agent)
    if expert is not None:
        _ask_expert(case, expert, because or f"{agent} failed {tried}")
        return
    if item.kind in ONE_SHOT_KINDS:
        ask(case, "decision", because or f"{agent} failed {tried}", AGAIN)
        return
    tiers = {rung.model for rung in case.flow.agents[agent].ladder} - {RUNG_ESCALATE}
    across = " across all model tiers" if len(tiers) > 1 else ""
    content = because or f"Failed {tried}{across}"
    because = because or f"{agent} failed {tried}{across}"
    note(case, ENGINE_NAME, content, "end of the ladder")
    if is_bound_for_discovery(case):
        to_discovery(case, because)
        return
    target = case.flow.reasons.get(item.escalation_reason or "")
    if target and (target == item.column or target in item.span.off_columns or _is_for_disputes(case, target)):
        target = None
    target = target or case.flow.agents[agent].escalate_to
    if target is None and blocked and may_be_split(case):
        to_discovery(case, because)
    elif target is None and blocked and _has_asked(case):
        return  # the answer to its own question is what it waits for
    elif target is None:
        last = last_reason(case)
        words = f"{because}, and nobody is left to try." + (f" The last time: {last}" if last else "")
        splits = [Way(f"split it in {case.flow.discover}", "move", case.flow.discover)] if may_be_split(case) else []
        ask(case, "decision", words, AGAIN, *splits, context=facts(history(case), said_last(case)))
    else:
        leave_flow(case, target, because, item.escalation_reason)


def _has_asked(case: Case) -> bool:
    """Does the item wait for the answer to what its agent asks in the report itself?"""
    run, said = case.run, case.run.report if case.run else None
    if run is None or said is None or said.question is None:
        return False
    asked = [one for one in case.questions.values() if one.run == run.id and one.state == "open" and one.blocking]
    return any(one.question == said.question.question for one in asked)


def _is_for_disputes(case: Case, column: str) -> bool:
    return case.flow.columns[column].kind == "dispute"


def _ask_expert(case: Case, expert: str, because: str, task: str = "") -> None:
    """A child item with the problem and every attempt; the item waits for the advice."""
    item = case.item
    child = case.new_item_id()
    span = replace(
        item.span,
        experts=[*item.span.experts, expert],
        experts_tried=list(dict.fromkeys([*item.span.experts_tried, expert])),
    )
    tried = history(case)
    body = "\n\n".join(part for part in (task or item.body, f"What was tried:\n{tried}" if tried else "") if part)
    case.make(_child(case, child, "expert", expert, f"Advise on: {item.title}", body, because))
    case.emit(
        "work_delegated",
        {"to": [expert], "children": [child], "why": because},
        item=at_rest(
            case, **waiting_for(case, {child: expert}, "help"), span=span, because=f"{because}; {expert} is asked"
        ),
    )


def _child(case: Case, child: str, kind: Kind, agent: str, title: str, body: str, because: str) -> MakeItem:
    item = case.item
    return MakeItem(
        id=child,
        title=title[:TITLE_MAX],
        kind=kind,
        agent=agent,
        body=body,
        column=item.column,
        parent=item.id,
        type=item.type,
        priority=item.priority,
        needs=item.needs,
        generation=item.generation,
        contracts=item.contracts,
        because=because,
    )


def waiting_for(case: Case, children: dict[str, str], join: str) -> dict[str, Any]:
    """What changes on an item that waits for children the rules have just made."""
    item = case.item
    return {
        "join": join,
        "made": {**item.made, **children},
        "waits_for": list(dict.fromkeys([*item.waits_for, *children])),
    }


def experts_named(case: Case, said: Report) -> list[Way]:
    """The experts whom a report names that must go to a person first: each is a way to answer (E-05)."""
    return [Way(f"ask {one.to} for advice", "delegate") for one in _experts_in(case, said)]


def _experts_in(case: Case, said: Report) -> list[Delegation]:
    """Those whom the agent may ask and who were not asked yet."""
    agent = case.flow.agents.get(case.run.agent) if case.run else None
    if agent is None or case.item.kind in ONE_SHOT_KINDS:
        return []
    return [one for one in said.delegate if one.to in agent.experts and one.to not in case.item.span.experts]


def named_experts(case: Case, said: Report) -> Report | None:
    """As much of a delegation as is needed to carry it out when a person has chosen one of them."""
    named = _experts_in(case, said)
    return Report(outcome="delegates", delegate=named) if named else None


def ask_named(case: Case, proposed: Report, words: str) -> bool:
    """A person lets an expert be asked whom the agent has named."""
    chosen = next((one for one in proposed.delegate if one.to and one.to in words), None)
    if chosen is None or chosen.to is None or chosen.to not in case.flow.agents:
        return False  # the flow was changed since
    _ask_expert(case, chosen.to, f"a person lets {chosen.to} be asked", _task_of(chosen))
    return True


def _task_of(one: Delegation) -> str:
    """What is asked of a helper, with how far it goes."""
    return "\n\n".join(part for part in (one.task, f"Scope: {one.scope}" if one.scope else "") if part)


def fault_of_scope(case: Case, one: Delegation) -> str | None:
    """A sub-agent looks: discovery and analysis. What it is sent to make would be made by nobody (Q-09, R-25)."""
    agent = case.flow.agents.get(case.run.agent) if case.run else None
    may_send = agent is not None and "dispatch" in agent.may and not _is_sub(case, one)
    if not makes_something(one.scope) or may_send or (one.to and _is_expert(case, one.to)):
        return None
    return (
        f"the sub-agent for {one.task.strip()[:80]!r} has the scope {one.scope!r}, but a sub-agent only looks: give it"
        " the scope discovery_only, and leave what is to be made to a task of the split"
    )


def fault_of_delegation(case: Case, said: Report) -> str | None:
    """What is wrong with a `delegates`, or None."""
    assert case.run is not None
    agent, item = case.flow.agents[case.run.agent], case.item
    if not said.delegate:
        return "delegates needs a list: delegate: [{to, task, scope}]"
    if item.kind in ONE_SHOT_KINDS:
        return f"this item is of kind {item.kind}, and cannot delegate: report done or stuck"
    experts = [one.to for one in said.delegate if one.to and one.to in case.flow.agents and _is_expert(case, one.to)]
    for one in said.delegate:
        if one.to and one.to not in case.flow.agents:
            known = (
                f": its experts are {', '.join(agent.experts)}" if agent.experts else ": without `to` it is a sub-agent"
            )
            return f"there is no agent {one.to!r} to delegate to{known}"
        if one.to in experts and one.to not in agent.experts:
            return f"{one.to} is no expert of {case.run.agent}: its experts are {', '.join(agent.experts) or 'none'}"
        if one.to in experts and one.to in item.span.experts:
            return f"{one.to} was asked already: the same expert is not asked twice for the same problem"
    if experts and len(said.delegate) > 1:
        return "an expert is asked alone: one delegation at a time"
    if experts and len(item.span.experts) >= EXPERTS_MAX:
        return f"{len(item.span.experts)} experts were asked already, and those are all: report failed, or stuck"
    if any(_is_sub(case, one) for one in said.delegate) and item.fanned_out:
        return "sub-agents were sent out, one fan-out per item: go on with what they found, and report done or stuck"
    if fault := next((fault for one in said.delegate if (fault := fault_of_scope(case, one))), None):
        return fault
    if len(said.delegate) > SUB_AGENTS_MAX:
        return f"{len(said.delegate)} at once are too many: at most {SUB_AGENTS_MAX}"
    return None


def _is_expert(case: Case, agent: str) -> bool:
    return case.flow.agents[agent].expert


def _is_sub(case: Case, one: Delegation) -> bool:
    """Without a name, or with the agent's own, it is a sub-agent: it looks, and its parent draws the conclusion."""
    return one.to is None or (case.run is not None and one.to == case.run.agent) or one.scope == "discovery_only"


def delegates(case: Case, said: Report) -> None:
    """The agent asks others before it goes on; only this waits for them (R-25)."""
    assert case.run is not None
    first = said.delegate[0]
    asked = first.task.strip().partition("\n")[0]
    because = f"{case.run.agent} delegates: {said.summary or asked}"
    if first.to and _is_expert(case, first.to):
        _ask_expert(case, first.to, because, _task_of(first))
        return
    effort = replace(case.item.effort, incompletes=case.item.effort.incompletes + 1)
    if effort.incompletes >= INCOMPLETES_MAX:
        # Whoever only hands on what it was given gets no further: else its runs would go on up to the fuse.
        case.emit(
            "work_left_incomplete", {"count": effort.incompletes, "why": because}, item=at_rest(case, effort=effort)
        )
        words = f"{effort.incompletes} runs in a row left the work to others: {because}"
        ask(case, "decision", words, GO_ON, context=facts(history(case), said_last(case)))
        return
    children: dict[str, str] = {}
    for one in said.delegate:
        child, agent = case.new_item_id(), one.to or case.run.agent
        children[child] = agent
        kind: Kind = "sub" if _is_sub(case, one) else "dispatch"
        title = one.task.strip().splitlines()[0] if one.task.strip() else one.task
        body = "\n\n".join(
            part for part in (one.task if one.task.strip() != title[:TITLE_MAX] else "", one.scope) if part
        )
        make = _child(case, child, kind, agent, title, body, because)
        if kind == "dispatch":
            # It writes for this item: what the item may not change, whoever it asks may not either.
            make = replace(make, generation=case.item.generation + 1, files=case.item.files, widened=case.item.widened)
        case.make(make)
    fan_out = case.item.fanned_out or any(_is_sub(case, one) for one in said.delegate)
    case.emit(
        "work_delegated",
        {"to": list(children.values()), "children": list(children), "why": because},
        item=at_rest(case, effort=effort, **waiting_for(case, children, "help"), fanned_out=fan_out, because=because),
    )


def take_help(case: Case) -> None:
    """Every helper has ended: an expert's advice is tried next; the rest is in the brief."""
    advisor = case.item.advisor
    because = f"{advisor} has advised" if advisor else case.item.because
    again(case, "item_ready", {"why": "the helpers have ended"}, join=None, because=because)


def is_unsuccessful(said: Report) -> bool:
    """Does the expert say that its own tries are used up?"""
    told = [said.summary, said.reason, said.blockers, *(attempt.outcome for attempt in said.attempts)]
    return any(UNSUCCESSFUL in (words or "") for words in told)


def fault_of_signal(case: Case, said: Report) -> str | None:
    """EXPERT_UNSUCCESSFUL is said by whoever was asked for advice; of advice that did not help, by who followed it; and
    as the outcome of an ATTEMPT block, by who tells of an expert that the board has asked."""
    run = case.run
    if run is None or said.outcome != "failed" or case.item.kind == "expert" or case.item.advisor:
        return None
    if said.implied and said.attempts:
        return None if case.item.span.experts else _fault_of_block(said)
    if not any((words or "").startswith(UNSUCCESSFUL) for words in (said.summary, said.reason)):
        return None
    return (
        f"{UNSUCCESSFUL} is said by an expert who was asked, and {run.agent} was asked by nobody: tell what was tried"
        " in ATTEMPT blocks, or ask a person with SEEKING_DIVINE_CLARIFICATION"
    )


def _fault_of_block(said: Report) -> str | None:
    """An ATTEMPT block that tells of an expert whom nobody has asked here."""
    told = [number for number, one in enumerate(said.attempts, 1) if _tells_of_expert(one)]
    if not told:
        return None
    return (
        f"the Outcome of its ATTEMPT block {told[0]} is {UNSUCCESSFUL}, but the board has asked no expert for this item"
        " since the last guidance: say that block again with what failed, or leave it out; to have an expert asked"
        " report delegates; to ask a person, signal SEEKING_DIVINE_CLARIFICATION"
    )


def _tells_of_expert(told: Try) -> bool:
    return (told.outcome or "").startswith(UNSUCCESSFUL)


def is_asked_back(case: Case, told: Try) -> bool:
    """Does an attempt tell of an expert whom nobody has asked? A report is refused for it, so it is not kept with the
    others: it counts only as it is said again."""
    return _tells_of_expert(told) and not (case.item.span.experts or case.item.advisor or case.item.kind == "expert")


def retells_expert(case: Case, report: Report, told: Try) -> bool:
    """Does an attempt only tell of an expert whom the board has asked since the last guidance? Then it is kept, not
    counted again. It names one of those experts, or none. One run may tell of as many as were asked. A report that says
    nothing else is taken only if no other run has told of any: else an agent that labels all its attempts this way
    would never come to an end."""
    asked, run = case.item.span.experts, case.run
    if told.kind != "expert_delegation" or not asked or run is None:
        return False
    words = f"{told.approach} {told.outcome} {told.why_different}"
    named = [name for name, agent in case.flow.agents.items() if agent.expert and name in words]
    if named and not set(named) & set(asked):
        return False
    known = [a for a in case.attempts if a.guidance == case.item.clarifications and a.ground.startswith(RETOLD)]
    alone = all(one.kind == "expert_delegation" for one in report.attempts)
    return sum(a.run == run.id for a in known) < len(asked) and not (alone and any(a.run != run.id for a in known))


def note_experts_tries(case: Case, output: Output) -> None:
    """What an expert tried itself stands in the history of the problem it was asked about: nobody need try it again.
    Whatever it tried, asking it is one attempt (R-08), so none of these counts."""
    for told in output.attempts:
        number = case.item.attempt_count + 1
        ground = f"tried by {output.agent}, who was asked: kept, not counted; asking it is one attempt"
        why = "\n\n".join(words for words in (told.outcome, told.beside) if words)
        said: dict[str, Any] = {"reason": why, "approach": told.approach, "outcome": told.outcome}
        said |= {"why_different": told.why_different, "counted": False, "ground": ground}
        row = next_attempt(case, output.run, output.agent, "expert_delegation", said)
        context = {"attempt": number, "approach": told.approach, "ground": ground, "outcome": told.outcome}
        case.emit("attempt_noted", context, item={"attempt_count": number}, attempts=row)


def next_attempt(case: Case, run: str, agent: str, kind: str, said: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The row of the item's next attempt, and its id: where the item stood, and what is `said` of the attempt."""
    item, number = case.item, case.item.attempt_count + 1
    whose = {"item": item.id, "number": number, "run": run, "agent": agent, "column": item.column, "kind": kind}
    when = {"forward": item.forwards, "guidance": item.clarifications, "at": case.situation.at}
    return f"{item.id}/{number}", {**whose, **said, **when}


def expert_failed(case: Case, output: Output) -> None:
    """An expert who could not help is one of the six, and brings the next (R-08)."""
    item = case.item
    number = item.attempt_count + 1
    said = {"cause": "capability", "reason": output.summary or UNSUCCESSFUL, "outcome": UNSUCCESSFUL}
    said |= {"ground": "an expert was asked and could not help"}
    fields = {
        "attempt_count": number,
        "last_attempt_type": "expert_delegation",
        "last_attempt_outcome": UNSUCCESSFUL,
        "failures": {**item.failures, output.agent: item.failures.get(output.agent, 0) + 1},
        "span": replace(item.span, expert_attempts=item.span.expert_attempts + 1),
    }
    case.emit(
        "expert_unsuccessful",
        {"expert": output.agent, "attempt": number},
        item=fields,
        attempts=next_attempt(case, output.run, output.agent, "expert_delegation", said),
    )
