"""Somebody sends a message: who may, what it is about, and who will see it (R-26)."""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import MakeItem, SendMessage
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS, PRIORITIES, TYPES, UNCHOSEN, is_priority
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import actor
from folkmoot.core.records import ORCHESTRATOR, Run
from folkmoot.core.rules.asking.telling import facts, in_words
from folkmoot.core.rules.children.counting import count_said
from folkmoot.core.rules.messages.asking import escalate, faults_of_asking, raise_from_part, words_of
from folkmoot.core.rules.messages.carrying import carried, files_in, spec_in, texts_in
from folkmoot.core.rules.messages.kinds import (
    AGAIN_TYPES,
    FIX_TYPES,
    MAKES_ITEM,
    against_end,
    asks_person,
    is_notice,
    may_send,
)
from folkmoot.core.rules.messages.writing import context_of
from folkmoot.core.rules.sharing.paths import bad_path, normal_path
from folkmoot.core.rules.sharing.widening import beyond, handed_on
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.problems import unknown_severities
from folkmoot.core.vocabulary.roles import correspondent, message_type
from folkmoot.errors import Invalid, Refused

TITLE_MAX = 500


def belongs_to(flow: Flow, command: SendMessage, live: Iterable[Run], unfinished: Iterable[Item]) -> str | None:
    """The item that a message without one is about, if there is no doubt: the one its sender works on, the one with
    its spec, or the only one there is. Work that is handed over without an item is new work, unless it names a round:
    then it is what the dispatcher relays in the loop of the one item that waits for this agent. What an agent that
    works on several sends to the next one is asked back: a review that ends beside its `fix_request` is no approval."""
    items = {item.id: item for item in unfinished}
    command = replace(command, type=message_type(flow, command.type))
    own = {item.id: item for item in items.values() if item.kind not in ONE_SHOT_KINDS}
    if command.type in MAKES_ITEM:
        to = correspondent(flow, command.to)
        looping = [one for one in own.values() if one.span.rounds and one.status == "ready" and actor(flow, one) == to]
        return looping[0].id if isinstance(command.payload.get("round"), int) and len(looping) == 1 else None
    sender = correspondent(flow, command.sender)
    at_work = {run.item for run in live if run.agent == sender and not run.gate}
    at_work = {items[one].parent or one if one in items and items[one].kind == "part" else one for one in at_work}
    spec = command.context.get("spec")
    with_spec = {item.id for item in own.values() if spec and item.spec == spec}
    # Who names a spec does not mean an item with another.
    possible = {item.id for item in own.values() if len(own) == 1 and not (spec and item.spec and item.spec != spec)}
    found = next((next(iter(ids)) for ids in (at_work & own.keys(), with_spec, possible) if len(ids) == 1), None)
    if found is None and len(at_work & own.keys()) > 1 and correspondent(flow, command.to) in flow.agents:
        several = ", ".join(sorted(at_work & own.keys(), key=int))
        words = "{sender} works on items {several}, and it does not say which of them this {type} is about"
        raise Refused("which_item", words, "say it in context.item, or context.spec", sender, several, command.type)
    return found


def send(case: Case, command: SendMessage) -> None:
    """A message of an agent or a person. One that asks is put before a person; any other waits for its receiver."""
    command = checked(case, command)
    item, run = case.item if case.has_item else None, case.voice
    message = command.message_id or case.new_message_id()
    asks = asks_person(command.type, command.to)
    made = _make_item(case, command, message) if item is None and (asks or command.type in MAKES_ITEM) else None
    # A notice that something is not done is for whoever acts next.
    told = item is not None and command.to == ORCHESTRATOR and is_notice(case.flow, command.type)
    told = told and (against_end(command.payload) is None or (item is not None and item.status in ENDED))
    raised = item is not None and asks and item.kind == "part"  # its item asks, under a message of its own
    row: dict[str, Any] = {
        "sender": command.sender,
        "to": command.to,
        "type": command.type,
        "schema_version": command.schema_version,
        "priority": command.priority or (item.priority if item else UNCHOSEN),
        "payload": command.payload,
        "context": _context(case, command, item) if item else _new_context(command, made),
        "status": "completed" if told or raised else "pending",
        "item": subject_of(item) if item else made,
        "run": run.id if run else None,
        "at": case.situation.at,
        "sent_at": command.sent_at,
    }
    context = {"message": message, "type": command.type, "from": command.sender, "to": command.to}
    said = count_said(case, "messages", str(command.payload), str(command.context))
    case.emit("handoff_created", context, messages=(message, row), **said)
    told_of = carried(case.flow, item, command) if item is not None else {}
    if told_of:
        case.set("item_edited", {"fields": sorted(told_of), "message": message}, **told_of)
    if raised:
        raise_from_part(case, case.messages[message])
    elif asks and item is not None:
        escalate(case, case.messages[message])


def checked(case: Case, command: SendMessage) -> SendMessage:
    """The message in the flow's own names, if it may be sent; else what is wrong with it."""
    command = in_our_names(case, command)
    _check(case, command)
    if command.message_id in case.messages:
        words = "there is a message {message} already"
        raise Refused("message_known", words, "leave message_id out, or use a new one", command.message_id)
    _check_item(case, command)
    return command


def _context(case: Case, command: SendMessage, item: Item) -> dict[str, Any]:
    """What is filled in. Whoever asks for another look, before its own run has ended, means the next one."""
    context = context_of(case)
    if command.type in AGAIN_TYPES and item.returns_to:
        context["iteration"] += 1
    spec = spec_in(command.context, command.payload) or context["spec"]
    return {**context, **command.context, "spec": spec, "item": subject_of(item)}


def _new_context(command: SendMessage, made: str | None) -> dict[str, Any]:
    """Of a message that is about no item, or about one that it makes: it is the first word on it."""
    own = {"item": made, "workflow": TYPES[0]} if made else {}
    return {**own, "iteration": 1, **command.context}


def subject_of(item: Item) -> str:
    """What a message sent from an item is about: a part is one agent's look at its item."""
    return item.parent if item.kind == "part" and item.parent else item.id


def in_our_names(case: Case, command: SendMessage) -> SendMessage:
    """Type, sender and receiver as the flow spells them; a run's message is from its agent, said or not."""
    sender, flow = command.sender or (case.voice.agent if case.voice else ""), case.flow
    names = {"sender": correspondent(flow, sender), "to": correspondent(flow, command.to)}
    return replace(command, type=message_type(flow, command.type), **names)


def _check(case: Case, command: SendMessage) -> None:
    """Every wrong value by its name at once; then whether this sender may."""
    flow = case.flow
    if faults := list(_faults(flow, command)):
        said, hint = [words for words, _ in faults], "; ".join(hint for _, hint in faults)
        raise Invalid("bad_message", "{why}", hint, why="; ".join(said), faults=said)
    if case.voice is not None and command.sender != case.voice.agent:
        words = "from: this run speaks as {agent}, not as {sender}"
        raise Refused("not_the_sender", words, "leave the name of others alone", case.voice.agent, command.sender)
    if not may_send(flow, command.type, command.sender, command.to):
        rule = flow.messages[command.type]
        words, hint = "from: {sender} may not send {type} to {to}", "{type} goes from {senders} to {receivers}"
        may = {"senders": [*rule.senders], "receivers": [*rule.receivers]}
        raise Refused("may_not_send", words, hint, command.sender, command.type, command.to, **may)


def _faults(flow: Flow, command: SendMessage) -> Iterator[tuple[str, str]]:
    """What is wrong with it, each with what would be right."""
    if not command.sender:
        yield "from: missing", "say who sends it: from in the message, or <.as> NAME"
    if command.type not in flow.messages:
        known = ", ".join(flow.messages) or "none"
        yield f"type: the flow has no message {command.type!r}", f"its messages: {known}"
    if command.priority not in (None, *PRIORITIES):
        yield f"priority: {command.priority!r} is no priority", f"use {', '.join(PRIORITIES)}"
    workflow = command.context.get("workflow")
    if workflow is not None and workflow not in TYPES:
        yield f"context.workflow: {workflow!r:.80} is none", f"use one of {', '.join(TYPES)}"
    known_names = {*flow.agents, ORCHESTRATOR, *(n for rule in flow.messages.values() for n in rule.receivers)}
    if command.to not in known_names:
        known = ", ".join([*flow.agents, ORCHESTRATOR])
        yield f"to: there is no agent {command.to!r}", f"agents: {known}, which is the board and asks you"
    if asks_person(command.type, command.to):
        yield from faults_of_asking(command.payload)
    for fault in unknown_severities(command.payload) if command.type in FIX_TYPES else ():
        yield f"payload: {fault}", "how bad it is must not be guessed"


def _check_item(case: Case, command: SendMessage) -> None:
    """A message about an item must be about one that somebody can still act on."""
    if not case.has_item:
        return
    item, named = case.item, command.context.get("item")
    if named is not None and str(named) not in (item.id, subject_of(item)):
        words = "context.item: this run works on item {item}, not on {named}"
        raise Refused("not_its_item", words, "leave it out: a run's message is about its own item", item.id, named)
    asks = asks_person(command.type, command.to)
    told = command.to == ORCHESTRATOR and is_notice(case.flow, command.type)
    if item.status in ENDED and not told:
        words = "context.item: item {item} is {status}, and nobody will take the message up"
        raise Refused("item_ended", words, "first: <reopen item>", item.id, item.status)
    if asks and item.kind in ONE_SHOT_KINDS and (item.kind != "part" or item.parent is None):
        words = "type: an item of kind {kind} asks nobody itself"
        raise Refused("may_not_send", words, "report asks, or failed with what is missing", item.kind)


def _make_item(case: Case, command: SendMessage, message: str) -> str:
    """Work handed over without an item becomes one; a question that is about none gets one, which waits (R-26)."""
    payload, flow = command.payload, case.flow
    asks = asks_person(command.type, command.to)
    named = next((payload[name] for name in ("title", "description", "task", "spec") if payload.get(name)), None)
    words = words_of(payload) if asks else str(named or "")
    words = words.strip() or f"{command.type} from {command.sender}"
    child = case.new_item_id()
    watched = flow.watched_by(command.sender if asks else command.to)
    kind = command.context.get("workflow")
    files = [path for path in files_in(payload) if not bad_path(path)]
    widened: list[str] = []
    if case.voice and case.has_item:
        far = beyond(flow, case.item.files, files)  # what a run would have to ask for, it does not hand on
        files, widened = handed_on(case.item, [path for path in files if path not in far])
    spec = command.context.get("spec") or payload.get("spec")
    column = next((column for column in watched if not asks or column not in flow.groups), flow.start)
    case.make(
        MakeItem(
            id=child,
            title=words.splitlines()[0][:TITLE_MAX],
            body=facts(*(in_words(payload[name]) for name in ("description", "context") if payload.get(name))),
            column=column,
            **_bound(flow, command.to, column, asks),
            type=kind if kind in TYPES else "feature",
            priority=command.priority if is_priority(command.priority) else UNCHOSEN,
            spec=str(spec) if spec else None,
            constraints=texts_in(payload.get("constraints")),
            files=list(dict.fromkeys(normal_path(path) for path in files)),
            widened=[normal_path(path) for path in widened],
            needs=case.item.needs if case.voice and case.has_item else [],
            generation=1 if case.voice else 0,
            because=f"{command.sender} asks" if asks else f"{command.sender} handed it over",
            message=message,
        )
    )
    return child


def _bound(flow: Flow, to: str, column: str, asks: bool) -> dict[str, Any]:
    """What one of several who look at once is given to do, the others are not: it is dispatched (P-02)."""
    if asks or to not in flow.columns[column].agents or column not in flow.groups:
        return {"kind": "item"}
    return {"kind": "dispatch", "agent": to, "purpose": "fix"}
