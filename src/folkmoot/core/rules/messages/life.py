"""The life of a message: pending, accepted by its receiver, completed at the end of its stage, or rejected (R-26)."""

from typing import Any

from folkmoot.core.commands import (
    AcceptMessage,
    AnswerQuestion,
    Command,
    CompleteMessage,
    MoveItem,
    RejectMessage,
    ReopenItem,
    SendBack,
)
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import actor
from folkmoot.core.records import ORCHESTRATOR, Message, Run
from folkmoot.core.report import Report
from folkmoot.core.rules.disputes import disputed
from folkmoot.core.rules.messages.kinds import asks_person, is_open
from folkmoot.core.rules.messages.writing import known
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.roles import correspondent
from folkmoot.errors import Refused

# The ends of a run with which the work of its stage is done, or a verdict on it is given.
ENDS_STAGE = ("done", "changes_requested", "split", "delegates")


def accept_handoffs(case: Case, run: Run) -> None:
    """A claim accepts what is pending for it; whoever goes on with the stage inherits what was accepted there."""
    stage = stage_of(case)
    for message in [m for m in case.messages.values() if is_open(m) and m.question is None]:
        if not _is_for(case, message, run, stage):
            continue
        row = {"status": "accepted", "accepted_by": run.id}
        if message.item is not None and message.stage is None:
            row["stage"] = stage
        case.emit("handoff_accepted", {"message": message.id, "type": message.type}, messages=(message.id, row))


def _is_for(case: Case, message: Message, run: Run, stage: str) -> bool:
    if message.to == run.agent:
        return True
    if message.item != case.item.id:
        return False
    if message.status == "accepted":
        return message.stage == stage  # a senior does the work of the stage it helps
    if message.to == ORCHESTRATOR:
        # What was sent to the rules about an item they relay to whoever acts on it next.
        return not asks_person(message.type, message.to)
    # Work for somebody who watches no column is done by whoever acts where it began.
    return message.id == case.item.message and not case.flow.watched_by(message.to)


def stages_of(flow: Flow, message: Message) -> list[str]:
    """The stage for which it was accepted; on boards of earlier versions those of its receiver."""
    return [message.stage] if message.stage is not None else flow.watched_by(message.to)


def is_over(flow: Flow, message: Message, item: Item) -> bool:
    """Has the item left the stage of an accepted message? From where it is it may yet come back: `origins`."""
    return not {item.column, *item.origins} & {*stages_of(flow, message)}


def end_stages(case: Case, before: Item | None, command: Command) -> None:
    """What becomes of the item's messages now that the command has been carried out."""
    item = case.item
    for message in [m for m in known(case) if is_open(m) and m.question is None]:
        if item.status in ENDED:
            if item.status == "done" and message.status == "accepted":
                _complete(case, message)
            else:
                _reject(case, message, f"item {item.id} is {item.status}")
        elif message.status == "accepted" and is_over(case.flow, message, item):
            if _did_its_work(case, command):
                _complete(case, message)
            else:
                _reject(case, message, f"item {item.id} went to {item.column}: {item.because}")
        elif message.status == "pending" and _is_missed(case, before, message):
            _reject(case, message, f"item {item.id} went to {item.column}")


def _is_missed(case: Case, before: Item | None, message: Message) -> bool:
    """Will the item's own handoff not be taken up any more, since it was for another place or agent?"""
    item = case.item
    if message.id != item.message:
        return message.stage is not None and is_over(case.flow, message, item)
    moved = before is not None and (before.column != item.column or before.forwards != item.forwards)
    moved = moved and before is not None and before.message == message.id
    other = bool(case.flow.watched_by(message.to)) and actor(case.flow, item) not in (None, message.to)
    return item.status != "running" and (moved or other)


def _did_its_work(case: Case, command: Command) -> bool:
    """Was the stage left because it had done its work? Not by a person's hand, and not because a run could not."""
    if isinstance(command, (MoveItem, SendBack, ReopenItem)) or (isinstance(command, AnswerQuestion) and command.to):
        return False
    run = case.run if case.voice is not None else None
    return run is None or run.gate or run.outcome in ENDS_STAGE


def end_loose(case: Case, run: Run, outcome: str) -> None:
    """What belongs to no item is done with when a run that had accepted it has done its work."""
    for message in [m for m in case.messages.values() if m.item is None and m.accepted_by == run.id and is_open(m)]:
        if outcome in ENDS_STAGE:
            _complete(case, message)


def reject_disputed(case: Case, said: Report) -> None:
    """A `disputed` report rejects what its run was handed."""
    if said.outcome != "disputed" or case.run is None:
        return
    why = next((remark.content for remark in said.comments if remark.content.strip()), said.summary) or "disputed"
    for message in [m for m in case.messages.values() if m.item is not None and m.accepted_by == case.run.id]:
        if is_open(message) and message.question is None:
            _reject(case, message, why)


def accept(case: Case, command: AcceptMessage) -> None:
    message = _open(case, command.message, ("pending",))
    _check_receiver(case, message)
    row = {"status": "accepted", "accepted_by": case.voice.id if case.voice else None}
    if message.item is not None and case.has_item:
        row["stage"] = stage_of(case)
    case.emit("handoff_accepted", {"message": message.id, "type": message.type}, messages=(message.id, row))


def complete(case: Case, command: CompleteMessage) -> None:
    message = case.messages[command.message]
    if message.status == "pending" and message.question is None:
        words = "message {message} is pending: {to} has not accepted it, so nobody has seen it"
        raise Refused("not_accepted", words, "first: <accept message as=to>", message.id, message.to)
    _complete(case, _open(case, command.message, ("accepted",)), said=True)


def reject(case: Case, command: RejectMessage) -> None:
    """A run's rejection is its `disputed` report, which follows; of any other the item is told here."""
    message = _open(case, command.message, ("pending", "accepted"))
    run = case.run if case.run is not None and case.run.ended_at is None else None
    if case.voice is not None and case.item.kind in ONE_SHOT_KINDS - {"part"}:
        words = "an item of kind {kind} disputes nothing"
        raise Refused("bound", words, "report failed, and say what is wrong with the message", case.item.kind)
    if case.voice is None and run is not None and message.accepted_by == run.id:
        words = "run {run} has accepted message {message}, and works on item {item}"
        hint = "let it reject it, or take the item: <move item column>"
        raise Refused("item_running", words, hint, run.id, message.id, case.item.id)
    _reject(case, message, command.why)
    if case.voice is None and message.item is not None and case.has_item:
        _object(case, message, command.why)


def _object(case: Case, message: Message, why: str) -> None:
    """Rejected outside of a run: the receiver's objection stands on the item, and is a dispute if it is its turn."""
    item = case.item
    comment = case.new_comment_id()
    row = {"item": item.id, "author": message.to, "content": why, "at": case.situation.at}
    fields = {"comment_count": item.comment_count + 1}
    case.emit("comment_added", {"comment": comment}, item=fields, comments=(comment, row))
    if item.status == "ready" and item.kind not in ONE_SHOT_KINDS and actor(case.flow, item) == message.to:
        disputed(case, [comment], None, message.to)


def _open(case: Case, message_id: str, allowed: tuple[str, ...]) -> Message:
    message, run = case.messages[message_id], case.voice
    if run is not None and not _concerns(case, message, run):
        about = f"about item {message.item}" if message.item else "about no item"
        words = "message {message} is for {to} {about}, not for this run"
        hint = "a run takes up what is addressed to it, about its own item or none"
        raise Refused("not_for_you", words, hint, message_id, message.to, about)
    if is_open(message) and message.question is not None:
        words = "message {message} asks a person, in {question}"
        hint = "its answer completes it: <answer question answer>"
        raise Refused("awaits_answer", words, hint, message_id, message.question)
    if message.status not in allowed:
        words = "message {message} is {status} already"
        hint = "a message goes pending → accepted → completed, or rejected; never backwards, never twice"
        raise Refused("message_over", words, hint, message_id, message.status)
    return message


def _concerns(case: Case, message: Message, run: Run) -> bool:
    own = (None, run.item, case.item.parent if case.item.kind == "part" else run.item)
    return message.item in own and (message.to == run.agent or message.accepted_by == run.id)


def _check_receiver(case: Case, message: Message) -> None:
    """Only its receiver accepts: a run of that agent, or whoever says that it speaks for it."""
    name = case.voice.agent if case.voice else correspondent(case.flow, case.actor.name)
    if name != message.to:
        words = "message {message} is for {to}, not for {actor}"
        hint = "only its receiver accepts it: <accept message as=to>"
        raise Refused("not_for_you", words, hint, message.id, message.to, case.actor.name)


def _complete(case: Case, message: Message, *, said: bool = False) -> None:
    context: dict[str, Any] = {"message": message.id, "type": message.type}
    unbound = _unbound(case, message)
    if said:
        context["said"] = True  # by somebody's word, not by the end of its stage
        # Whoever does the work of the stage is still told what it was handed.
        unbound = unbound if case.has_item and is_over(case.flow, message, case.item) else None
    case.emit("handoff_completed", context, item=unbound, messages=(message.id, {"status": "completed"}))


def _reject(case: Case, message: Message, why: str) -> None:
    context = {"message": message.id, "type": message.type, "why": why}
    row = {"status": "rejected", "why": why}
    case.emit("handoff_rejected", context, item=_unbound(case, message), messages=(message.id, row))


def _unbound(case: Case, message: Message) -> dict[str, Any] | None:
    return {"message": None} if case.has_item and case.item.message == message.id else None
