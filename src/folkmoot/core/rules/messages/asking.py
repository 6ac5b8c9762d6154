"""Messages that ask a person: an escalation, a clarification request. The answer completes them (H-09, R-26)."""

from typing import Any

from folkmoot.core.commands import RaiseQuestion
from folkmoot.core.records import ORCHESTRATOR, Message, Option, Question
from folkmoot.core.rules.messages.kinds import ASKING, FINAL, asks_person, may_send
from folkmoot.core.rules.messages.telling import of_report
from folkmoot.core.rules.messages.writing import write
from folkmoot.core.rules.questions import clarify
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.words import is_security
from folkmoot.errors import Invalid

OPTIONS_MAX = 20


def words_of(payload: dict[str, Any]) -> str:
    """What a person is to decide, whichever of the documents' names it has."""
    named = (payload.get(name) for name in ("details", "question", "reason", "description"))
    return next((str(words) for words in named if words), "human intervention is needed")


def check_asking(payload: dict[str, Any]) -> None:
    """What would be taken for something else than it says is asked back."""
    blocking, options = payload.get("blocking", True), payload.get("options", [])
    if not isinstance(blocking, bool):
        words = f"payload.blocking: {blocking!r} is neither true nor false"
        raise Invalid("bad_message", words, "true holds the item until the answer; leave it out for that")
    if not isinstance(options, list):
        words = f"payload.options: {options!r:.80} is not a list"
        raise Invalid("bad_message", words, 'give them like ["JWT", "OAuth"], or leave them out')


def _asked(payload: dict[str, Any]) -> dict[str, Any]:
    """Context, options, and whether the item waits for the answer."""
    given = payload.get("options")
    return {
        "context": "\n".join(f"{name}: {payload[name]}" for name in ("reason", "context") if payload.get(name)),
        "options": [_option(one) for one in given[:OPTIONS_MAX]] if isinstance(given, list) else [],
        "blocking": payload.get("blocking", True) is not False or is_security(str(payload.get("reason") or "")),
    }


def raise_from_part(case: Case, message: Message) -> None:
    """A part asks through its item, by a message as by its report; its run goes on (R-14)."""
    assert case.item.parent is not None
    part, words = case.item.agent or "", words_of(message.payload)
    raised = RaiseQuestion(kind="clarification", question=words, part=part, **_asked(message.payload))
    case.tell(case.item.parent, raised)


def escalate(case: Case, message: Message) -> None:
    """Put the message before a person, as a question about the item."""
    known = set(case.questions)
    clarify(case, words_of(message.payload), **_asked(message.payload))
    asked = next((question for question in case.questions.values() if question.id not in known), None)
    if asked is None:
        return
    # Whoever sent it asks, also where no run of its own spoke.
    asker = message.sender in case.flow.agents
    rows: dict[str, Any] = {"questions": (asked.id, {"agent": message.sender})} if asker else {}
    context = {"message": message.id, "question": asked.id, "why": asked.question}
    case.emit("escalation_triggered", context, messages=(message.id, {"question": asked.id}), **rows)


def _option(value: Any) -> Option:
    if isinstance(value, dict) and isinstance(value.get("option"), str):
        why = value.get("why_insufficient")
        return Option(option=value["option"], why_insufficient=why if isinstance(why, str) else None)
    return Option(option=str(value))


def tell_escalations(case: Case) -> None:
    """A question to a person that was opened without a message is an escalation all the same."""
    before = {question.id for question in case.situation.questions}
    bound = {message.question for message in case.messages.values()}
    for question in [q for q in case.questions.values() if q.id not in before | bound and q.state == "open"]:
        sender = question.part or question.agent
        sender = sender if sender in case.flow.agents else ORCHESTRATOR
        kind = _kind(case, question, sender)
        context: dict[str, Any] = {"question": question.id, "why": question.question}
        if kind is not None:
            context["message"] = write(case, sender, ORCHESTRATOR, kind, _payload(case, question), "pending", question)
        case.emit("escalation_triggered", context)


def _kind(case: Case, question: Question, sender: str) -> str | None:
    """An agent's own question may be a clarification request; what a rule asks is an escalation."""
    kinds = reversed(ASKING) if question.kind == "clarification" else ASKING[:1]
    return next((kind for kind in kinds if may_send(case.flow, kind, sender, ORCHESTRATOR)), None)


def _payload(case: Case, question: Question) -> dict[str, Any]:
    """In the words of the documents, and with all that the report said which asks."""
    said = case.run.report if case.run and case.voice and not case.voice.gate else None
    payload: dict[str, Any] = of_report(said) if said is not None and said.outcome == "asks" else {}
    payload |= {"question": question.question, "details": question.question, "blocking": question.blocking}
    payload.setdefault("reason", question.kind)
    if question.context:
        payload["context"] = question.context
    payload["options"] = [option.option for option in question.options]
    return payload


def close_escalations(case: Case) -> None:
    """An escalation is completed by its answer; if the question is withdrawn, it needs none."""
    for message in list(case.messages.values()):
        question = case.questions.get(message.question or "")
        if question is None or question.state == "open" or message.status in FINAL:
            continue
        context: dict[str, Any] = {"message": message.id, "type": message.type}
        if question.state == "withdrawn":
            row = {"status": "rejected", "why": f"{question.id} was withdrawn"}
            case.emit("handoff_rejected", {**context, "why": row["why"]}, messages=(message.id, row))
        else:
            case.emit("handoff_completed", context, messages=(message.id, {"status": "completed"}))


def asks_for_itself(message: Message | None) -> bool:
    """Was an item made only so that a person is asked?"""
    return message is not None and asks_person(message.type, message.to)
