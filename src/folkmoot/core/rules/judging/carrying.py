"""What each outcome carries: beside it a field of a report acts, is told on, or is asked back. Written once, here.

No field is silently without effect. What acts changes rows, writes events or asks a person. What is told decides
nothing: the next agent has it in its brief, and whoever reports is answered that it was kept. What is asked back says
the opposite of the outcome: while the run lives its agent says which of the two holds; what says nothing of the kind
is told.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from msgspec import json, to_builtins
from msgspec.structs import replace

from folkmoot.core.enums import OUTCOMES, UNCHOSEN
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.report import OTHER_REASONS, SHOWN_BESIDE, UNSENT, WORDS_BESIDE, Report, Statement
from folkmoot.core.rules.messages.kinds import ASKING
from folkmoot.core.rules.messages.telling import is_envelope
from folkmoot.core.vocabulary.lines import number_in, severity_of
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.flags import counts_problems
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.problems import listed_under, wants_change
from folkmoot.core.vocabulary.roles import folded
from folkmoot.core.vocabulary.words import approves, only_ends, plain, verdict_of

ACTS, TOLD, ASKED = "acts", "told", "asked back"
REPEATS = "repeats"  # of a dialect's own words: they say again what stands in the report's fields or on the item
EXTRA = "extra."  # before the name of what a dialect says beyond our fields


def _row(elsewhere: str, **beside: str) -> dict[str, str]:
    return {outcome: beside.get(outcome, elsewhere) for outcome in OUTCOMES}


# field -> outcome -> what becomes of it. A security concern goes to a person beside every outcome.
CARRIES: dict[str, dict[str, str]] = {
    "outcome": _row(ACTS),
    "summary": _row(TOLD),
    "commit": _row(TOLD),
    "files": _row(TOLD),
    "artifacts": _row(ACTS),
    "findings": _row(ACTS),
    "tests": _row(ACTS),
    "comments": _row(ACTS),
    # Beside a verdict or a split nothing has failed: how one got there is for whoever reads on.
    "attempts": _row(ACTS, done=TOLD, changes_requested=TOLD, disputed=TOLD, split=TOLD),
    "cause": _row(TOLD, failed=ACTS, stuck=ACTS, incomplete=ACTS),
    "reason": _row(TOLD, failed=ACTS, stuck=ACTS, disputed=ACTS),
    "escalation_reason": _row(TOLD, failed=ACTS, stuck=ACTS, disputed=ACTS),
    "blockers": _row(TOLD, done=ASKED),
    # Beside another outcome a person is asked as well; only `done` says that nothing need be waited for.
    "question": _row(ACTS, done=ASKED),
    "tasks": _row(TOLD, split=ACTS, done=ASKED),
    "contracts": _row(ACTS),
    "integration_points": _row(TOLD, split=ACTS),
    "interfaces": _row(TOLD),
    "delegate": _row(TOLD, delegates=ACTS, done=ASKED),
    "next_steps": _row(TOLD),
    "lessons": _row(ACTS),
    "usage": _row(ACTS),
    "messages": _row(ACTS),
    "extra": _row(TOLD, done=ASKED),
    # No outcome was said: who speaks decides what the comments mean.
    "implied": _row(ACTS),
}
# Fields that are there to be read: that they are told on is what their author expects, and need not be answered.
TO_BE_READ = ("summary", "commit", "files", "integration_points", "interfaces", "next_steps")

# What an outcome needs in the agent's `may`; the others anyone may say.
PERMISSION = {"asks": "ask", "delegates": "delegate", "split": "split"}
# What kinds of children may not say at all: an expert and a sub-agent look and answer, and nothing else.
UNSPEAKABLE = {
    "expert": ("asks", "delegates", "split", "disputed"),
    "sub": ("asks", "delegates", "split", "disputed"),
    "dispatch": ("delegates", "split", "disputed"),
    "part": ("delegates", "split"),
}

# Names under which a dialect says a verdict, or a number of open issues.
VERDICTS = ("status", "verdict", "verdicts", "approval", "approved", "result", "outcome", "outcomes", "statuses")
STILL_OPEN = ("open_issues", "openIssues", "remaining_issues")
NUMBERS = ("issues", *STILL_OPEN)
# Where a report tells how it came to its end, and what its own statements were joined from.
TOLD_OF = frozenset(
    {"also", "said", "payload", "history", "iterations", "rounds", "context", folded(UNSENT), folded(SHOWN_BESIDE)}
)
# Words that are no verdict on the work, and yet say that it is not done.
UNDONE = frozenset(
    {
        *("blocked", "stuck", "incomplete", "partial", "in_progress", "error", "cannot_complete", "not_done"),
        *("failure", "unsuccessful"),
    }
)
# What a message is sent with, what only repeats the task, and what the item keeps as its own.
CARRIED_ELSEWHERE = frozenset(
    {
        *("schema_version", "message_id", "timestamp", "to", "type", "priority", "context"),
        *("task", "task_id", "spec", "workflow", "iteration"),
    }
)
# What decides where an item goes, and does so beside some outcomes only.
DECIDING = ("cause", "reason", "escalation_reason")
# The field that an outcome is about: beside another outcome it waits for that one.
NEEDS_FIELD = {"asks": "question", "delegates": "delegate", "split": "tasks"}
# Under which names a dialect says which item it is about, and what the board counts by itself.
NAMES_ITEM = frozenset({"task", "task-id", "issue", "item"})
COUNTED_HERE = frozenset({"round", "max-rounds", "iteration", "failure-count", "dispute-rounds", "attempts-made"})
_WORDS = pattern(r"[^\W_]+")
# Of an object that stands for one of several, the part that names it.
_TELLING = ("question", "title", "task", "approach", "issue", "content", "name")
WORDS_SHOWN = 200
TITLE_WORDS = 5  # of a line that is the name of what stands below it
KEPT_SHOWN = 40


def carries(outcome: str, name: str) -> str:
    return CARRIES[name][outcome] if outcome in OUTCOMES else TOLD


def against(said: Report, judges: bool = False) -> str | None:
    """What the dialect's own words say against `done`: another verdict, or open issues that are not told. Beside a
    verdict on the work (`judges`) they need not even be untold, in whichever shape they are named: it cannot be good
    and have them. What has a severity of its own is a finding, and weighed as one."""
    if not said.extra:
        return None
    for name, value in _own_words(said):
        word = refusal(value) if name.casefold() in VERDICTS else None
        if word is not None:
            return f"its {name} says {word}"
    number, told = open_issues(said), len(said.findings)
    left = max(open_issues(said, STILL_OPEN), *(_wanted(name, value) for name, value in _own_words(said)), 0)
    left = left if judges else 0
    if number <= told and not left:
        return None
    number = max(number, left) if number > told else left
    named = f"it names {number} open issue{'s' if number > 1 else ''}"
    if told >= number:
        return f"{named} ({shortly([finding.issue for finding in said.findings])})"
    return named + (f" and tells {told}" if told else "")


def own_word(said: Report) -> str:
    """How it says that it is done: in a word of its own, or in ours."""
    words = words_of_end(said)
    return str(words[0]) if words and all(approves(word) or only_ends(word) for word in words) else said.outcome


def words_of_end(said: Report) -> list[Any]:
    """Every word that a report, and what it was joined from, has for its end."""
    if not said.extra:
        return []
    also = said.extra.get("also")
    places = [said.extra, said.extra.get("payload"), *(also if isinstance(also, list) else ())]
    found = [place.get(name) for place in places if isinstance(place, dict) for name in ("status", "verdict", "result")]
    return [word for value in found for word in (value if isinstance(value, list) else [value]) if word is not None]


def open_issues(said: Report, names: tuple[str, ...] = ()) -> int:
    """As many as the dialect counts or lists, told or not."""
    return max((_counted(name, value) for name, value in _own_words(said) if not names or name in names), default=0)


def _counted(name: str, value: Any) -> int:
    """How many problems a name counts: `issues: 2`, `failures: 1`, or by severity: `{"critical": 1, "low": 2}`."""
    if isinstance(value, dict) and value and all(severity_of(plain(str(word))) for word in value):
        return sum(_number(number) for number in value.values())
    listed = name in NUMBERS or counts_problems(name)
    return _number(value) if listed and (name in NUMBERS or not isinstance(value, list | dict)) else 0


def _own_words(said: Report) -> list[tuple[str, Any]]:
    inner = (said.extra.get(name) for name in ("payload", "output", "report"))
    return [*said.extra.items(), *(pair for value in inner if isinstance(value, dict) for pair in value.items())]


def refusal(value: Any) -> str | None:
    """The word by which a verdict says that the work is not good, or not done; None if it says neither."""
    for word in value if isinstance(value, list) else [value]:
        known = plain(word).replace(" ", "_") if isinstance(word, str) else ""
        if word is False or known in ("no", "false"):
            return "no"
        if known in UNDONE or verdict_of(word) is False:
            return repr(word[:WORDS_SHOWN])
    return None


def _wanted(name: str, value: Any) -> int:
    """How many things must be done before the work is good, by the name that they stand under."""
    if name == WORDS_BESIDE and isinstance(value, str):
        lines = [line for line in value.splitlines() if line.strip()]
        below = (_wanted(title, words) for title, words in pairwise(lines) if len(title.split()) < TITLE_WORDS)
        return max(below, default=0)
    words = isinstance(value, str) and bool(value.strip()) and not says_nothing(value)
    return (_number(value) or int(words)) if wants_change(name) else 0


def _number(value: Any) -> int:
    return len(value) if isinstance(value, list | dict) else number_in(value) or 0


def leftovers(said: Report, agent: str = "") -> dict[str, Any]:
    """What the dialect says beyond our fields, without its envelope and what agrees with the report anyway."""
    return {name: value for name, value in said.extra.items() if _is_left(said, name, agent)}


def _is_left(said: Report, name: str, agent: str) -> bool:
    value, number = said.extra[name], _number(said.extra[name])
    if (
        _is_carried(said, name)
        or value in (None, "", [], {})
        or (name == "status" and not _speaks_against(said.outcome, value))
    ):
        return False
    if isinstance(value, str) and agent and folded(value) == folded(agent):
        return False  # it signs as who it is; in the name of another it is told
    told = len(said.findings)
    return not ((name in NUMBERS and number <= told) or (listed_under(name)[0] and number == told))


def _is_carried(said: Report, name: str) -> bool:
    """Is it the item's or the message's, so that it need not be told? No message has the context and the priority of a
    bare return, and nobody who goes on reads how urgent an envelope is that hands no work over."""
    if name not in ("context", "priority"):
        return name in CARRIED_ELSEWHERE
    hands_over = said.outcome == "done" and said.extra.get("type") not in ASKING
    read = name == "context" or hands_over or said.extra[name] == UNCHOSEN
    return read and is_envelope(said.extra)


def _speaks_against(outcome: str, value: Any) -> bool:
    if outcome == "done":
        return refusal(value) is not None
    return outcome == "changes_requested" and verdict_of(value) is True


def beside(said: Report, agent: str = "") -> dict[str, Any]:
    """What a report says that had no effect of its own, whole: for whoever goes on. `TO_BE_READ` is told elsewhere."""
    told: dict[str, Any] = {}
    for name in said.__struct_fields__:
        value = getattr(said, name)
        if name not in TO_BE_READ and name != "extra" and value and _is_told(said, name):
            told[name] = to_builtins(value)
    left = leftovers(said, agent)
    return {**told, **({"extra": left} if left else {})}


def _is_told(said: Report, name: str) -> bool:
    # A question that its agent may not ask is told; that it was asked as well does no harm.
    return carries(said.outcome, name) != ACTS or (name == "question" and said.outcome != "asks")


def kept_of(
    said: Report, agent: str, flow: Flow | None = None, weighed: dict[str, str] | None = None
) -> list[Statement]:
    """The answer to a report: each thing that was kept, and has no effect of its own; shortly, since it stands whole
    in the report. Where another outcome would make it act, `why` says so."""
    if weighed is not None:
        unsent = ("messages",) if UNSENT in said.extra else ()
        kept = [_kept(said, name, agent, flow) for name, what in weighed.items() if what == TOLD and name not in unsent]
        return [*kept, *_not_taken(said, agent, flow)][:KEPT_SHOWN]
    told = beside(said, agent)
    own = told.pop("extra", {})
    kept = [Statement(name, shortly(value)) for name, value in [*told.items(), *own.items()] if name != UNSENT]
    return [*kept, *_not_taken(said, agent, flow)][:KEPT_SHOWN]


def _not_taken(said: Report, agent: str, flow: Flow | None) -> list[Statement]:
    """What is told on whatever follows from the report: files of an agent that only reads, and what a task says beyond
    the fields of one."""
    listed = [*said.files.created, *said.files.modified]
    reads = flow is not None and agent in flow.agents and flow.agents[agent].write == "none"
    why = f"{agent} only reads, so nothing of this is taken"
    why += ": the report itself is the discovery, and nothing more is to be done" if said.outcome == "split" else ""
    found = [Statement("files", shortly([why, *listed]))] if listed and reads else []
    if OTHER_REASONS in said.extra:
        words = f"one reason decides, and here that is {said.escalation_reason}"
        found += [Statement(OTHER_REASONS, shortly(said.extra[OTHER_REASONS]), words)]
    found += [Statement(UNSENT, shortly(said.extra[UNSENT]))] if UNSENT in said.extra else []
    more = [(f"{task.key or task.title}.{name}", value) for task in said.tasks for name, value in task.more.items()]
    return [*found, *(Statement(name, shortly(value)) for name, value in more if said.outcome == "split")]


def acted_of(said: Report, weighed: dict[str, str] | None) -> list[Statement]:
    """Each thing beside the outcome without which the report would have brought about something else."""
    return [_shown(said, name) for name, what in (weighed or {}).items() if what == ACTS][:KEPT_SHOWN]


def _shown(said: Report, name: str, why: str = "") -> Statement:
    own = name.startswith(EXTRA)
    what = name.removeprefix(EXTRA) if own else name
    value = said.extra.get(what) if own else to_builtins(getattr(said, what))
    if not value:
        # The change was not taken, and that decided: what the agent said stays beside it.
        before = said.extra.get("said")
        value = before.get(what, value) if isinstance(before, dict) else value
    return Statement(what, shortly(value), why)


def _kept(said: Report, name: str, agent: str, flow: Flow | None) -> Statement:
    return _shown(said, name, _why_kept(said, name, agent, flow))


def _why_kept(said: Report, name: str, agent: str, flow: Flow | None) -> str:
    """Why nothing followed from it, and what to write so that something does; or nothing, where it is for readers."""
    if name.startswith(EXTRA):
        return "the board counts this itself" if folded(name.removeprefix(EXTRA)) in COUNTED_HERE else ""
    wanted = next((outcome for outcome, field in NEEDS_FIELD.items() if field == name), None)
    if wanted is not None and flow is not None and not may_say(flow, agent, wanted):
        return f"{agent} may not report {wanted}"
    if wanted is not None and said.outcome != wanted:
        return f"to have it act, report {wanted}"
    decides = [outcome for outcome, what in CARRIES[name].items() if what == ACTS]
    if name in DECIDING and said.outcome not in decides:
        return f"it decides something only beside {', '.join(decides)}"
    return "nothing more follows from it here" if name in DECIDING else ""


def words_of(said: Report) -> frozenset[str]:
    """Every word that stands in the fields of a report; what its dialect says beyond them left out."""
    told = [to_builtins(replace(said, extra={})), list(said.integration_points)]
    return frozenset(word for leaf in _leaves(told) for word in _WORDS.findall(leaf.casefold()))


def repeats(said: Report, name: str, agent: str, item: Item, words: frozenset[str]) -> bool:
    """Does one of the dialect's own words only say again what stands in a field of ours, or on the item?"""
    value = said.extra[name]
    if not _is_left(said, name, agent):
        return True
    if name in (*VERDICTS, "decision") and _agrees(said.outcome, value):
        return True
    if name == "decision" and isinstance(value, str) and plain(value).startswith("self"):
        return True  # to do it oneself is what every run does that reports how it ended
    if folded(name) in NAMES_ITEM and str(value).strip().removeprefix("#") in (item.id, item.title):
        return True
    leaves = list(_leaves(value))
    if not leaves:
        return True  # a form that nobody has filled in
    leaves += _telling_names(value)
    told = [word for leaf in leaves for word in _WORDS.findall(leaf.casefold())]
    if folded(name) == "attempt" and said.attempts:
        told = [word for word in told if not word.isdigit()]  # the board numbers them itself
    return any(not word.isdigit() for word in told) and words.issuperset(told)


def _agrees(outcome: str, value: Any) -> bool:
    if isinstance(value, bool):
        return outcome == ("done" if value else "changes_requested")
    known = verdict_of(value)
    if known is not None:
        return outcome == ("done" if known else "changes_requested")
    word = plain(value).replace(" ", "_") if isinstance(value, str) else ""
    return bool(word) and outcome.startswith(word)


def _leaves(value: Any) -> Iterator[str]:
    """The texts and numbers in a value, without the names that they stand under."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)
    elif value is not None:
        yield str(value)


def _telling_names(value: Any) -> Iterator[str]:
    """The names in a value that are no names of fields: a path, or words, says something itself."""
    if isinstance(value, dict):
        yield from (str(name) for name in value if not str(name).isidentifier())
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _telling_names(part)


def may_say(flow: Flow, agent: str, outcome: str) -> bool:
    known, wanted = flow.agents.get(agent), PERMISSION.get(outcome)
    return wanted is None or (known is not None and wanted in known.may)


def shortly(value: Any) -> str:
    """A value on one line; what is long is cut."""
    if isinstance(value, list):
        words = "; ".join(shortly(part) for part in value)
    elif isinstance(value, dict):
        named = (value[name] for name in _TELLING if isinstance(value.get(name), str))
        words = next(named, None) or json.encode(value).decode()
    else:
        words = value if isinstance(value, str) else json.encode(value).decode()
    words = " ".join(words.split())
    return words if len(words) <= WORDS_SHOWN else f"{words[: WORDS_SHOWN - 1]}…"
