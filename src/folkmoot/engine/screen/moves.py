"""What would come of a person's move, for every column: the rules decide it on the item as it is, and nobody writes it.

So what is said here is what a move does, refusals and all: no rule is written twice.
"""

from collections.abc import Callable

from msgspec.structs import replace

from folkmoot.api.screen import LandingProspect, Moves, MoveView
from folkmoot.core.commands import ENGINE, Actor, CancelItem, MoveItem
from folkmoot.core.explain import stands
from folkmoot.core.item import Item
from folkmoot.core.rules.decide import decide
from folkmoot.core.rules.running.prospect import prospect
from folkmoot.core.rules.sharing.holds import branch_of
from folkmoot.core.situation import Case, Draw, Situation
from folkmoot.engine.loading import known_item, situation
from folkmoot.engine.reads.snapshot import Snapshot
from folkmoot.errors import MootError

# What is counted on an item, in the words of people.
COUNTED: dict[str, Callable[[Item], int]] = {
    "attempts": lambda item: item.failure_count,
    "attempts since guidance": lambda item: item.span.attempts,
    "rounds of review": lambda item: sum(item.span.rounds.values()),
    "red gates": lambda item: sum(item.span.reds.values()),
    "disputes since guidance": lambda item: item.span.disputes,
    "questions since guidance": lambda item: item.span.questions,
    "runs since guidance": lambda item: item.span.runs,
    "incomplete reports": lambda item: item.effort.incompletes,
    "timeouts": lambda item: item.effort.timeouts,
}


def moves_of(snapshot: Snapshot, person: str, item: str) -> Moves:
    now = _situation(snapshot, Actor(person), item)
    assert now.item is not None
    views = [_move(now, column) for column in snapshot.flow.columns]
    return Moves(item=now.item.id, version=now.item.version, moves=views)


def prospect_of(snapshot: Snapshot, item: str) -> LandingProspect:
    """As `core` says it of the item as of now."""
    now = _situation(snapshot, ENGINE, item)
    assert now.item is not None
    found = prospect(now.flow, now.item, now.questions, snapshot.ground)
    branch = branch_of(now.flow, now.item)
    return LandingProspect(
        item=now.item.id,
        version=now.item.version,
        lands=found.stands == "clear",
        stands=found.stands,
        why=found.why,
        by=found.by,
        branch=branch,
    )


def _move(now: Situation, column: str) -> MoveView:
    try:
        case = decide(now, MoveItem(column=column))
    except MootError as error:
        return MoveView(column=column, allowed=False, code=error.code, why=error.message, resets=[])
    words = stands(now.flow, case.item, now.now, case.questions.values())
    told = f"{words[0].upper()}{words[1:]}"
    return MoveView(column=column, allowed=True, code=None, why=told, resets=resets(now, case))


def resets(now: Situation, case: Case) -> list[str]:
    """What the item loses by it: what was counted, its run, its questions, its disputes, its gates, its children."""
    before, after = now.item, case.item
    assert before is not None
    counts = ((name, count(before), count(after)) for name, count in COUNTED.items())
    found = [f"{name} {was} -> {is_now}" for name, was, is_now in counts if is_now < was]
    if now.run is not None and case.run is not None and case.run.ended_at is not None:
        found.append(f"the run of {now.run.agent} ends")
    gone = (one.id for one in now.questions if one.state == "open" and case.questions[one.id].state != "open")
    found += [f"question {question} is withdrawn" for question in gone]
    still = {dispute.thread for dispute in after.disputes}
    found += [f"the dispute {dispute.thread} ends" for dispute in before.disputes if dispute.thread not in still]
    found += [f"it goes without the gate {gate}" for gate in after.waived if gate not in before.waived]
    if any(isinstance(command, CancelItem) for _, command in case.told):
        found.append("what was made to help it is cancelled")
    return found


def _situation(snapshot: Snapshot, actor: Actor, item: str) -> Situation:
    """As the next command will find it: what time has made due is applied first."""
    reading, head = snapshot.reading, snapshot.reading.head()
    row = known_item(reading, item)
    draw = Draw(run="", item=head.items + 1, comment=head.comments + 1, question=head.questions + 1)
    found = situation(
        reading,
        MoveItem(column=row.column),
        row,
        actor,
        flow=snapshot.flow,
        flow_version=snapshot.flow_version,
        moment=snapshot.moment,
        draw=draw,
    )
    case = snapshot.due.get(row.id)
    if case is None:
        return found
    live = case.run if case.run is not None and case.run.ended_at is None else None
    return replace(
        found,
        item=case.item,
        run=live,
        attempts=case.attempts,
        comments=list(case.comments.values()),
        questions=[asked for asked in case.questions.values() if asked.state == "open"],
    )
