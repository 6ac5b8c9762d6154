"""Messages that ask a person: an escalation, a clarification request. The answer completes them (H-09, R-26)."""

from collections.abc import Iterator
from typing import Any

from folkmoot.core.commands import RaiseQuestion
from folkmoot.core.order import actor
from folkmoot.core.records import ORCHESTRATOR, Message, Option, Question
from folkmoot.core.rules.asking.telling import asked_because, in_words
from folkmoot.core.rules.messages.kinds import ASKING, FINAL, asks_person, may_send
from folkmoot.core.rules.messages.telling import of_report, own_context, own_envelope
from folkmoot.core.rules.messages.writing import write
from folkmoot.core.rules.questions import clarify
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.phrases.flags import blocking_in
from folkmoot.core.vocabulary.ways import AN_OPTION, options_told
from folkmoot.core.vocabulary.words import is_security

OPTIONS_MAX = 20
ASKS = ("details", "question", "questions", "reason", "description")
HELPS = ("help", "what_would_help")
_OF_QUESTION = (*ASKS, *HELPS, "context", "options", "default", "status", "type", "from", "to", "item")


def words_of(payload: dict[str, Any]) -> str:
    """What a person is to decide, whichever of the documents' names it has."""
    named = (_lines(payload.get(name)) for name in ASKS)
    return next((words for words in named if words), "human intervention is needed")


def _lines(value: Any) -> str:
    """Words, or a list of them; of what is something else each part with its name."""
    listed = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return "\n".join(value) if listed else in_words(value) if value else ""


def _beside(payload: dict[str, Any], urgent: str) -> str:
    """All that is said around the question: under whichever name it was not asked, in context, and by its envelope."""
    asked = words_of(payload)
    more = [_lines(payload[name]) for name in (*ASKS, "context") if name != "reason" and payload.get(name)]
    own = [name for name in payload if name not in _OF_QUESTION and name != blocking_in(payload)[0]]
    more += [f"{name}: {words}" for name in own if (words := _lines(payload[name]))]
    reason = str(payload["reason"]) if payload.get("reason") and str(payload["reason"]) != asked else None
    return asked_because(reason, urgent, *(words for words in more if words != asked))


def faults_of_asking(payload: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What would be taken for something else than it says, each with what would be right."""
    (name, blocking), options = blocking_in(payload), payload.get("options", [])
    if blocking is None:
        words = f"payload.{name}: {payload[name or '']!r} is neither true nor false"
        yield words, "true holds the item until the answer; leave it out for that"
    if not isinstance(options, list | dict):
        yield f"payload.options: {options!r:.80} is not a list", 'give them like ["JWT", "OAuth"], or leave them out'
        return
    if len(options) > OPTIONS_MAX:
        yield f"payload.options: {len(options)} of them", f"a person can choose among {OPTIONS_MAX} at most"
    for number, (one, option) in enumerate(options_told(options), start=1):
        if option is None:
            yield f"payload.options: number {number}, {one!r:.60}, is no option", AN_OPTION


def _asked(case: Case, message: Message) -> dict[str, Any]:
    """Context, options, what would help, and whether the item waits for the answer."""
    payload, given = message.payload, message.payload.get("options")
    urgent = f"priority: {message.priority}" if message.priority != case.item.priority else ""
    told = [option for _, option in options_told(given)][:OPTIONS_MAX] if isinstance(given, list | dict) else []
    return {
        "context": _beside(payload, urgent),
        "options": [Option(option=one[0], why_insufficient=one[1]) for one in told if one is not None],
        "help": next((text for name in HELPS if isinstance(text := payload.get(name), str) and text.strip()), None),
        "blocking": blocking_in(payload)[1] is not False or _is_grave(payload),
    }


def _is_grave(payload: dict[str, Any]) -> bool:
    """A security concern is waited for, whatever else is said (R-10)."""
    return is_security(str(payload.get("reason") or ""))


def raise_from_part(case: Case, message: Message) -> None:
    """A part asks through its item, by a message as by its report; its run goes on (R-14)."""
    assert case.item.parent is not None
    part, words = case.item.agent or "", words_of(message.payload)
    raised = RaiseQuestion(kind="clarification", question=words, part=part, **_asked(case, message))
    case.tell(case.item.parent, raised)


def escalate(case: Case, message: Message) -> None:
    """Put the message before a person, as a question about the item."""
    known = set(case.questions)
    default = message.payload.get("default")
    given = isinstance(default, str) and default.strip() and not _is_grave(message.payload)
    clarify(case, words_of(message.payload), default=default if given else None, **_asked(case, message))
    asked = next((question for question in case.questions.values() if question.id not in known), None)
    if asked is None:
        return
    # Whoever sent it asks, also where no run of its own spoke.
    asker = message.sender in case.flow.agents
    rows: dict[str, Any] = {"questions": (asked.id, {"agent": message.sender})} if asker else {}
    context = {"message": message.id, "question": asked.id, "why": asked.question}
    case.emit("escalation_triggered", context, messages=(message.id, {"question": asked.id}), **rows)


def tell_escalations(case: Case) -> None:
    """A question to a person that was opened without a message is an escalation all the same."""
    before = {question.id for question in case.situation.questions}
    bound = {message.question for message in case.messages.values()}
    for question in [q for q in case.questions.values() if q.id not in before | bound and q.state == "open"]:
        senders = [_raised_by(case, question), ORCHESTRATOR]
        found = ((one, kind) for one in senders if (kind := _kind(case, question, one)))
        sender, kind = next(found, (senders[0], None))
        context: dict[str, Any] = {"question": question.id, "why": question.question}
        if kind is not None:
            own, around = _own(case, question, kind)
            told = _payload(case, question)
            context["message"] = write(
                case, sender, ORCHESTRATOR, kind, told, "pending", question, context=around, own=own
            )
        case.emit("escalation_triggered", context)


def _raised_by(case: Case, question: Question) -> str:
    """Whose work needs a person: who asks itself, or the agent on whose run, or turn, the rules had to ask."""
    before, run = case.situation.item, case.run
    proved = before.proving.agent if run is not None and run.gate and before is not None and before.proving else None
    ran = run.agent if run is not None and not run.gate else None
    places = (case.item.column, case.item.made_by)  # at the end of the flow it is about what a stage has made
    watching = [agent for place in places if place in case.flow.columns for agent in case.flow.columns[place].agents]
    named = (question.part, question.agent, proved, ran, actor(case.flow, case.item), *watching)
    return next((name for name in named if name in case.flow.agents), ORCHESTRATOR)


def _kind(case: Case, question: Question, sender: str) -> str | None:
    """An agent's own question may be a clarification request; what a rule asks is an escalation."""
    kinds = reversed(ASKING) if question.kind == "clarification" else ASKING[:1]
    return next((kind for kind in kinds if may_send(case.flow, kind, sender, ORCHESTRATOR)), None)


def _own(case: Case, question: Question, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the envelope in which an agent asked says of the message, and what it belongs to."""
    said = case.run.report if case.run and case.voice and not case.voice.gate else None
    asked = said.question if said is not None else None
    if said is None or asked is None or asked.question != question.question or said.extra.get("type") != kind:
        return {}, {}
    return own_envelope(said), own_context(said)


def _payload(case: Case, question: Question) -> dict[str, Any]:
    """In the words of the documents, and with all that the report said which asks."""
    said = case.run.report if case.run and case.voice and not case.voice.gate else None
    asked = said.question if said is not None else None
    is_own = asked is not None and asked.question == question.question
    payload: dict[str, Any] = of_report(said) if said is not None and said.outcome == "asks" else {}
    if said is not None and is_own and said.reason:
        payload["reason"] = said.reason  # also where nothing waits for the answer, and the report is of another end
    payload |= {"question": question.question, "details": question.question, "blocking": question.blocking}
    cause = case.run.cause if case.run and question.agent not in case.flow.agents else None
    payload.setdefault("reason", cause or question.kind)
    context = asked.context if asked is not None and is_own else question.context
    if context:
        payload["context"] = context
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
