"""The canonical JSON of a report: all of it, or every fault in it by name."""

import json
from typing import Any, NoReturn

import msgspec
from msgspec.structs import fields as struct_fields

from folkmoot.core.decoding import converted, misfit
from folkmoot.core.enums import CAUSES, COMMENT_STATUSES, FINDING_KINDS, OUTCOMES, RESOLUTIONS, SEVERITIES
from folkmoot.core.input_limits import has_unstorable
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.examples import EXAMPLES
from folkmoot.core.vocabulary.phrases.tallies import completed, may_count
from folkmoot.core.vocabulary.roles import nearest
from folkmoot.core.vocabulary.words import place_said
from folkmoot.errors import Invalid

FAULTS_SHOWN = 50
NAMES_MAX = 1_000  # of a report's own fields: each that is not known is compared with all that are
# Every field of a report and of its parts, with its words: no other is read, and the reference is made from them.
WORDS: dict[str, str] = {
    "outcome": "how the run ended; the only field that is needed",
    "summary": "what was done, or why it was not; people and the next agents read it",
    "commit": "the commit that holds the work; `moot run` finds it out by itself",
    "files": "which files the agent says it changed; what really changed is looked at",
    "artifacts": "what was made that others may comment on or dispute",
    "findings": "what a reviewer or a test found",
    "tests": "how many tests ran, and how they ended",
    "comments": "what is said about an artifact; a dispute is made of these",
    "attempts": "each approach that was tried and failed; a single one may stand under `attempt`",
    "cause": "why it failed",
    "reason": "why it failed, in words; or why it is stuck or disputed, in a word of the flow's `reasons`",
    "escalation_reason": "who can help, in a word of the flow's `reasons`; `reason` is then the failure's own",
    "blockers": "what keeps it from going on",
    "question": "what only a person can know; a text alone is read too",
    "tasks": "the parts that the work is split into",
    "contracts": "what several tasks rely on",
    "integration_points": "where tasks meet, in any shape",
    "interfaces": "what it made that others build on: names of types, functions, routes",
    "delegate": "help that is asked of others",
    "next_steps": "what should follow",
    "lessons": "what later agents should know",
    "usage": "what the run used up; `moot run` hears it from the client",
    "messages": "messages to others, in the documents' envelope: each is sent with the report",
    "extra": "what a dialect says beyond these fields: kept, and shown",
    "implied": "the outcome was found in words, in comments or in ATTEMPT blocks; filled in where these are read",
}
PARTS: dict[str, dict[str, str]] = {
    "files": {"created": "paths of new files", "modified": "paths of changed files"},
    "artifacts": {"name": "its name, by which comments speak of it", "path": "where it is, if that is not its name"},
    "findings": {
        "kind": "what kind of finding it is",
        "severity": "how bad; `critical` asks a person at once where it is about security, or among several agents",
        "issue": "what is wrong",
        "file": "where",
        "line": "the line there",
        "recommendation": "what to do about it",
        "test": "the test that shows it",
        "exploit": "how it can be used against you",
        "category": "a word for it, like `sql_injection`",
        "why": "why it matters",
        "found_by": "who found it; filled in where several look at the same work",
        "wordings": "how others said the same, and what whoever mends it says of it; filled in likewise",
        "remark": "it was said beside `done`, and nothing must change for it; filled in by the board",
        "fixed": "what was done about it, if it is mended: nothing must change for it; `status: fixed` is read too",
        "unheard": "the stage that found it and has given no verdict yet; filled in by the board",
    },
    "comments": {
        "content": "what is said",
        "artifact": "what it is about",
        "target": "the place in it: a section, a test",
        "parent": "the comment that this replies to; left out, it is the open thread in which it is your turn",
        "resolution": "ends the thread of `parent`; in `disputed`, `rejected` only says that you disagree",
        "status": "`resolved` ends the thread of `parent`; in a dispute only with a `resolution`",
        "id": "its id, if it is one that stands on the item already",
        "author": "who says it; what others have said already is not said again",
        "timestamp": "when it was said",
    },
    "attempts": {
        "kind": "`self_solve` or `expert_delegation`",
        "approach": "what was tried; only a new one counts",
        "outcome": "what came of it",
        "why_different": "why it is not what was tried before",
        "beside": "what else there is to say about it; it stays with the attempt, and decides nothing",
    },
    "question": {
        "question": "what you ask",
        "context": "what one has to know for it",
        "options": "ways to answer, each a text, or `{option, why_insufficient}`",
        "help": "what would help",
        "blocking": "`false`: the item goes on, and the answer is in a later brief",
        "default": "what holds if nobody answers before the flow's deadline",
    },
    "tests": {"total": "all; null if nobody told", "passed": "the green ones; likewise", "failed": "the red ones"},
    "tasks": {
        "title": "what is to be done",
        "key": "by which other tasks name it; else its title",
        "body": "all there is to say about it",
        "agent": "who alone is to do it",
        "files": "what it may change; two that overlap are never worked on at once",
        "after": "keys of the tasks that come before it",
        "contracts": "names of the contracts that it relies on",
        "spec": "where it is specified",
        "constraints": "what must hold",
        "more": "whatever else there is to say of it, by name: its agent is told",
    },
    "contracts": {"name": "its name", "text": "what holds, in words or code"},
    "delegate": {
        "task": "what is to be done",
        "to": "an expert or agent; else a sub-agent",
        "scope": "how far it goes",
    },
    "messages": {
        "type": "what kind of message it is; the flow says who may send which",
        "sender": "who sends it, `from` in an envelope; left out, the run's own agent",
        "to": "for whom it is; left out, whoever alone may get this type",
        "message_id": "its name, a uuid; given when it is sent",
        "timestamp": "when it was written",
        "schema_version": "which version of the envelope it is",
        "priority": "how urgent it is; left out, as urgent as its item",
        "payload": "what is handed over",
        "context": "what it belongs to: workflow, spec, iteration",
        "status": "`pending`, or left out",
    },
    "usage": {
        "input_tokens": "tokens read",
        "output_tokens": "tokens written",
        "cost_usd": "money",
        "cached_tokens": "of those read: from a cache",
    },
}
# What each outcome says, and what must stand beside it.
OUTCOME_WORDS: dict[str, tuple[str, str]] = {
    "done": ("the work of this stage is done; threads of a dispute about it are resolved", ""),
    "changes_requested": ("others must change something first", "`findings`, or words that say what to change"),
    "disputed": ("an earlier artifact is wrong, or a reply to that", "a comment that says the specific concern"),
    "failed": ("it was tried, and it did not work", ""),
    "stuck": ("it cannot go on; `reason` names who can", ""),
    "asks": ("a person must decide; the item waits for the answer", "`question`, and the right to `ask`"),
    "delegates": ("others are to help; the item waits for them", "`delegate`, and the right to `delegate`"),
    "split": ("it is too large; these tasks replace it", "`tasks`, and the right to `split`"),
    "incomplete": ("part of it is done; a fresh run goes on", ""),
}
# What to add to a report that does not say how it ended.
_ADD = {
    "comments": '"outcome": "disputed" if you disagree, "done" if they end the thread',
    "question": '"outcome": "asks"',
    "tasks": '"outcome": "split"',
    "delegate": '"outcome": "delegates"',
    "findings": '"outcome": "changes_requested", or "done" if nothing must change for them',
    "attempts": '"outcome": "failed", or whichever way it ended',
}
PLAIN = {"outcome", "summary", "commit", "extra"}  # fields that can be written in one way only
_TYPES = {field.name: field.type for field in struct_fields(Report)}
FIELDS = {name: _TYPES[name] for name in WORDS}
_NO_SUCH_WORD = "Invalid enum value"  # as msgspec begins what it says of a word outside of a vocabulary
# The fields whose words are counted; those of a part by its field.
_CLOSED: dict[str, dict[str, tuple[str, ...]]] = {
    "outcome": {},
    "cause": {},
    "comments": {"status": COMMENT_STATUSES, "resolution": RESOLUTIONS},
    "findings": {"severity": SEVERITIES, "kind": FINDING_KINDS},
}
# What people write for a name of ours that does not look like it.
_OTHERWISE = {
    "outcome": ("result", "state", "ended"),
    "comments": ("comment", "artifact_comments", "comments_on_artifact", "remarks"),
    "content": ("body", "text", "message", "comment", "comments", "words"),
    "parent": ("reply_to", "in_reply_to", "replies_to", "reply", "thread", "parent_id"),
    "author": ("by", "agent", "from", "user"),
    "target": ("section", "test", "place", "location"),
}
_OF_PLACES = ("column", "move_to", "moves_to", "next_column", "goes_to", "to_column")
UNSTORABLE = "it holds a NUL, half a character, a number too large, or is nested too deep"


class Faulty(Exception):
    """This is meant as a report, and all of this is wrong with it."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults[:FAULTS_SHOWN]))
        self.faults = faults


def unreadable(faults: list[str], tried: str = "done", returned: str | None = None) -> Invalid:
    """`tried` is the outcome that it was meant to say: the hint shows the form of that; `returned` the same as a
    return, where that was tried."""
    faults = list(dict.fromkeys(faults))
    named = faults[:FAULTS_SHOWN]
    if len(faults) > len(named):
        named.append(f"and {len(faults) - len(named)} more")
    words, hint = "the report cannot be read: {why}", "{advice}; the run still lives, so report again"
    return Invalid("unreadable_report", words, hint, "; ".join(named), _advice(faults, tried, returned), faults=named)


def _advice(faults: list[str], tried: str, returned: str | None) -> str:
    """What to do next, in the form that the agent has at hand."""
    if faults and faults[-1].startswith("Status:") and returned:
        return f"say how it ended and all there is to say beside it in one object, such as {returned}"
    if faults and faults[-1].startswith("Status:"):
        return "mend the form's Status: one ticked box, such as `- [x] Complete / [ ] Needs follow-up / [ ] Blocked`"
    whole = f"a JSON object such as {EXAMPLES[tried]}"
    if not faults or faults[-1].startswith("it holds no report"):
        return f"a report is {whole}"
    if any('such as {"' in fault for fault in faults):
        return "mend what is named, as it is shown"
    return f"mend what is named, in the form you wrote it in; a short report is {whole}"


def shown(value: object) -> str:
    """A value in the words about a fault: short, and in letters that can be stored."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= 80 else text[:79] + "…"


def decoder() -> json.JSONDecoder:
    """JSON as the standard has it: no key twice, no NaN."""
    return json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


def check_number(fields: object) -> None:
    if isinstance(fields, dict) and len(fields) > NAMES_MAX:
        raise Faulty([f"it has {len(fields)} fields, and a report has at most {NAMES_MAX}"])


def checked_report(fields: dict[str, Any]) -> Report:
    """The report that a program sent by its fields, looked at as closely as one that an agent wrote itself."""
    try:
        return canonical_report(fields)
    except Faulty as error:
        raise unreadable(error.faults) from error


def canonical_report(data: dict[str, Any]) -> Report:
    """The report these fields say; Faulty with everything that is wrong with them."""
    if has_unstorable(data):
        raise Faulty([UNSTORABLE])
    check_number(data)
    check_number(data.get("extra"))
    faults: list[str] = []
    values: dict[str, Any] = {}
    data = _spellings(data)
    for name, value in data.items():
        if name not in FIELDS:
            faults.append(f"{name}: unknown field" + did_you_mean(name, list(FIELDS)))
            continue
        try:
            values[name] = converted(value, FIELDS[name])
        except (msgspec.ValidationError, OverflowError) as error:
            if str(error).startswith(_NO_SUCH_WORD) and name in _CLOSED:
                continue  # named below, with those that are known
            faults.append(f"{name}: {misfit(error)}{_fields_of(name, str(error))}")
    faults += _wrong_words(data)
    if faults:
        raise Faulty(faults)
    return Report(**values)


def _fields_of(name: str, fault: str) -> str:
    """Behind a name that no part of this field has: those that it has, and which of them was meant."""
    if "unknown field" not in fault or name not in PARTS:
        return ""
    word = fault.partition("`")[2].partition("`")[0]
    return f"{did_you_mean(word, list(PARTS[name]))}; its fields are {', '.join(PARTS[name])}"


def unknown_cause(word: object) -> str:
    """Named back with those that are known: a cause that nobody knows must not count as one that somebody meant."""
    near = did_you_mean(str(word), list(CAUSES))
    return f"cause: nobody knows {shown(word)}; the known ones are {', '.join(CAUSES)}{near}"


def missing_outcome(data: dict[str, Any]) -> str:
    """What to add, by what is there."""
    words = f"outcome: missing, one of {', '.join(OUTCOMES)}"
    for name, hint in _ADD.items():
        if data.get(name):
            return f"{words}; beside `{name}` add {hint}"
    return words


def did_you_mean(name: str, known: list[str]) -> str:
    meant = next((own for own, others in _OTHERWISE.items() if own in known and name.lower() in others), None)
    if meant is not None:
        return f", did you mean {meant!r}?"
    if name.lower() in _OF_PLACES:
        return "; where an item goes follows from its outcome"
    near = nearest(name, known)
    return f", did you mean {near!r}?" if near else ""


def _spellings(data: dict[str, Any]) -> dict[str, Any]:
    """A single `attempt` and options as plain text are read too, and whatever else is close to the form."""
    data = dict(data)
    if "attempt" in data and "attempts" not in data:
        data["attempts"] = [data.pop("attempt")]
    if isinstance(data.get("tests"), dict):
        data["tests"] = completed(data["tests"])
    summary = data.get("summary")
    counts = isinstance(summary, str) and may_count(summary)
    if data.keys() - PLAIN or data.get("outcome") not in OUTCOMES or counts:
        from folkmoot.reports.loose.spellings import spelled  # most reports need none of it

        data = spelled(data)
    return data


def _wrong_words(data: dict[str, Any]) -> list[str]:
    """Every word that is in none of the vocabularies, with those that are."""
    faults = []
    if "outcome" not in data:
        faults.append(missing_outcome(data))
    elif data["outcome"] not in OUTCOMES:
        faults.append(f"outcome: {shown(data['outcome'])} is not one of {', '.join(OUTCOMES)}{_meant(data['outcome'])}")
    if isinstance(data.get("cause"), str) and data["cause"] not in CAUSES:
        faults.append(unknown_cause(data["cause"]))
    for name in ("comments", "findings"):
        listed = data.get(name)
        for part in listed if isinstance(listed, list) else []:
            faults += _wrong_in(name, part) if isinstance(part, dict) else []
    return faults


def _wrong_in(name: str, part: dict[str, Any]) -> list[str]:
    told = {key: part[key] for key in _CLOSED[name] if isinstance(part.get(key), str)}
    return [
        f"{name}: {key} {shown(word)} is not one of {', '.join(_CLOSED[name][key])}"
        for key, word in told.items()
        if word not in _CLOSED[name][key]
    ]


def _meant(word: object) -> str:
    return place_said(word) or did_you_mean(str(word).lower(), list(OUTCOMES))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {shown(name)} stands twice")
        found[name] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number JSON knows")
