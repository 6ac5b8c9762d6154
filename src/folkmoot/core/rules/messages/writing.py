"""The rules write messages where agents do not: at each move the handoff, of each report what it said (R-26)."""

from collections.abc import Callable
from typing import Any

from folkmoot.core.commands import AnswerQuestion, Command
from folkmoot.core.enums import ENDED
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.order import actor, iteration
from folkmoot.core.records import ORCHESTRATOR, Message, Question
from folkmoot.core.report import Report
from folkmoot.core.rules.messages.kinds import AGAIN_TYPES, ASKING, FIX_TYPES, is_open, may_send, sent_for
from folkmoot.core.rules.messages.telling import of_item, of_report, own_context, own_envelope
from folkmoot.core.situation import Case

# What a report that goes to the orchestrator is called in the documents, the most telling name first.
NAMES_OF_REPORTS: tuple[tuple[str, Callable[[Report], bool]], ...] = (
    ("security_issues", lambda said: any(finding.kind == "security" for finding in said.findings)),
    ("test_failures", lambda said: said.outcome == "changes_requested" and _is_about_tests(said)),
    ("review_findings", lambda said: said.outcome == "changes_requested" or bool(said.findings)),
    ("test_results", lambda said: said.outcome == "done" and said.tests is not None),
    ("completion", lambda said: said.outcome == "done"),
)
HAS_NO_HANDOFF = ("part", "expert", "sub", "dispatch")


def _is_about_tests(said: Report) -> bool:
    return said.tests is not None or any(finding.kind == "test" for finding in said.findings)


def tell_orchestrator(case: Case, said: Report) -> None:
    """The report of a run as a message to the rules, which act on it at once; what the run had sent them is told."""
    if not case.flow.messages or case.run is None:
        return
    run = case.run
    sent = [m for m in case.messages.values() if m.run == run.id and m.to == ORCHESTRATOR and m.question is None]
    for message in sent:
        if is_open(message) and message.type not in ASKING:
            context = {"message": message.id, "type": message.type}
            case.emit("handoff_completed", context, messages=(message.id, {"status": "completed"}))
    kind = _kind_of_report(case, said, run.agent)
    # A question has a message of its own, which its answer completes.
    if kind is not None and said.outcome != "asks" and kind not in {message.type for message in sent}:
        told, own = of_report(said), own_envelope(said) if said.extra.get("type") not in ASKING else {}
        write(case, run.agent, ORCHESTRATOR, kind, told, "completed", context=own_context(said), own=own)


def _kind_of_report(case: Case, said: Report, agent: str) -> str | None:
    own = said.extra.get("type")
    fitting = [name for name, fits in NAMES_OF_REPORTS if fits(said)]
    if isinstance(own, str) and own in {name for name, _ in NAMES_OF_REPORTS} and said.outcome != "asks":
        fitting.insert(0, own)  # the agent has named it itself
    return next((name for name in fitting if may_send(case.flow, name, agent, ORCHESTRATOR)), None)


def hand_over(case: Case, before: Item | None, command: Command) -> None:
    """Whoever acts next on the item gets a message about it, if that is another than before this command (R-26)."""
    item, flow = case.item, case.flow
    if item.status in ENDED or item.status == "running" or (before is None and item.message):
        return  # whoever runs has taken it up; a new item was handed over by the message that made it
    to = actor(flow, item)
    if to is None and item.join == "parts":
        _hand_to_parts(case, before, command)
    if to is None or item.kind in HAS_NO_HANDOFF or (before is not None and not _is_anothers(case, before, to)):
        return
    sent = [m for m in _sent(case) if m.to == to and m.status == "pending"]
    if sent:
        case.set("item_rests", {"message": sent[-1].id}, message=sent[-1].id)
        return
    _hand(case, _senders(case, before, command), to, bind=True)


def _hand(case: Case, senders: list[str], to: str, *, bind: bool = False, stage: str | None = None) -> None:
    for sender in senders:
        kind = _kind_of_handoff(case.flow, case.item, sender, to)
        if kind is not None:
            write(case, sender, to, kind, of_item(case), "pending", bind=bind, stage=stage)
            return


def _hand_to_parts(case: Case, before: Item | None, command: Command) -> None:
    """Each agent that gets a part of the item is handed the item; what it was sent by the run itself will do."""
    item = case.item
    if before is not None and before.join == "parts" and before.column == item.column:
        return
    told = {m.to for m in _sent(case) if m.status == "pending"}
    for agent in dict.fromkeys(item.made.values()):
        if agent not in told:
            _hand(case, _senders(case, before, command), agent, stage=item.column)


def _sent(case: Case) -> list[Message]:
    run = case.voice
    return sent_for(run, case.item.id, case.messages.values()) if run is not None else []


def _senders(case: Case, before: Item | None, command: Command) -> list[str]:
    """Whose message it may be, the nearest first: the run's that spoke or was proved, the rules', or that of the agent
    whose stage a person's answer ended. What a person moved by hand, no agent has handed over."""
    run = case.voice
    if run is not None and not run.gate:
        return [run.agent, ORCHESTRATOR]
    proved = [before.proving.agent] if run is not None and before is not None and before.proving is not None else []
    left = actor(case.flow, before) if before is not None and isinstance(command, AnswerQuestion) else None
    return [*(one for one in proved if one), ORCHESTRATOR, *([left] if left else [])]


def _is_anothers(case: Case, before: Item, to: str) -> bool:
    """Is the item elsewhere than before, or in the same place for another agent: a dispute's other side, a new flow?"""
    item, flow = case.item, case.flow
    if before.column != item.column or before.forwards != item.forwards or actor(flow, before) != to:
        return True
    handed = case.messages.get(before.message or "")
    return handed is not None and handed.to != to and bool(flow.watched_by(handed.to))


def _kind_of_handoff(flow: Flow, item: Item, sender: str, to: str) -> str | None:
    """Among the types it may send to this receiver the one that says why: changes asked for, made, or neither."""
    # What may also go to the orchestrator is a report: the rules relay it in words of their own.
    kinds = [
        kind
        for kind in flow.messages
        if may_send(flow, kind, sender, to) and not may_send(flow, kind, sender, ORCHESTRATOR)
    ]
    wanted = FIX_TYPES if item.returns_to else AGAIN_TYPES if item.span.rounds else frozenset()
    fitting = [kind for kind in kinds if kind in wanted]
    plain = [kind for kind in kinds if kind not in FIX_TYPES | AGAIN_TYPES]
    return next(iter([*fitting, *plain, *kinds]), None)


def write(
    case: Case,
    sender: str,
    to: str,
    kind: str,
    payload: dict[str, Any],
    status: str,
    question: Question | None = None,
    *,
    bind: bool = False,
    stage: str | None = None,
    context: dict[str, Any] | None = None,
    own: dict[str, Any] | None = None,
) -> str:
    """`own`: what its sender's envelope says about the message itself; a name that is taken is not given again."""
    item, own = case.item, own or {}
    message = own.get("message_id")
    message = message if message is not None and message not in case.messages else case.new_message_id()
    row: dict[str, Any] = {
        "sender": sender,
        "to": to,
        "type": kind,
        "priority": own.get("priority", item.priority),
        "payload": payload,
        "context": {**context_of(case), **(context or {})},
        "status": status,
        "item": item.id,
        "run": case.voice.id if case.voice else None,
        "at": case.situation.at,
    }
    row |= {"schema_version": own["schema_version"]} if "schema_version" in own else {}
    row |= {"sent_at": own["timestamp"]} if "timestamp" in own else {}
    if question is not None:
        row["question"] = question.id
    if stage is not None:
        row["stage"] = stage
    fields = {"message": message} if bind else {}
    told = {"message": message, "type": kind, "from": sender, "to": to}
    case.emit("handoff_created", told, item=fields, messages=(message, row))
    return message


def context_of(case: Case) -> dict[str, Any]:
    """What a message about the item belongs to. Which look a part is, the handoff says that its run has accepted."""
    item, look = case.item, max(iteration(case.flow, case.item), 1)
    if item.kind == "part" and case.voice is not None:
        told = [m.context.get("iteration") for m in case.messages.values() if m.accepted_by == case.voice.id]
        look = max([look, *(one for one in told if isinstance(one, int))])
    return {"item": item.id, "workflow": item.type, "spec": item.spec, "iteration": look}


def known(case: Case) -> list[Message]:
    """The messages that are about this very item; others may be at hand too."""
    return [message for message in case.messages.values() if message.item == case.item.id]
