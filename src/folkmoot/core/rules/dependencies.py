"""What waits for what. Chains have no circle and end in something that moves (R-03)."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.commands import (
    AwaitChild,
    CancelItem,
    CloseQuestion,
    Command,
    KeepOutput,
    NoteDispatch,
    RaiseQuestion,
    RankItem,
    SettleDependency,
)
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS, EventName, Kind
from folkmoot.core.item import Item, Output
from folkmoot.core.order import RANK_MAX
from folkmoot.core.rules.children.help import expert_failed, note_experts_tries
from folkmoot.core.rules.children.outputs import with_output
from folkmoot.core.rules.movement import again
from folkmoot.core.rules.questions import ask, clarify, withdraw
from folkmoot.core.rules.running.budgets import POOL
from folkmoot.core.situation import MADE, Case, path
from folkmoot.core.vocabulary.ways import Way
from folkmoot.errors import Refused, unknown_item


def unfinished(case: Case, after: list[str]) -> list[str]:
    """Those of the named items that must still be waited for; refuses unknown and cancelled ones, and circles."""
    me = case.situation.item.id if case.situation.item else None
    for need in after:
        other = case.situation.neighbours.get(need)
        if need == me:
            raise Refused("circle", "item {item} cannot wait for itself", "leave it out of <.after>", me)
        if other is None:
            raise unknown_item(need)
        if other.status == "cancelled":
            words = "item {item} is cancelled"
            raise Refused("cancelled_item", words, "reopen it, or leave {item} out of <.after>", need)
    if me is not None:
        circle = path(case.situation.neighbours, after, me)
        if circle:
            words, items = "these items would wait for each other: {circle}", [me, *circle]
            raise Refused("circle", words, "leave one of them out of <.after>", " → ".join(items), items=items)
    return [need for need in dict.fromkeys(after) if case.situation.neighbours[need].status not in ENDED]


def check_parent(case: Case, parent: str | None, after: list[str]) -> None:
    """A parent waits for its children, so it must be open, and no child may wait for it."""
    if parent is None:
        return
    other = case.situation.neighbours.get(parent)
    if other is None:
        raise unknown_item(parent)
    if other.status in ENDED:
        raise Refused("parent_ended", "item {parent} is {status}", "first: <reopen item=parent>", parent, other.status)
    circle = path(case.situation.neighbours, after, parent)
    if circle:
        words = "the parent would wait for its child, and the child for it: {circle}"
        raise Refused("circle", words, "change <.after>", " → ".join(circle), items=circle)


def settle_dependency(case: Case, command: SettleDependency) -> None:
    """A neighbour this item needs has ended, or is open again."""
    item, need = case.item, command.dependency
    if item.status in ENDED:
        return
    waits = need in item.waits_for
    if command.parent == item.id:
        _child_ended(case, command)
        return
    if command.status == "cancelled":
        asked = any(q.dependency == need and q.state == "open" for q in case.questions.values())
        if waits and not asked:
            ask_about_cancelled(case, need)
        return
    over = command.status in ENDED
    withdraw(case, f"item {need} is {command.status} again", dependency=need)
    if waits == over:
        waits_for = [other for other in item.waits_for if other != need] + ([] if over else [need])
        name: EventName = "dependency_done" if over else "dependency_reopened"
        _wait_for(case, name, {"item": need}, waits_for)
    elif case.item.version != item.version:
        _wait_for(case, "item_rests", {"waits_for": item.waits_for}, item.waits_for)


def _child_ended(case: Case, command: SettleDependency) -> None:
    """A child that the rules made has ended: what it said is kept, and its parent waits for one less."""
    item, child = case.item, command.dependency
    if command.status == "cancelled" and item.join in ("tasks", "mends"):
        if child in item.waits_for and not any(q.dependency == child for q in case.questions.values()):
            ask_about_cancelled(case, child)
        return
    over = command.status in ENDED
    if not over:
        # While the whole is looked at, tasks wait for it: it would wait for itself. It joins them when it is back.
        looked_at = any(item.id in task.waits_for for task in case.situation.tasks)
        if child not in item.waits_for and not looked_at:
            _wait_for(case, "dependency_reopened", {"item": child}, [*item.waits_for, child])
        return
    output = command.output or Output(
        agent=item.made.get(child, ""), kind=_kind_of_join(item), outcome="failed", summary="it was cancelled"
    )
    if child not in item.made and child not in item.waits_for:
        return  # its parent went elsewhere meanwhile
    fields: dict[str, Any] = {
        "made": {other: agent for other, agent in item.made.items() if other != child},
        "outputs": with_output(_with_those_below(item.outputs, command), child, output),
    }
    if output.kind == "expert" and output.outcome != "failed":
        fields["advisor"] = output.agent  # the next effort follows this advice, and is that expert's attempt
    if output.kind == "expert" and output.agent not in item.span.experts:
        # A person's word came while it was out, and began the counting anew: what it brings is of the new count.
        fields["span"] = replace(item.span, experts=[*item.span.experts, output.agent])
    waits_for = [need for need in item.waits_for if need != child]
    context = {"child": child, "agent": output.agent, "outcome": output.outcome}
    if item.status == "running":
        case.set("output_received", context, waits_for=waits_for, **fields)
    else:
        again(case, "output_received", context, waits_for=waits_for, **fields)
    _tell_dropped(case, child, output)
    if output.kind == "expert":
        note_experts_tries(case, output)
    if output.kind == "expert" and output.outcome == "failed":
        expert_failed(case, output)


def _tell_dropped(case: Case, child: str, output: Output) -> None:
    """Files that a child lost, since its agent only reads: whoever goes on with this item hears of them."""
    if output.dropped:
        told = {"paths": output.dropped, "files": len(output.dropped), "child": child}
        case.set("work_dropped", told, dropped={**case.item.dropped, output.agent: output.dropped})


def _kind_of_join(item: Item) -> Kind:
    known: dict[str | None, Kind] = {"parts": "part", "tasks": "task", "mends": "task"}
    return known.get(item.join, "sub")


def _with_those_below(outputs: dict[str, Output], command: SettleDependency) -> dict[str, Output]:
    """The outputs, and those of the tasks into which the child was split: whoever puts it together needs them."""
    for child, output in command.below.items():
        outputs = with_output(outputs, child, output)
    return outputs


def keep_output(case: Case, command: KeepOutput) -> None:
    """What a dispatched item ended with; the run that asked has gone on, its item's next brief tells it."""
    item = case.item
    if item.status not in ENDED:
        context = {"child": command.child, "agent": command.output.agent, "outcome": command.output.outcome}
        sent = {child: agent for child, agent in item.sent.items() if child != command.child}
        outputs = with_output(item.outputs, command.child, command.output)
        case.set("output_received", context, outputs=outputs, sent=sent)
        _tell_dropped(case, command.child, command.output)


def note_dispatch(case: Case, command: NoteDispatch) -> None:
    """What a run has sent for stands in its item's story, and on the item until it has ended."""
    if case.item.status not in ENDED:
        context = {"child": command.child, "to": command.agent, "purpose": command.purpose, "title": command.title}
        case.set("agent_dispatched", context, sent={**case.item.sent, command.child: command.agent})


def raise_question(case: Case, command: RaiseQuestion) -> None:
    """Ask what a child may not ask itself (R-14). The others run on."""
    if case.item.status in ENDED:
        return
    told, part = command.context, command.part or None
    assert command.ways or command.kind == "clarification", "only what an agent asks itself takes any words"
    if command.ways:
        waits, before = command.blocking, set(case.questions)
        ask(
            case,
            command.kind,
            command.question,
            *command.ways,
            context=told,
            help=command.help,
            part=part,
            blocking=waits,
        )
        asked = next((one for one in case.questions if one not in before), None)
        if command.pool is not None and asked is not None:
            row = {"question": asked, "asks": case.item.id}
            case.emit(
                "pool_paused",
                {"pool": command.pool, "question": asked, "how": "until a person answers"},
                pauses=(POOL + command.pool, row),
            )
    else:
        options, waits = command.options, command.blocking
        clarify(case, command.question, context=told, help=command.help, options=options, blocking=waits, part=part)


def close_question(case: Case, command: CloseQuestion) -> None:
    """Nobody need answer it any more: the item goes on without."""
    asked = case.questions.get(command.question)
    if asked is None or asked.state != "open":
        return
    withdraw(case, command.why, question=asked.id)
    if case.item.status not in ENDED and case.item.status != "running":
        again(case, "item_ready", {"why": command.why})


def _wait_for(case: Case, name: EventName, context: dict[str, Any], waits_for: list[str]) -> None:
    """A live run goes on; it meets what is new when it ends."""
    if case.item.status == "running":
        case.set(name, context, waits_for=waits_for)
    else:
        again(case, name, context, waits_for=waits_for)


def ask_about_cancelled(case: Case, need: str) -> None:
    if case.item.kind in ONE_SHOT_KINDS and case.item.status == "running":
        drop_dependency(case, need)  # it may ask nobody, and its run goes on with what there is
        return
    ask(
        case,
        "decision",
        f"Item {need}, which this one waits for, was cancelled. Go on without it?",
        Way("go on without it", "drop", says="yes"),
        Way("cancel this one too", "cancel"),
        context=f"this one: {case.item.title}",
        help=f"to replace it, edit item {case.item.id}: name another that it comes after",
        dependency=need,
    )


def drop_dependency(case: Case, need: str) -> None:
    """Go on without it."""
    case.set(
        "item_edited",
        {"dropped": need},
        after=[other for other in case.item.after if other != need],
        waits_for=[other for other in case.item.waits_for if other != need],
        made={other: agent for other, agent in case.item.made.items() if other != need},
    )


def await_child(case: Case, command: AwaitChild) -> None:
    if command.child in case.item.waits_for:
        return  # the rule that made the child has said so already
    _wait_for(case, "child_added", {"child": command.child}, [*case.item.waits_for, command.child])


def rank(case: Case, command: RankItem) -> None:
    if command.rank > case.item.rank:
        case.set("item_ranked", {"rank": command.rank}, rank=min(command.rank, RANK_MAX))


class Consequence(Struct, frozen=True):
    """What a neighbour must do. `to` is an item id, or a relation the store can look up."""

    to: str
    command: Command


def _unsaid(item: Item) -> Output:
    """For whoever sent for an item that ended without a word."""
    why = f"it was {item.status}: {item.because}" if item.because else f"it was {item.status}"
    return Output(agent=item.agent or "", kind=item.kind, outcome="failed", title=item.title, summary=why)


def consequences(before: Item | None, after: Item) -> list[Consequence]:
    """What follows for other items from what happened to this one; carried out in the same transaction."""
    found: list[Consequence] = []
    ended_before = before is not None and before.status in ENDED
    if (after.status in ENDED) != ended_before:
        output = after.result if after.kind != "item" and after.status in ENDED else None
        parent = after.parent if after.kind != "item" else None
        below = {child: one for child, one in after.outputs.items() if one.kind == "task"} if output else {}
        ended = SettleDependency(dependency=after.id, status=after.status, parent=parent, output=output, below=below)
        found.append(Consequence("dependents", ended))
        if after.status in ENDED and after.kind == "dispatch" and after.dispatched_by:
            told = output or _unsaid(after)
            found.append(Consequence(after.dispatched_by, KeepOutput(child=after.id, output=told)))
    if after.status == "cancelled" and not ended_before:
        found.append(Consequence("children", CancelItem(why=f"its parent {after.id} was cancelled")))
    elif after.status in ENDED and not ended_before and (after.splits or after.made):
        found.append(Consequence(MADE, CancelItem(why=f"its parent {after.id} is {after.status}")))
    if before is None and after.parent and after.kind == "item":
        found.append(Consequence(after.parent, AwaitChild(child=after.id)))
    if after.rank < RANK_MAX and (before is None or (before.after, before.rank) != (after.after, after.rank)):
        found += [Consequence(need, RankItem(rank=after.rank + 1)) for need in after.after]
    return found
