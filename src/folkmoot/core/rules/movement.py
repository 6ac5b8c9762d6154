"""Where an item goes and how it rests there.

Every way into a column leads through `enter`, so that nothing can arrive where nobody will act on it (R-03).
"""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.flow import END
from folkmoot.core.item import ASKING, ENDED, Effort
from folkmoot.core.records import Option
from folkmoot.core.rules.breaker import trip_breakers
from folkmoot.core.rules.questions import ENGINE, ask, asking_status
from folkmoot.core.situation import Case

OFF_MOVES_MAX = 3  # moves off the flow from one stage since guidance
OFF_DEPTH_MAX = 2


def at_rest(case: Case, **changed: Any) -> dict[str, Any]:
    """The status of an item nobody works on, recomputed from what it waits for: an answer restores what was."""
    waits_for = changed.get("waits_for", case.item.waits_for)
    asking = asking_status(case.questions.values()) if case.questions else None
    status = asking or ("waiting" if waits_for else "ready")
    if status in ASKING and case.item.status == "parked":
        status = "parked"  # only an answer takes it out of the park
    return {"run": None, "status": status, "ready_at": case.now, **changed}


def stage_of(case: Case) -> str:
    return case.flow.stage(case.item.column, case.item.origins)


def origins_for(case: Case, target: str) -> list[str]:
    """Where an item that a person sends to a column will be said to have come from (R-09)."""
    item = case.item
    if target in item.origins:
        return item.origins[: item.origins.index(target)]
    stage = item.origins[0] if item.origins else item.column
    on_flow = case.flow.columns[target].kind == "flow"
    return [] if on_flow or case.flow.columns[stage].kind != "flow" else [stage]


def enter(case: Case, column: str, because: str, *, event: str = "item_moved", **changed: Any) -> None:
    """Put the item into a column, and settle it there."""
    item = case.item
    context = {"from": item.column, "to": column, "why": because}
    fields: dict[str, Any] = {"column": column, "because": because, "goes_to": None, **changed}
    if column != item.column:
        fields |= {"effort": Effort(), "told": None, "wake_at": 0.0}
    fields = at_rest(case, **fields)
    if column == END and fields["status"] == "ready" and not fields.get("disputes", item.disputes):
        fields |= {"status": "done", "evidence": item.evidence or "none", "origins": []}
    case.emit(event, context, item=fields)
    settle(case)


def settle(case: Case) -> None:
    """See to it that somebody will act on the item: an agent, time, another item, or a person who is asked."""
    item, flow = case.item, case.flow
    if item.status in ENDED or item.status == "running" or case.settled == item.version:
        return
    case.settled = item.version
    trip_breakers(case)
    if asking_status(case.questions.values()):
        return
    column = flow.columns[item.column]
    agent = flow.watcher(item.column)
    if column.human:
        words = f"What should happen with {item.title!r}? {item.because}"
        ask(case, "decision", words, context=_history(case), options=[] if item.origins else stages(case))
    elif item.column == END and item.status == "waiting":
        return
    elif item.column == END and not item.disputes:
        enter(case, END, item.because)
    elif item.column == END:
        dispute = item.disputes[-1]
        ways = [Option(option="accept the work", to=END), Option(option="look at it again", to=dispute.maker.column)]
        words = f"The item is finished, but {dispute.thread} is still disputed. Accept the work?"
        ask(case, "decision", words, options=ways, thread=dispute.thread)
    elif agent is None and column.next:
        enter(case, column.next, f"nobody works in {item.column}")
    elif agent is None:
        ask(
            case,
            "decision",
            f"Nobody watches the column {item.column}. Where should the item go?",
            options=stages(case),
        )
    elif item.span.runs >= flow.limits.runs:
        ask(
            case,
            "budget",
            f"{item.span.runs} runs since a person last looked. Should the agents go on?",
            context=_history(case),
        )
    elif at_limit(case):
        ask(case, "decision", f"{item.span.attempts} attempts have failed since a person last looked.")
    elif flow.is_spent(agent, item.failures.get(agent, 0)):
        end_of_ladder(case, agent)


def at_limit(case: Case) -> bool:
    """Six means six, where the flow sets it (R-11)."""
    most = case.flow.limits.attempts
    return most is not None and case.item.span.attempts >= most


def again(case: Case, name: str, context: dict[str, Any], **changed: Any) -> None:
    """The item stays in its column and may be claimed again."""
    case.emit(name, context, item=at_rest(case, **changed))
    settle(case)


def finish(case: Case) -> None:
    """The work of the item's column is done: back to whoever asked for it, or forward."""
    column, origins = case.item.column, list(case.item.origins)
    while case.flow.columns[column].kind == "escalation" and origins:
        column = origins.pop()
    kind = case.flow.columns[column].kind
    target = case.flow.columns[column].next
    if kind != "flow" and origins:
        enter(case, origins[-1], f"{column} has answered", origins=origins[:-1])
    elif kind != "flow" or target is None:
        ask(case, "decision", f"The work in {column} is done. Where should the item go?", options=stages(case))
    elif case.item.returns_to and case.item.returns_to != column:
        enter(case, case.item.returns_to, f"{column} has made the changes it asked for", origins=[], returns_to=None)
    else:
        # Only this is forward: the next agent starts at the bottom of its ladder (R-05, K-18).
        checks = case.flow.columns[column].fix is not None
        enter(
            case,
            target,
            f"{column} is done",
            origins=[],
            failures={},
            forwards=case.item.forwards + 1,
            made_by=case.item.made_by if checks else column,
            returns_to=None,
            escalation_reason=None,
        )


def leave_flow(case: Case, target: str, because: str, reason: str | None = None) -> None:
    """Go to an escalation, specialist, backflow or human column, or ask if the item has done so too often (R-09)."""
    item = case.item
    stage = item.origins[0] if item.origins else item.column
    moves = item.span.off_moves.get(stage, 0)
    if target == item.column or moves >= OFF_MOVES_MAX or len(item.origins) >= OFF_DEPTH_MAX:
        deep = f"it is {len(item.origins)} columns off the flow already"
        often = f"it left {stage} {moves} times already"
        why = "it is there already" if target == item.column else often if moves >= OFF_MOVES_MAX else deep
        ask(case, "decision", f"{because}. The next step would be {target}, but {why}.", context=_history(case))
        return
    span = replace(
        item.span,
        off_moves={**item.span.off_moves, stage: moves + 1},
        off_columns=[*item.span.off_columns, target],
    )
    enter(
        case,
        target,
        because,
        event="escalation_triggered",
        origins=[*item.origins, item.column],
        span=span,
        escalation_reason=reason or item.escalation_reason,
    )


def end_of_ladder(case: Case, agent: str, because: str = "") -> None:
    """No rung is left: a known reason picks the column, then the agent's own, then a person (K-10, R-09)."""
    item = case.item
    content = because or f"Failed {item.failures.get(agent, 0)} attempts across all model tiers"
    because = because or f"{agent} failed {item.failures.get(agent, 0)} attempts across all model tiers"
    note = {"item": item.id, "author": ENGINE, "content": content, "at": case.situation.at}
    case.emit(
        "comment_added",
        {"why": "end of the ladder"},
        item={"comment_count": item.comment_count + 1},
        comments=(case.new_comment_id(), note),
    )
    target = case.flow.reasons.get(item.escalation_reason or "")
    if target is None or target == item.column or target in item.span.off_columns:
        target = case.flow.agents[agent].escalate_to
    if target is None:
        ask(case, "decision", f"{because}, and nobody is left to try.", context=_history(case))
    else:
        leave_flow(case, target, because)


def stages(case: Case) -> list[Option]:
    """Every watched stage of the flow, as ways to answer where an item should go."""
    flow = case.flow
    return [Option(option=name, to=name) for name in flow.stages() if name in flow.columns and flow.watcher(name)]


def _history(case: Case) -> str:
    """The last attempts in words, so that a person need not look them up to decide."""
    counted = [attempt for attempt in case.attempts if attempt.item == case.item.id][-6:]
    return "\n".join(
        f"{a.number}. {a.agent} ({a.model or 'no model'}): {a.reason or a.outcome or 'failed'}" for a in counted
    )
