"""Messages that an agent prints where it reports: each is taken out of the report, and stands beside it.

Whether one of them is the agent's own, and may be sent, is for the rules to say.
"""

import json
import re
from itertools import islice
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from folkmoot.core.report import Posted, Report
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.roles import role
from folkmoot.errors import Invalid
from folkmoot.reports.canonical import Faulty, decoder
from folkmoot.reports.messages import NO_REPORTS, READERS
from folkmoot.reports.placeholders import is_placeholder
from folkmoot.reports.scan import is_member

ASKED = ("escalation", "clarification_request")  # messages for which a person is asked
# Questions to a person, by the names that they are listed under.
QUESTIONS = (
    *("questions", "openQuestions", "open_questions", "questionsForUser", "questions_for_user", "questionsForHuman"),
    *("userQuestions", "clarificationsNeeded", "clarifications_needed"),
)
_ANSWERED = {"answer", "answers", "answered", "resolution", "resolved", "decision", "guidance"}
_OF_ASKED = {"details", "question", "reason", "options", "payload"}
_NEEDED = ("needed", "required", "escalate", "escalated")
_PAYLOAD = ("reason", "details", "options", "context", "blocking")  # of the document's escalation
DEPTH_MAX = 4  # a handoff stands in a field of the report, or of its payload
# What the handoff document's agents return beside each.
_RETURNS = {
    **dict.fromkeys(("task_handoff", "review_request"), "completed"),
    "fix_request": "needs_fixes",
    "rereview_request": "fixes_applied",
}
_NAMED = "|".join(kind.replace("_", "[ _-]?") for kind in (*NO_REPORTS, *ASKED))
# `type: fix_request` on a line of its own, or in braces without quotation marks: a message that is no JSON.
_MARKS = r"""[*_`"']{0,3}"""
_IN_WORDS = pattern(
    rf"(?:[-*+]\s{{1,3}})?{_MARKS}(?:message[ _]?)?type{_MARKS}\s{{0,3}}[:=]{_MARKS}\s{{0,3}}{_MARKS}({_NAMED})"
    rf"{_MARKS},?",
    re.IGNORECASE,
)
_IN_BRACES = pattern(
    rf"\{{\s{{0,9}}(?:[^{{}}]{{1,300}},\s{{0,9}})?{_MARKS}type{_MARKS}\s{{0,3}}:\s{{0,3}}{_MARKS}({_NAMED})\b",
    re.IGNORECASE,
)
_LIST = pattern(r"^[ \t]{0,20}\[(?=\s{0,200}\{)", re.MULTILINE)
_LISTS_MAX = 20  # an agent prints one, or none


def is_handed(data: Any) -> bool:
    """Is it a message that hands something on? Of a type that the documents know as such, or in an envelope of any
    type that is no report."""
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or "outcome" in data:
        return False
    if role(kind, NO_REPORTS) in NO_REPORTS:
        return True
    addressed = isinstance(data.get("to"), str) and isinstance(data.get("payload"), dict)
    return addressed and role(kind, READERS) not in READERS


def looks_handed(keys: list[str]) -> bool:
    """Do the keys of something, which may be broken, show that it was meant as a message?"""
    return "type" in keys and bool({"to", "from", "payload"} & {*keys})


def unlisted(text: str) -> str:
    """The text with each member of a list of messages on a line of its own: a list says what its members say one after
    the other, also of the return that stands among them."""
    done, parts = 0, []
    for found in islice(_LIST.finditer(text), _LISTS_MAX):
        start = found.end() - 1
        if start < done or is_member(text, start):
            continue
        try:
            data, end = decoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            continue  # whoever reads the whole text says what is wrong with it
        if text[end:].partition("\n")[0].strip() or not all(isinstance(one, dict) for one in data):
            continue
        if any(looks_handed(list(one)) for one in data):
            parts += [text[done:start], "\n".join(json.dumps(one, ensure_ascii=False) for one in data)]
            done = end
    return "".join([*parts, text[done:]]) if parts else text


def posted(data: dict[str, Any]) -> Posted:
    """The message in an object; Faulty with what is wrong with it. Fillers of the document's form say nothing."""
    from folkmoot.reports.envelope import check_message

    if "sender" in data and "from" not in data:
        data = {("from" if name == "sender" else name): value for name, value in data.items()}
    told = _filled(data)
    if isinstance(told.get("context"), dict):
        told["context"] = _filled(told["context"])
    try:
        said = check_message(told, enclosed=True)
    except Invalid as error:
        raise Faulty([f"in its {data['type']}: {error.message}"]) from error
    return Posted(
        type=said.type,
        sender=said.sender,
        to=said.to,
        message_id=said.message_id,
        timestamp=said.timestamp,
        schema_version=said.schema_version,
        priority=said.priority,
        payload=said.payload,
        context=said.context,
        status=said.status,
    )


def _filled(data: dict[str, Any]) -> dict[str, Any]:
    empty = [
        name for name, value in data.items() if value is None or (isinstance(value, str) and is_placeholder(value))
    ]
    return {name: value for name, value in data.items() if name not in empty}


class Enclosed(Struct):
    """What stands in the fields of a report and is none of its own words: messages, and what a person is asked."""

    messages: list[Posted] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    lists_questions: bool = True  # a message has a form of its own for several

    def take(self, value: Any, name: str = "") -> bool:
        """Is the value one of these, and taken? In a field that is called so, the type need not be said."""
        if is_handed(value):
            self.messages.append(posted(value))
        elif is_asked(value):
            self.asked.append(value)
        elif _is_payload(value) and (kind := _asked_under(name)):
            self.asked.append({"type": kind, **(value if "payload" in value else {"payload": value})})
        elif self.lists_questions and name in QUESTIONS and _is_open(value):
            self.asked.append({"type": ASKED[0], "payload": value})
        else:
            return False
        return True


def is_asked(data: Any) -> bool:
    """Is it a message that asks a person?"""
    kind = data.get("type") if isinstance(data, dict) else None
    return isinstance(kind, str) and "outcome" not in data and role(kind, ASKED) in ASKED


def _asked_under(name: str) -> str | None:
    """By which message a person is asked for what stands in a field of this name: `escalation`, `escalations`."""
    return next((kind for kind in ASKED if role(name, (kind, f"{kind}s")) in (kind, f"{kind}s")), None)


def _is_open(value: Any) -> bool:
    """Is it a question of its own, with what belongs to it, that nobody has answered?"""
    if (
        not isinstance(value, dict)
        or value.keys() & _ANSWERED
        or value.get("status", "open") not in ("open", "pending")
    ):
        return False
    return isinstance(value.get("question"), str) and not says_nothing(value["question"])


def _is_payload(value: Any) -> bool:
    """Is it what a person is asked, without an envelope? One that is not needed, or names nothing, is none."""
    if not isinstance(value, dict) or "type" in value or not value.keys() & _OF_ASKED:
        return False
    told = [value[name] for name in ("details", "question", "reason") if name in value]
    empty = told and all(isinstance(words, str) and says_nothing(words) for words in told)
    return not empty and not any(value.get(name) is False for name in _NEEDED)


def taken_out(data: dict[str, Any]) -> tuple[dict[str, Any], Enclosed]:
    """A report without the messages that stand in its fields, and these."""
    found = Enclosed(lists_questions="type" not in data)
    if "type" not in data and isinstance(data.get("blocking"), bool) and isinstance(data.get("details"), str):
        # The payload of an escalation, beside the status and not in a field of its own.
        found.asked.append({"type": ASKED[0], "payload": {name: data[name] for name in _PAYLOAD if name in data}})
        data = {name: value for name, value in data.items() if name not in _PAYLOAD}
    rest = _without(data, found, DEPTH_MAX)
    return (rest, found) if found.messages or found.asked else (data, found)


def _without(data: dict[str, Any], found: Enclosed, depth: int) -> dict[str, Any]:
    rest: dict[str, Any] = {}
    for name, value in data.items():
        if found.take(value, name):
            continue
        if isinstance(value, list):
            left = [part for part in value if not found.take(part, name)]
            rest |= {name: left} if left or not value else {}
        else:
            rest[name] = _without(value, found, depth - 1) if isinstance(value, dict) and depth else value
    return rest


def alone(data: dict[str, Any]) -> Report | None:
    """A message, or an object around some, without a word on how its run ended: it adds to what else is said, and is
    no report by itself."""
    if is_handed(data):
        return Report(outcome="done", messages=[posted(data)])
    rest, found = taken_out(data)
    return Report(outcome="done", messages=found.messages, extra=rest) if found.messages else None


def holds_message(data: dict[str, Any]) -> bool:
    """Is it a message, or does one stand in a field of it? One that is faulty must not be lost either."""
    values = (part for value in data.values() for part in (value if isinstance(value, list) else [value]))
    return is_handed(data) or any(is_handed(part) for part in values)


def fault_of_untyped(data: dict[str, Any]) -> str:
    """What is wrong with an envelope that does not say what it is; or nothing."""
    if "type" in data or not {"from", "to", "payload"} <= data.keys():
        return ""
    return f"it holds a message to {data['to']!r:.40} without a `type`, so it cannot be sent: say it, or leave it out"


def without_end(kind: object, status: object = None) -> str:
    """What is asked of a message alone: the return that the document prints beside it, or how it is sent back."""
    words = f"it holds a {kind}, and no word on how the run ended: "
    if status == "rejected":
        return f'{words}to send it back report {{"outcome": "disputed", "comments": [{{"content": "…"}}]}}'
    ends = _RETURNS.get(role(str(kind), _RETURNS), "completed")
    return f'{words}report that with it, such as {{"status": "{ends}"}}'


def with_messages(said: Report | None, messages: list[Posted]) -> Report | None:
    return replace(said, messages=[*said.messages, *messages]) if said is not None and messages else said


def fault_in_words(line: str) -> str:
    """What is wrong with a line in which a message stands that is no JSON; or nothing."""
    words = line.strip()
    if "type" not in words.lower() or len(words) > 2000:
        return ""
    found = _IN_WORDS.fullmatch(words) or _IN_BRACES.search(words)
    if found is None:
        return ""
    kind = found.group(1)
    example = f'{{"type": "{kind}", "from": "…", "to": "…", "payload": {{}}}}'
    return f"it holds a {kind} that is no JSON, so it cannot be sent: print it as {example}, or leave it out"
