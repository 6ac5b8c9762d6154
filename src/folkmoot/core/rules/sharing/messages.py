"""Messages: handoffs between agents, in the documents' envelope. The rules write them where agents do not (R-26)."""

from collections.abc import Callable
from typing import Any

from folkmoot.core.commands import AcceptMessage, CompleteMessage, MakeItem, RejectMessage, SendMessage
from folkmoot.core.flow import Flow
from folkmoot.core.item import BOUND, ENDED, PRIORITIES, TYPES, Item
from folkmoot.core.order import actor
from folkmoot.core.records import ANY, ORCHESTRATOR, Message, Option, Run
from folkmoot.core.report import Report
from folkmoot.core.rules.children.counting import count_said
from folkmoot.core.rules.questions import clarify
from folkmoot.core.rules.sharing.paths import bad_path, normal_path
from folkmoot.core.rules.sharing.widening import beyond
from folkmoot.core.situation import Case
from folkmoot.errors import Invalid, Refused

# What a report that goes to the orchestrator is called in the documents, the most telling name first.
NAMES_OF_REPORTS: tuple[tuple[str, Callable[[Report], bool]], ...] = (
    ("escalation", lambda said: said.outcome == "asks"),
    ("clarification_request", lambda said: said.outcome == "asks"),
    ("security_issues", lambda said: any(finding.kind == "security" for finding in said.findings)),
    ("test_failures", lambda said: said.outcome == "changes_requested" and _is_about_tests(said)),
    ("review_findings", lambda said: said.outcome == "changes_requested" or bool(said.findings)),
    ("test_results", lambda said: said.outcome == "done" and said.tests is not None),
    ("completion", lambda said: said.outcome == "done"),
)
FIX_TYPES = {"fix_request", "review_findings", "security_issues", "test_failures"}
AGAIN_TYPES = {"rereview_request"}
MAKES_ITEM = {"task_handoff", "task_assignment"}
FINAL = ("completed", "rejected")


def _is_about_tests(said: Report) -> bool:
    return said.tests is not None or any(finding.kind == "test" for finding in said.findings)


def may_send(flow: Flow, kind: str, sender: str, to: str) -> bool:
    rule = flow.messages.get(kind)
    return rule is not None and _named(sender, rule.senders) and _named(to, rule.receivers)


def _named(name: str, names: list[str]) -> bool:
    return name in names or ANY in names


def tell_orchestrator(case: Case, said: Report) -> None:
    """The report of a run as a message to the rules, which is thereby done with, unless the run sent it itself."""
    if not case.flow.messages or case.run is None:
        return
    agent = case.run.agent
    kind = next(
        (name for name, fits in NAMES_OF_REPORTS if fits(said) and may_send(case.flow, name, agent, ORCHESTRATOR)), None
    )
    sent = any(m.run == case.run.id and m.to == ORCHESTRATOR for m in case.messages.values())
    if kind is None or sent or kind == "escalation":
        return
    payload = {"outcome": said.outcome, "summary": said.summary, "findings": len(said.findings)}
    _write(case, agent, ORCHESTRATOR, kind, payload, "completed")


def hand_over(case: Case, before: Item | None) -> None:
    """The item is elsewhere than before this command: whoever acts next gets a message about it (R-26)."""
    item, flow = case.item, case.flow
    if item.status in ENDED:
        _drop(case, list(case.messages.values()), f"item {item.id} is {item.status}")
        return
    if not flow.messages or item.status == "running" or (before is None and item.message):
        return  # whoever runs has taken it up; a new item was handed over by the message that made it
    if before is not None and before.column == item.column and before.forwards == item.forwards:
        return
    old = case.messages.get(item.message or "")
    if old is not None:
        _drop(case, [old], f"item {item.id} went to {item.column}")
    to = actor(flow, item)
    if to is None or item.kind in ("part", "expert", "sub", "dispatch"):
        return
    run = case.voice
    sender = run.agent if run is not None and not run.gate else ORCHESTRATOR
    kind = _kind_of_handoff(flow, item, sender, to)
    if kind is None:
        sender, kind = ORCHESTRATOR, _kind_of_handoff(flow, item, ORCHESTRATOR, to)
    if kind is None:
        return
    sent = next((m for m in case.messages.values() if run and m.run == run.id and m.to == to and m.type == kind), None)
    if sent is not None:
        case.set("item_rests", {"message": sent.id}, message=sent.id)
    else:
        _write(case, sender, to, kind, _payload(case, kind), "pending", bind=True)


def _drop(case: Case, messages: list[Message], why: str) -> None:
    """Nobody will take these up any more. An escalation is over with its question."""
    for message in messages:
        if message.status not in FINAL and message.question is None:
            _reject(case, message, why)


def close_escalations(case: Case) -> None:
    """An escalation is completed by its answer; if the question is withdrawn, it needs none."""
    for message in list(case.messages.values()):
        question = case.questions.get(message.question or "")
        if question is None or question.state == "open" or message.status in FINAL:
            continue
        if question.state == "withdrawn":
            _reject(case, message, f"{question.id} was withdrawn")
        else:
            context = {"message": message.id, "type": message.type}
            case.emit("handoff_completed", context, messages=(message.id, {"status": "completed"}))


def _kind_of_handoff(flow: Flow, item: Item, sender: str, to: str) -> str | None:
    """Among the types it may send to this receiver the one that says why: changes asked for, made, or neither."""
    # What may also go to the orchestrator is a report: the rules relay it in words of their own.
    kinds = [
        kind
        for kind in flow.messages
        if may_send(flow, kind, sender, to) and not may_send(flow, kind, sender, ORCHESTRATOR)
    ]
    wanted = FIX_TYPES if item.returns_to else AGAIN_TYPES if item.iteration else set()
    fitting = [kind for kind in kinds if kind in wanted]
    plain = [kind for kind in kinds if kind not in FIX_TYPES | AGAIN_TYPES]
    return next(iter([*fitting, *plain, *kinds]), None)


def _payload(case: Case, kind: str) -> dict[str, Any]:
    """What the receiver must know, in the words of the documents."""
    item = case.item
    payload: dict[str, Any] = {
        "task_id": item.id,
        "description": item.because if item.returns_to else item.title,
        "context": item.body,
        "files": item.files,
        "constraints": item.constraints,
    }
    if item.findings:
        payload["findings"] = len(item.findings)
        payload["issues"] = [finding.issue for finding in item.findings[:20]]
    if item.iteration:
        payload |= {"round": item.iteration, "max_rounds": case.flow.limits.feedback_rounds}
    return payload


def _write(
    case: Case, sender: str, to: str, kind: str, payload: dict[str, Any], status: str, *, bind: bool = False
) -> None:
    item = case.item
    message = case.new_message_id()
    row: dict[str, Any] = {
        "sender": sender,
        "to": to,
        "type": kind,
        "priority": item.priority,
        "payload": payload,
        "context": _context(item),
        "status": status,
        "item": item.id,
        "run": case.voice.id if case.voice else None,
        "at": case.situation.at,
    }
    fields = {"message": message} if bind else {}
    case.emit("handoff_created", {"message": message, "type": kind, "to": to}, item=fields, messages=(message, row))


def _context(item: Item) -> dict[str, Any]:
    return {"item": item.id, "workflow": item.type, "spec": item.spec, "iteration": max(item.iteration, 1)}


def accept_handoffs(case: Case, run: Run) -> None:
    """A claim accepts what is pending; after a crash the successor inherits what was accepted."""
    for message in list(case.messages.values()):
        mine = message.item == case.item.id and (message.to == run.agent or message.id == case.item.message)
        if mine and message.status not in FINAL:
            row = {"status": "accepted", "accepted_by": run.id}
            case.emit("handoff_accepted", {"message": message.id, "type": message.type}, messages=(message.id, row))


def complete_handoffs(case: Case, run: Run) -> None:
    """The report of the run completes what it had accepted."""
    for message in list(case.messages.values()):
        if message.accepted_by == run.id and message.status not in FINAL:
            context = {"message": message.id, "type": message.type}
            fields = {"message": None} if message.id == case.item.message else None
            case.emit("handoff_completed", context, item=fields, messages=(message.id, {"status": "completed"}))


def send(case: Case, command: SendMessage) -> None:
    """A message of an agent or a person. To the orchestrator it is done with at once, or asks a person."""
    _check(case, command)
    item, run = case.item if case.has_item else None, case.voice
    message = command.message_id or case.new_message_id()
    if message in case.messages:
        raise Refused(
            "message_known", f"there is a message {message} already", "leave message_id out, or use a new one"
        )
    _check_item(case, command)
    made = _make_item(case, command, message) if item is None and command.type in MAKES_ITEM else None
    escalates = command.type == "escalation" and item is not None
    done = command.to == ORCHESTRATOR and not escalates
    row: dict[str, Any] = {
        "sender": command.sender,
        "to": command.to,
        "type": command.type,
        "schema_version": command.schema_version,
        "priority": command.priority,
        "payload": command.payload,
        "context": {**(_context(item) if item else {}), **command.context},
        "status": "completed" if done else "pending",
        "item": item.id if item else made,
        "run": run.id if run else None,
        "at": case.situation.at,
        "sent_at": command.sent_at,
    }
    context = {"message": message, "type": command.type, "to": command.to}
    case.emit("handoff_created", context, messages=(message, row), **count_said(case, "messages"))
    if escalates:
        _escalate(case, command, message)


def _check_item(case: Case, command: SendMessage) -> None:
    """A message about an item must be about one that somebody can still act on."""
    if not case.has_item:
        return
    item, named = case.item, command.context.get("item")
    if named is not None and str(named) != item.id:
        words = f"context.item: this run works on item {item.id}, not on {named}"
        raise Refused("not_its_item", words, "leave it out: a run's message is about its own item")
    asks = command.type == "escalation"
    if item.status in ENDED and (asks or command.to != ORCHESTRATOR):
        words = f"context.item: item {item.id} is {item.status}, and nobody will take the message up"
        raise Refused("item_ended", words, f"first: moot reopen {item.id}")
    if asks and item.kind in BOUND:
        words = f"type: an item of kind {item.kind} asks nobody itself"
        raise Refused("may_not_send", words, "report asks, or failed with what is missing")


def _strings(value: object) -> list[str]:
    """What a payload gives as a list of texts, however it was written."""
    found = value if isinstance(value, list) else [value]
    return [one for one in found if isinstance(one, str) and one.strip()]


def _make_item(case: Case, command: SendMessage, message: str) -> str:
    """Work handed over without an item becomes one (R-26)."""
    payload = command.payload
    named = next((payload[name] for name in ("title", "description", "task", "spec") if payload.get(name)), None)
    words = str(named or "").strip() or f"{command.type} from {command.sender}"
    title = words.splitlines()[0]
    child = case.new_item_id()
    column = next(iter(case.flow.watched_by(command.to)), case.flow.start)
    kind = command.context.get("workflow")
    files = [path for path in _strings(payload.get("files")) if not bad_path(path)]
    if case.voice and case.has_item:
        far = beyond(case.flow, case.item.files, files)  # what a run would have to ask for, it does not hand on
        files = [path for path in files if path not in far]
    case.make(
        MakeItem(
            id=child,
            title=title[:500],
            body=str(payload.get("description") or payload.get("context") or ""),
            kind="item",
            column=column,
            type=kind if kind in TYPES else "feature",
            priority=command.priority,
            spec=str(command.context["spec"]) if command.context.get("spec") else None,
            constraints=_strings(payload.get("constraints")),
            files=list(dict.fromkeys(normal_path(path) for path in files)),
            generation=1 if case.voice else 0,
            because=f"{command.sender} handed it over",
            message=message,
        )
    )
    return child


def _check(case: Case, command: SendMessage) -> None:
    flow = case.flow
    if command.type not in flow.messages:
        known = ", ".join(flow.messages) or "none"
        raise Invalid("bad_message", f"type: the flow has no message {command.type!r}", f"its messages: {known}")
    if command.priority not in PRIORITIES:
        raise Invalid("bad_message", f"priority: {command.priority!r} is no priority", f"use {', '.join(PRIORITIES)}")
    known_names = {*flow.agents, ORCHESTRATOR, *(n for rule in flow.messages.values() for n in rule.receivers)}
    if command.to not in known_names:
        raise Invalid("bad_message", f"to: there is no agent {command.to!r}", f"agents: {', '.join(flow.agents)}")
    if case.voice is not None and command.sender != case.voice.agent:
        words = f"from: this run speaks as {case.voice.agent}, not as {command.sender}"
        raise Refused("not_the_sender", words, "leave the name of others alone")
    if not may_send(flow, command.type, command.sender, command.to):
        rule = flow.messages[command.type]
        raise Refused(
            "may_not_send",
            f"from: {command.sender} may not send {command.type} to {command.to}",
            f"{command.type} goes from {', '.join(rule.senders)} to {', '.join(rule.receivers)}",
        )


def _escalate(case: Case, command: SendMessage, message: str) -> None:
    """The documents' escalation: reason, details, options, context, blocking (H-09)."""
    payload = command.payload
    words = str(payload.get("details") or payload.get("reason") or "human intervention is needed")
    given = payload.get("options")
    options = [Option(option=str(option)) for option in given[:20]] if isinstance(given, list) else []
    reason = payload.get("reason")
    context = "\n".join(f"{name}: {payload[name]}" for name in ("reason", "context") if payload.get(name))
    clarify(
        case,
        words,
        context=context,
        options=options,
        blocking=bool(payload.get("blocking", True)) or reason == "security",
    )
    asked = next((q for q in reversed(case.questions.values()) if q.state == "open"), None)
    if asked is not None:
        case.emit("escalation_triggered", {"message": message}, messages=(message, {"question": asked.id}))


def _open(case: Case, message_id: str, allowed: tuple[str, ...]) -> Message:
    message, run = case.messages[message_id], case.voice
    if run is not None and (message.item != run.item or message.to != run.agent):
        words = f"message {message_id} is for {message.to} about item {message.item}, not for this run"
        raise Refused("not_for_you", words, "a run takes up what is addressed to it, about its own item")
    if message.status not in allowed:
        hint = "a message goes pending → accepted → completed, or rejected; never backwards, never twice"
        raise Refused("message_over", f"message {message_id} is {message.status} already", hint)
    return message


def accept(case: Case, command: AcceptMessage) -> None:
    message = _open(case, command.message, ("pending",))
    row = {"status": "accepted", "accepted_by": case.voice.id if case.voice else None}
    case.emit("handoff_accepted", {"message": message.id, "type": message.type}, messages=(message.id, row))


def complete(case: Case, command: CompleteMessage) -> None:
    message = _open(case, command.message, ("pending", "accepted"))
    fields = {"message": None} if case.has_item and case.item.message == message.id else None
    context = {"message": message.id, "type": message.type}
    case.emit("handoff_completed", context, item=fields, messages=(message.id, {"status": "completed"}))


def reject(case: Case, command: RejectMessage) -> None:
    _reject(case, _open(case, command.message, ("pending", "accepted")), command.why)


def _reject(case: Case, message: Message, why: str) -> None:
    fields = {"message": None} if case.has_item and case.item.message == message.id else None
    context = {"message": message.id, "type": message.type, "why": why}
    case.emit("handoff_rejected", context, item=fields, messages=(message.id, {"status": "rejected", "why": why}))
