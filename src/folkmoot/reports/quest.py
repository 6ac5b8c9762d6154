"""Quest reports in both of their forms, what a planner or builder returns, sub-agents asked for, and decompositions."""

import re
from typing import Any

from folkmoot.core.enums import Outcome
from folkmoot.core.report import Contract, Delegation, Files, Report
from folkmoot.core.vocabulary.lines import ONE_PATH, finding_in, number_in, paths_in
from folkmoot.core.vocabulary.phrases.describing import may_decide
from folkmoot.core.vocabulary.phrases.flags import tells_error
from folkmoot.core.vocabulary.phrases.nothings import says_nothing, telling
from folkmoot.core.vocabulary.phrases.tallies import COUNTED, counted, tally, told_under
from folkmoot.core.vocabulary.plans import is_way_to_split, split_field, task_field
from folkmoot.core.vocabulary.plans import says_nothing as no_order
from folkmoot.core.vocabulary.words import (
    asks_to_split,
    meaning_in,
    meaning_of,
    place_said,
    plain,
    says_fixed,
    verdict_of,
)
from folkmoot.reports.canonical import FIELDS, Faulty, shown
from folkmoot.reports.fields import Taken, finish
from folkmoot.reports.loose.files import files_told
from folkmoot.reports.loose.handed import QUESTIONS
from folkmoot.reports.loose.issues import OPEN, left_open, points_apart
from folkmoot.reports.loose.names import with_known_names
from folkmoot.reports.placeholders import is_placeholder
from folkmoot.reports.splits.finding import BESIDE, ORDERS, Split, find_split, split_fields, words_only
from folkmoot.reports.splits.shared import (
    contracts_in,
    is_wrapper,
    once_each,
    shared_contracts,
    shared_parts,
    told_points,
)
from folkmoot.reports.status import WORDS

STATUSES: dict[str, Outcome] = {
    "complete": "done",
    "completed": "done",
    "done": "done",
    "fixes_applied": "done",
    "approved": "done",
    "needs_fixes": "changes_requested",
    "changes_requested": "changes_requested",
    "blocked": "stuck",
    "stuck": "stuck",
    "failed": "failed",
    "incomplete": "incomplete",
}
# Beside one of these a status is the end of a run; alone or beside other things it may be anybody's log.
COMPANIONS = {
    *("agentType", "output", "report", "nextSteps", "recommendations", "retro", "blockers"),
    *("spec", "commit", "issues", "tags"),
    *(set(FIELDS) - {"outcome", "extra", "usage"}),
}
SHARED = {"sharedTypes", "integrationPoints", "contracts"}
# The states of a message; what is no such word in a completion says how the phase ended.
MESSAGE_STATES = ("pending", "accepted", "completed")
_OF_THE_END = {
    *("verdict", "approval", "approved", "error", "reason", "details", "recoverable", "retryable", "fatal"),
}
_COUNTS = {"count", "total", "number"}
_IN_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# What a field of ours is called in a quest report.
_TOLD = {
    "blockers": ("blockers",),
    "next_steps": ("nextSteps", "recommendations", "next_steps"),
    "lessons": ("retro", "lessons"),
}
_OF_SUB_AGENT = {"task", "scope", "to", "agent", "agentType"}  # fields of one, which no name of one is
_IN_OUTPUT = ("filesCreated", "filesModified", "filesDeleted", "interfaces")
_BLOCKER = re.compile(r"\s*block(?:ers?|ed(?: by)?)\s*:\s*(\S.*)", re.IGNORECASE | re.DOTALL)
# Fields in which they tell what went wrong.
_ERRORS = ("error", "errors", "details", "message", "failureAnalysis", "failure_analysis", "failureReason")
# Fields in which agents name what kind of failure it was.
_KIND_OF_FAILURE = (
    *("failure", "failureType", "failureCategory", "failure_type", "category", "error", "trigger"),
    *("failureAnalysis", "failure_analysis", "failureReason", "failure_reason"),
    *("escapeHatch", "escape_hatch", "escapeTrigger", "escape_trigger", "escape", "stopReason", "stop_reason"),
)


def outcome_of(said: Taken) -> Outcome:
    status = said.word("status")
    outcome = STATUSES.get(status or "")
    outcome = outcome or WORDS.get((status or "").replace("_", " "))
    if outcome is None and verdict_of(status) is not None:
        outcome = "done" if verdict_of(status) else "changes_requested"
    if outcome is None:
        known = "complete, blocked, failed, completed, needs_fixes, fixes_applied, approved"
        word = said.data.get("status")
        # Whoever writes a column's name has the item in mind, and no form with a status.
        meant = place_said(word)
        said.faults.append(
            f"status: {shown(word)} is no outcome{meant}" if meant else f"status: {shown(word)} is not one of {known}"
        )
    return outcome or "failed"


def is_status_report(data: dict[str, Any]) -> bool:
    """A status with something that only a report has beside it, or one of our words for it alone."""
    if "status" not in data or "type" in data:
        return False
    alone = len(data) == 1 and _is_known(data["status"])
    return alone or bool(data.keys() & COMPANIONS)


def says_return(data: dict[str, Any]) -> bool:
    """A known status with nothing beside it but what says more about the end."""
    return says_status(data) and _is_known(data["status"]) and data.keys() - {"status"} <= _OF_THE_END


def _is_known(word: Any) -> bool:
    return isinstance(word, str) and (word.strip().lower() in STATUSES or verdict_of(word) is not None)


def says_status(data: dict[str, Any]) -> bool:
    """Is it, as a whole text, meant as a report? A status alone, or with what says more about the end; one of our words
    also beside what only describes. `{"status": "completed", "job": 12}` may be a log, `fixes_applied` is in none."""
    word = data.get("status")
    if not isinstance(word, str) or data.keys() & {"type", "signal"}:
        return False
    beside = {name: value for name, value in data.items() if name != "status" and name not in _OF_THE_END}
    if not beside or says_fixed(word) or (STATUSES.get(word.strip().lower()) == "failed" and tells_error(data)):
        return True
    return _is_known(word) and not any(may_decide(*one) for one in beside.items())


def status_report(data: dict[str, Any]) -> Report:
    data = _with_question(data)
    said = Taken(data)
    outcome = outcome_of(said)
    splits = data.get("agentType") in (None, "pathseeker")
    tasks = find_split(data, splits="agentType" in data and splits) if outcome == "done" else None
    parts = quest_parts(said)
    if tasks is not None:
        outcome = "split"
        output = data.get("output")
        if isinstance(output, dict) and output not in tasks.places:
            tasks.places.append(output)
        parts |= split_parts(said, tasks)
    elif outcome == "done" and splits and (fault := words_only(data)):
        said.faults.append(fault)
    elif outcome == "done" and (escape := _escape(data)):
        said.faults.append(escape)
    else:
        contracts = _contracts(said)
        parts |= {"contracts": contracts} if contracts else {}
        if outcome == "done" and said.data.get("subAgents"):
            parts["delegate"] = _sub_agents(said)
        if outcome in ("failed", "stuck"):
            parts |= why_failed(said, outcome, parts) | ({} if said.has("cause") else _kind_of_failure(data, parts))
        elif outcome == "incomplete" and "agentType" in data and not said.has("cause"):
            # In a quest a reason to stop has the rest split, and is not gone on with.
            parts |= {name: told for name, told in _kind_of_failure(data, parts).items() if name == "cause"}
    return finish(outcome, said, **parts)


def _with_question(data: dict[str, Any]) -> dict[str, Any]:
    """The report with its `questions` as the one question that a person is asked."""
    name = next((name for name in QUESTIONS if data.get(name)), "question")
    asked = data.get(name)
    words = [asked] if isinstance(asked, str) else asked if isinstance(asked, list) else []
    if "question" in data or not words or not all(isinstance(one, str) for one in words):
        return data
    rest = {key: value for key, value in data.items() if key != name}
    told = telling(words)
    return {**rest, "question": "\n".join(told)} if told else rest


def _contracts(said: Taken) -> list[Contract]:
    """What tasks share, in a report that splits nothing: of whoever looks at the whole, it says what holds from now on.
    Interfaces are what was made, and stay that."""
    output = said.data.get("output")
    places = [said.data, *([output] if isinstance(output, dict) else [])]
    shared = [
        {name: value for name, value in place.items() if plain(name) not in ("interfaces", "interface")}
        for place in places
    ]
    said.used |= {
        name for name, value in shared[0].items() if split_field(name) == "contracts" and isinstance(value, dict)
    }
    return once_each([one for place in shared for one in shared_contracts(place)])


def why_failed(said: Taken, outcome: Outcome, parts: dict[str, Any]) -> dict[str, str]:
    """What went wrong in the agent's own words, where its report calls that an error."""
    if outcome not in ("failed", "stuck"):
        return {}
    field = "reason" if outcome == "failed" else "blockers"
    if said.has(field) or parts.get(field):
        return {}
    told = ((name, ": ".join(_words_in(said.data.get(name)))) for name in _ERRORS)
    name, words = next(((name, words) for name, words in told if words.strip()), ("", ""))
    if isinstance(said.data.get(name), str):
        said.used.add(name)
    return {field: words} if words else {}


def _kind_of_failure(data: dict[str, Any], parts: dict[str, Any]) -> dict[str, str]:
    """The quest's kinds of failure and reasons to stop, where its report names one in words."""
    named = [words for name in _KIND_OF_FAILURE for words in _words_in(data.get(name))]
    meaning = next((found for word in named if (found := meaning_of(word))), None)
    meaning = meaning or meaning_in(named)
    told = [parts.get("blockers"), parts.get("summary"), *parts.get("next_steps", []), *_words_in(data.get("report"))]
    meaning = meaning or meaning_in(told)
    if meaning is None:
        output = data.get("output")
        told = [*data.items(), *(output.items() if isinstance(output, dict) else ())]
        to_split = asks_to_split(parts.get("next_steps", [])) or any(is_way_to_split(*one) for one in told)
        return {"cause": "size"} if to_split else {}
    return {"cause": meaning.cause} if meaning.cause else {"escalation_reason": meaning.reason or ""}


def _escape(data: dict[str, Any]) -> str | None:
    """A reason to stop, where the document names one, beside `complete`: one of the two does not hold."""
    told = ((name, words) for name in _KIND_OF_FAILURE for words in _words_in(data.get(name)) if meaning_in([words]))
    found = next(told, None)
    if found is None:
        return None
    return (
        f"{found[0]}: {shown(found[1])} is a reason to stop, and the status is {shown(data['status'])}: which holds? "
        "If it stopped, the status is blocked or failed; if not, leave that out"
    )


def _words_in(value: Any) -> list[str]:
    """The words of a field, of a list, or of an object's fields."""
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return [part for part in parts if isinstance(part, str)]


def quest_parts(said: Taken) -> dict[str, Any]:
    """The fields of a quest report that have a place of their own."""
    parts: dict[str, Any] = {}
    summary = said.text("report", "summary", "comment")
    if summary is not None:
        parts["summary"] = summary
    tests = said.data.get("tests")
    told = tally(tests) if isinstance(tests, dict) else counted(tests if isinstance(tests, str) else summary or "")
    if told is None and tests is None:
        output = said.data.get("output")
        told = told_under(said.data) or (told_under(output) if isinstance(output, dict) else None)
    if told is not None:
        parts["tests"] = told
        if isinstance(tests, dict) and tests.keys() <= set(COUNTED):
            said.used.add("tests")
    parts |= told_parts(said)
    if isinstance(said.data.get(OPEN), list) and "issues" not in said.data:
        said.data = {("issues" if name == OPEN else name): value for name, value in said.data.items()}
    if plain(str(said.data.get("issues"))) in _IN_WORDS:
        said.data = {**said.data, "issues": _IN_WORDS.index(plain(said.data["issues"]))}
    issues = said.data.get("issues")
    if isinstance(issues, str) and len(listed := points_apart(issues)) > 1:
        issues, said.data = listed, {**said.data, "issues": listed}
    if isinstance(issues, dict) and len(issues) == 1 and issues.keys() <= _COUNTS:
        said.data = {**said.data, "issues": next(iter(issues.values()))}  # a number, and nothing of what they are
    elif isinstance(issues, str) and not says_nothing(issues) and number_in(issues) is None:
        parts["findings"] = [finding_in(issues)]
        said.used.add("issues")
    left = left_open(said.data)
    if left:
        # Without a severity it is open, and not a remark: how many there are stays, for the rules to weigh.
        said.data = {**said.data, OPEN: left}
    files = files_told(said)
    if files.created or files.modified:
        parts["files"] = files
    _output(said, parts)
    return parts


def told_parts(said: Taken) -> dict[str, Any]:
    """Blockers, next steps and lessons: what somebody wrote there, and that says something."""
    found = {
        name: [words for words in telling(said.words(*names)) if not is_placeholder(words)]
        for name, names in _TOLD.items()
    }
    # The document's next steps are "dependencies or blockers": what is called a blocker there is one.
    called = {words: one.group(1) for words in found["next_steps"] if (one := _BLOCKER.fullmatch(words))}
    found["next_steps"] = [words for words in found["next_steps"] if words not in called]
    found["blockers"] += telling(list(called.values()))
    parts: dict[str, Any] = {name: words for name, words in found.items() if words}
    return {**parts, "blockers": "\n".join(parts["blockers"])} if "blockers" in parts else parts


def _output(said: Taken, parts: dict[str, Any]) -> None:
    """Files, integration points and words of an output; all of it also survives as it was said."""
    output = said.data.get("output")
    if isinstance(output, str) or (isinstance(output, list) and all(isinstance(path, str) for path in output)):
        paths = paths_in(telling([output] if isinstance(output, str) else output))
        if paths and all(ONE_PATH.fullmatch(path) for path in paths):
            parts["files"] = Files(modified=paths)
    if not isinstance(output, dict):
        return
    output = with_known_names(output, _IN_OUTPUT)
    inner = Taken(output)
    files = files_told(inner, output=True)
    if files.created or files.modified:
        told = parts.get("files", Files())
        parts["files"] = Files(created=[*told.created, *files.created], modified=[*told.modified, *files.modified])
    parts |= told_points(output)
    interfaces = inner.texts("interfaces")
    if isinstance(output.get("interfaces"), dict):
        interfaces = [f"{one.name}: {one.text}" for one in contracts_in(output["interfaces"])]
    if interfaces:
        parts["interfaces"] = interfaces
    summary = inner.text("report", "summary")
    if summary is not None:
        parts.setdefault("summary", summary)
    for name, told in told_parts(inner).items():
        if name == "blockers":
            parts[name] = "\n".join(part for part in (parts.get(name), told) if part)
        else:
            parts[name] = list(dict.fromkeys([*parts.get(name, []), *told]))


def delegation(data: dict[str, Any]) -> Report | None:
    """Sub-agents asked for; deciding to do it oneself ends nothing."""
    decision = data.get("decision")
    if not isinstance(decision, str) or decision.strip().lower() != "delegate":
        return None
    said = Taken(data)
    return finish("delegates", said, delegate=_sub_agents(said), **quest_parts(said))


def _sub_agents(said: Taken) -> list[Delegation]:
    """The sub-agents that are asked for, each with its task. They look at once: an order among them is none."""
    agents = said.data.get("subAgents")
    # `{"Sub-Agent 1": "Analyze existing auth code"}`: each under a name of its own, which stays as it was said.
    whole = not isinstance(agents, dict) or bool(agents.keys() & _OF_SUB_AGENT)
    agents = list(agents.values()) if isinstance(agents, dict) and not whole else agents
    agents = [agents] if isinstance(agents, dict | str) and agents else agents
    if not isinstance(agents, list) or not agents:
        raise Faulty(["subAgents: missing, a list of tasks with their scope"])
    asked = []
    for part in agents:
        inner = Taken(part if isinstance(part, dict) else {"task": part.strip()} if isinstance(part, str) else {})
        task = inner.text("task")
        if not task:
            raise Faulty([f"subAgents: {shown(part)} has no task"])
        order = next((name for name, value in inner.data.items() if _says_order(name) and not no_order(value)), None)
        if order is not None:
            raise Faulty(
                [
                    f"subAgents: {shown(task)} has an order (`{order}`), but sub-agents look at the same time: leave "
                    "it out, or make one task of those that come after each other"
                ]
            )
        to, scope = inner.text("to", "agent", "agentType"), inner.text("scope")
        more = [f"{name}: {words}" for name in inner.left() if (words := inner.whole(name))]
        asked.append(Delegation(task="\n".join([task, *more]), to=to, scope=scope))
        whole = whole and not inner.left()
    if whole:
        said.used.add("subAgents")
    return asked


def _says_order(name: str) -> bool:
    return task_field(name) in ("after", "before", "rank")


def is_shared_only(data: dict[str, Any]) -> bool:
    """The contracts and meeting points of a decomposition, printed apart from its tasks."""
    return "sharedTypes" in data and data.keys() <= SHARED


def split_report(data: dict[str, Any], found: Split) -> Report:
    said = Taken(data)
    return finish("split", said, **{**quest_parts(said), **split_parts(said, found)})


def split_parts(said: Taken, found: Split) -> dict[str, Any]:
    """Tasks, contracts and integration points; what was taken from the object itself is marked as used."""
    parts, faults = split_fields(found)
    said.faults += faults
    points: dict[str, Any] = {}
    for place in found.places:
        told = shared_parts(said, place).get("integration_points", {})
        points |= {name: words for name, words in told.items() if words or name not in points}
    if points:
        parts["integration_points"] = points
    said.used |= found.names | {name for name, value in said.data.items() if is_wrapper(name, value)}
    said.used |= {name for name in said.data if split_field(name) in (*ORDERS, "owners") and name not in BESIDE}
    return parts
