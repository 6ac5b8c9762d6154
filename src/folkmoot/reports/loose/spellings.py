"""Canonical JSON as honest agents write it: other case, one thing instead of a list, the documents' other names."""

from typing import Any

from msgspec import to_builtins

from folkmoot.core.enums import CAUSES, FindingKind, Severity
from folkmoot.core.report import Report, Try
from folkmoot.core.vocabulary.lines import (
    LINE,
    NAMES,
    PLACE,
    finding_in,
    is_misspelt,
    paths_in,
    places_in,
    severity_of,
    unknown_severity,
    with_range,
)
from folkmoot.core.vocabulary.phrases.mended import mended
from folkmoot.core.vocabulary.phrases.nothings import says_nothing, telling
from folkmoot.core.vocabulary.phrases.tallies import counted
from folkmoot.core.vocabulary.plans import split_field
from folkmoot.core.vocabulary.problems import listed_under, problems_in
from folkmoot.core.vocabulary.ways import options_told
from folkmoot.core.vocabulary.words import meaning_of
from folkmoot.reports.loose.issues import OPEN, left_open, uncounted
from folkmoot.reports.loose.names import in_our_words, spent
from folkmoot.reports.loose.options import options_in
from folkmoot.reports.splits.shared import contracts_in, once_each, points_in, shared_contracts, unwrapped

_LISTS = ("findings", "comments", "attempts", "delegate", "artifacts")
_TEXTS = ("next_steps", "lessons")
# Other names of the documents for a field of ours, where ours is not said.
_FINDING = {name: own for own, names in NAMES.items() for name in names if name != own}
_ATTEMPT = {"Approach": "approach", "Outcome": "outcome", "Why Different": "why_different", "result": "outcome"}
_OF_ATTEMPT = 20  # names in one attempt that are read
_KINDS = {"expert": "expert_delegation", "delegation": "expert_delegation"}
_OWN_KIND = ("self_solve", "selfsolve")
_NUMBERED = ("attempt", "number", "attempt_number")  # the board numbers attempts itself
_TRUTH = {"true": True, "false": False}  # "yes" and "no" are asked back: to what, a message does not say
_VERDICTS = {"pass": "passed", "fail": "failed", "approve": "approved", "request_changes": "changes_requested"}
_ELSEWHERE = frozenset(Report.__struct_fields__) | {"attempt"}
_NUMBERS = ("total", "passed", "failed")
# The parts of a question, under the names that the documents have for them.
_QUESTION_PARTS = {
    **{name: name for name in ("context", "options", "help", "blocking", "default")},
    **{"options_considered": "options", "what_would_help": "help"},
}
# What the escalation document says beside a pending question, and the board knows or shows by itself.
_OF_PENDING = ("agent_id", "requested_at", "escalated_at", "attempts_made")
# Fields of the documents beside an outcome that have no place of their own.
_BEYOND = (
    *("phase", "round", "max_rounds", "iteration", "task_id", "agentType", "spec", "issues", "tags", "tag", OPEN),
    "task",  # whose report it is
    "trigger",  # of an escalation; where its words decide something, they are found beside our fields too
)


def spelled(data: dict[str, Any]) -> dict[str, Any]:
    """The same fields in the form's own spelling; what is not understood stays, and is then refused by name."""
    data = dict(data)
    if "outcome" in data:
        data["outcome"] = _lower(data["outcome"])
    in_our_words(data)
    for name in _LISTS:
        if isinstance(data.get(name), dict):
            data[name] = [data[name]]
    for name in _TEXTS:
        if isinstance(data.get(name), str):
            data[name] = [data[name]] if data[name].strip() else []
    if isinstance(data.get("blockers"), list) and all(isinstance(part, str) for part in data["blockers"]):
        data["blockers"] = "\n".join(telling(data["blockers"])) or None
    _comment_alone(data)
    _shared(data)
    _tasks(data)
    _files(data)
    _beyond(data)
    _kinds_of_attempts(data)
    _cause(data)
    if isinstance(data.get("attempts"), list):
        tried = (part for part in data["attempts"] if not (isinstance(part, str) and says_nothing(part)))
        data["attempts"] = [{"approach": part} if isinstance(part, str) else part for part in tried]
    for name, reads in (("findings", _finding), ("comments", _comment), ("attempts", _attempt)):
        if isinstance(data.get(name), list):
            data[name] = [reads(part) if isinstance(part, dict) else part for part in data[name]]
    if isinstance(data.get("findings"), list):
        data["findings"] = [_told(part) if isinstance(part, str) else part for part in data["findings"]]
    if isinstance(data.get("artifacts"), list):
        data["artifacts"] = [{"name": part} if isinstance(part, str) else part for part in data["artifacts"]]
    if isinstance(data.get("tests"), dict):
        data["tests"] = {key: _whole(value) if key in _NUMBERS else value for key, value in data["tests"].items()}
    _count(data)
    _question(data)
    spent(data)
    return data


def _comment_alone(data: dict[str, Any]) -> None:
    """A comment in plain words about nothing in particular is what the run says for itself, where it says no more."""
    if isinstance(data.get("comment"), str) and not (data.get("summary") or "comments" in data):
        data["summary"] = data.pop("comment")


def _shared(data: dict[str, Any]) -> None:
    """Contracts and meeting points under the documents' names for them, with an outcome as without one."""
    apart = {
        name: value
        for name, value in data.items()
        if name not in _ELSEWHERE and split_field(name) in ("contracts", "points") and _names_things(value)
    }
    place = unwrapped(apart)
    own, points = data.get("contracts") or [], data.get("integration_points") or {}
    if not apart or not isinstance(own, str | list | dict) or not isinstance(points, dict):
        return
    contracts = once_each([*contracts_in(own), *shared_contracts(place)])
    told = [points_in(value) for name, value in place.items() if split_field(name) == "points"]
    if contracts:
        data["contracts"] = [{"name": one.name, "text": one.text} for one in contracts]
    for one in told:
        points = {**one, **points}
    if points:
        data["integration_points"] = points
    for name in apart:
        del data[name]


def _names_things(value: Any) -> bool:
    return isinstance(value, str | dict) or (isinstance(value, list) and all(isinstance(p, str | dict) for p in value))


def _tasks(data: dict[str, Any]) -> None:
    """Contracts by name and words in whichever shape, and tasks in the words of any split."""
    contracts = data.get("contracts")
    if isinstance(contracts, str | dict) or (
        isinstance(contracts, list) and any(isinstance(one, str) for one in contracts)
    ):
        data["contracts"] = [{"name": one.name, "text": one.text} for one in contracts_in(contracts)]
    if data.get("tasks"):
        from folkmoot.reports.splits.finding import spelled_tasks  # few reports split anything

        spelled_tasks(data)


def _files(data: dict[str, Any]) -> None:
    """Paths in a plain list or text: what of them is new they do not say, and the board looks at the files itself."""
    files = data.get("files")
    listed = [files] if isinstance(files, str) else files
    if isinstance(listed, list) and all(isinstance(path, str) for path in listed):
        paths = paths_in(listed)
        data["files"] = {"modified": paths}
        if paths != listed:  # what was said of them beside their names
            data["extra"] = {"files": files, **(data["extra"] if isinstance(data.get("extra"), dict) else {})}


def _beyond(data: dict[str, Any]) -> None:
    """What the documents' messages say beside a verdict: kept under its own name. Issues in words are findings."""
    left = left_open({name: value for name, value in data.items() if name not in _ELSEWHERE})
    left = max(left, uncounted(data))
    listed = [one for one in problems_in(data, _ELSEWHERE) if not one.within]
    if listed and isinstance(data.get("findings", []), list):
        more = [_placed(part, one.kind, severity) for one in listed for part, severity in one.parts]
        data["findings"] = [*data.get("findings", []), *more]
        for one in listed:
            del data[one.name]
    for name in [name for name, value in data.items() if name not in _ELSEWHERE and listed_under(name)[0]]:
        if not data[name] or (isinstance(data[name], str) and says_nothing(data[name])):
            del data[name]  # a list of none, under another name than ours
    data |= {OPEN: left} if left else {}
    told = {name: data.pop(name) for name in _BEYOND if name in data}
    if told and isinstance(data.get("extra", {}), dict):
        data["extra"] = {**told, **data.get("extra", {})}


def _placed(part: Any, kind: FindingKind | None, severity: Severity | None) -> Any:
    """One of a list under another name, with what that name says of it."""
    if isinstance(part, str):
        return _told(part, kind or "review", severity)
    if not isinstance(part, dict):
        return part
    own: dict[str, str] = {"kind": kind} if kind and "kind" not in part else {}
    own |= {"severity": severity} if severity and "severity" not in part else {}
    return {**part, **own}


def _kinds_of_attempts(data: dict[str, Any]) -> None:
    """Whose attempt it was, in the agent's own word where that is not ours."""
    tried = data.get("attempts")
    words = [part.get("kind") for part in tried if isinstance(part, dict)] if isinstance(tried, list) else []
    if any(isinstance(word, str) and _lower(word) not in ("self_solve", "expert_delegation") for word in words):
        told = [f"{number}: {word}" for number, word in enumerate(words, 1) if isinstance(word, str)]
        data["extra"] = {"ATTEMPT": told, **(data["extra"] if isinstance(data.get("extra"), dict) else {})}


def spelled_message(data: dict[str, Any]) -> dict[str, Any]:
    """One of the documents' messages in its own spelling: its type in other signs, truth and numbers as words."""
    data = dict(data)
    if isinstance(data.get("type"), str):
        data["type"] = _lower(data["type"])
    for name in ("approval", "blocking"):
        data |= {name: _TRUTH.get(_lower(data[name]), data[name])} if isinstance(data.get(name), str) else {}
    if isinstance(data.get("status"), str) and _lower(data["status"]) in _VERDICTS:
        data["status"] = _VERDICTS[_lower(data["status"])]
    for name in ("summary", "tests"):
        if isinstance(data.get(name), dict):
            data[name] = {key: _whole(value) if key in _NUMBERS else value for key, value in data[name].items()}
    if isinstance(data.get("payload"), dict):
        payload = spelled_message({**data["payload"], "type": data["type"]})
        own = data["payload"].get("type")
        del payload["type"]
        data["payload"] = {**payload, "type": own} if own is not None else payload
    return data


def _question(data: dict[str, Any]) -> None:
    _beside_question(data)
    question = data.get("question")
    if isinstance(question, str):
        data["question"] = {"question": question}
    elif isinstance(question, dict):
        options = question.get("options")
        if isinstance(options, str):
            options = [{"option": one.option, "why_insufficient": one.why_insufficient} for one in options_in(options)]
        if isinstance(options, list | dict):
            listed = [_choice(one if isinstance(options, list) else {}, told) for one, told in options_told(options)]
            data["question"] = {**question, "options": listed}


def _choice(one: Any, told: tuple[str, str | None] | None) -> Any:
    """As our own form has an option; one that is in it already stays as it is."""
    if isinstance(one, str):
        return {"option": one}
    own = isinstance(one, dict) and "option" in one and one.keys() <= {"option", "why_insufficient"}
    return one if own or told is None else {"option": told[0], "why_insufficient": told[1]}


def _beside_question(data: dict[str, Any]) -> None:
    """The parts of a question beside it, as the documents list a pending one: they are its own."""
    if data.get("outcome") != "asks":
        return
    if isinstance(data.get("question"), str):
        data["question"] = {"question": data["question"], **question_parts(data)}
    told = {name: data.pop(name) for name in _OF_PENDING if name in data}
    if told and isinstance(data.get("extra", {}), dict):
        data["extra"] = {**told, **data.get("extra", {})}


def question_parts(data: dict[str, Any]) -> dict[str, Any]:
    """The parts of a question, taken out of the fields beside it. How often it was tried belongs to its context, as in
    the signal's form: the person who is asked reads that, and not the report."""
    parts = {own: data.pop(name) for name, own in _QUESTION_PARTS.items() if name in data}
    made, context = data.get("attempts_made"), parts.get("context", "")
    counts = [f"{name}: {told}" for name, told in made.items()] if isinstance(made, dict) else made
    listed = [f"- {line}" for line in counts] if isinstance(counts, list) else [counts] if counts else []
    if listed and isinstance(context, str):
        parts["context"] = "\n\n".join(filter(None, [context, "\n".join(["Attempts Made:", *map(str, listed)])]))
    return parts


def _cause(data: dict[str, Any]) -> None:
    """The documents' own words for a cause; as they were said they stay in `extra`."""
    word = data.get("cause")
    if _lower(word) in CAUSES:
        data["cause"] = _lower(word)
        return
    meaning = meaning_of(word) if isinstance(word, str) else None
    if meaning is None:
        return
    data["extra"] = {"cause": word, **(data["extra"] if isinstance(data.get("extra"), dict) else {})}
    del data["cause"]
    if meaning.cause:
        data["cause"] = meaning.cause
    elif "escalation_reason" not in data:
        data["escalation_reason"] = meaning.reason


def _finding(part: dict[str, Any]) -> dict[str, Any]:
    spelt = {name: own for name in part if (own := _lower(name)) != name and own in {*NAMES, *_FINDING}}
    said = _renamed(_renamed(_settled(part), spelt), _FINDING)
    for name in ("severity", "kind"):
        said |= {name: _lower(said[name])} if name in said else {}
    word = said.get("severity")
    known = severity_of(word) if isinstance(word, str) else None
    if known and known != word:
        said["severity"] = known
        if said.get("category"):
            said["issue"] = f"{said.get('issue', '')} ({word})".strip()
        else:
            said["category"] = word
    if not said.get("issue") and isinstance(named := said.get("category") or said.get("exploit"), str):
        said["issue"] = named
    lines = said.get("line")
    found = LINE.fullmatch(lines.strip()) if isinstance(lines, str) else None
    if found:
        said["line"] = int(found.group(1))
        said = _with_range(said, lines if found.group(2) else "")
    file = said.get("file")
    places = places_in(file.strip()) if isinstance(file, str) and said.get("line") is None else [""]
    place = PLACE.fullmatch(places[0])
    if len(places) > 1:
        said["issue"] = f"{said.get('issue', '')} ({', '.join(places)})".strip()
    if place:
        said |= {"file": place.group(1), "line": int(place.group(2))}
        said = _with_range(said, f"{place.group(2)}{place.group(3)}" if "-" in place.group(3) else "")
    return said


def _settled(part: dict[str, Any]) -> dict[str, Any]:
    """With what was done about it under one name; that it is open needs no word."""
    over = mended(part)
    if over is None:
        return {name: value for name, value in part.items() if not (name == "fixed" and not value)}
    return {**{name: value for name, value in part.items() if name not in over.used}, "fixed": over.words}


def _with_range(said: dict[str, Any], lines: Any) -> dict[str, Any]:
    issue = said.get("issue", "")
    return {**said, "issue": with_range(issue, lines)} if lines and isinstance(issue, str) else said


def _told(words: str, kind: FindingKind = "review", severity: Severity | None = None) -> dict[str, Any]:
    """A finding in one line of words, read as the form's Issues Found are."""
    found = finding_in(words, kind, severity)
    return {
        "kind": found.kind,
        "severity": unknown_severity(words) or found.severity,
        "issue": found.issue,
        "file": found.file,
        "line": found.line,
        "category": found.category,
        "fixed": found.fixed,
    }


def _count(data: dict[str, Any]) -> None:
    """A count of tests in words, also in the summary of who says done: there the form has it, too."""
    words = data.get("tests", data.get("summary") if data.get("outcome") == "done" else None)
    told = counted(words) if isinstance(words, str) else None
    if told is not None:
        data["tests"] = to_builtins(told)


def _comment(part: dict[str, Any]) -> dict[str, Any]:
    said = dict(part)
    for name in ("resolution", "status"):
        said |= {name: _lower(said[name])} if name in said else {}
    return said


def _attempt(part: dict[str, Any]) -> dict[str, Any]:
    said = _renamed(part, _ATTEMPT)
    if _is_kind(said.get("type")) and "kind" not in said:
        said["kind"] = said.pop("type")
    if isinstance(said.get("kind"), str):
        word = _lower(said["kind"])
        said["kind"] = next((kind for sign, kind in _KINDS.items() if sign in word), "self_solve")
    said = {name: value for name, value in said.items() if not (name in _NUMBERED and _is_number(value))}
    own = Try.__struct_fields__ if len(said) <= _OF_ATTEMPT else tuple(said)
    more = {name: _joined(said[name]) for name in said if not any(name == one or is_misspelt(name, one) for one in own)}
    if isinstance(said.get("approach"), str) and isinstance(said.get("outcome", ""), str | None) and all(more.values()):
        # What happened, under names that have no field: whoever tries next reads the attempt, and not the report.
        told = [said.get("outcome") or "", *(f"{name}: {words}" for name, words in more.items())]
        said = {name: said[name] for name in said if name not in more}
        said |= {"outcome": "; ".join(filter(None, told))} if more else {}
    return said


def _is_kind(word: Any) -> bool:
    """Whose attempt it was, in the document's own words: its tracking calls that a type."""
    plain = _lower(word)
    return isinstance(plain, str) and (plain in _OWN_KIND or any(sign in plain for sign in _KINDS))


def _is_number(value: Any) -> bool:
    return isinstance(_whole(value), int)


def _joined(value: Any) -> str:
    """Words, or a list of them, as one text; empty if it is something else."""
    texts = value if isinstance(value, list) else [value]
    return ", ".join(texts) if all(isinstance(text, str) for text in texts) else ""


def _renamed(part: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    said = dict(part)
    for name, own in names.items():
        if name in said and own not in said:
            said[own] = said.pop(name)
    return said


def _lower(value: Any) -> Any:
    return "_".join(value.strip().lower().replace("-", " ").split()) if isinstance(value, str) else value


def _whole(value: Any) -> Any:
    digits = value.strip() if isinstance(value, str) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else value
