"""What each outcome carries: beside it a field of a report acts, is told on, or is asked back. Written once, here.

No field is silently without effect. What acts changes rows, writes events or asks a person. What is told decides
nothing: the next agent has it in its brief, and whoever reports is answered that it was kept. What is asked back says
the opposite of the outcome: while the run lives its agent says which of the two holds; what says nothing of the kind
is told.
"""

from typing import Any

from msgspec import json, to_builtins

from folkmoot.core.flow import Flow
from folkmoot.core.report import OUTCOMES, Report
from folkmoot.core.vocabulary.roles import folded
from folkmoot.core.vocabulary.words import plain, verdict_of

ACTS, TOLD, ASKED = "acts", "told", "asked back"


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
    "blockers": _row(TOLD),
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
NUMBERS = ("issues", "open_issues", "openIssues", "remaining_issues")
# Words that are no verdict on the work, and yet say that it is not done.
UNDONE = frozenset({"blocked", "stuck", "incomplete", "partial", "in_progress", "error", "cannot_complete", "not_done"})
# What a message is sent with, what only repeats the task, and what the item keeps as its own.
CARRIED_ELSEWHERE = frozenset(
    {
        *("schema_version", "message_id", "timestamp", "to", "type", "priority", "context"),
        *("task", "task_id", "spec", "workflow", "iteration"),
    }
)
WORDS_SHOWN = 200
KEPT_SHOWN = 40


def carries(outcome: str, name: str) -> str:
    return CARRIES[name][outcome] if outcome in OUTCOMES else TOLD


def against(said: Report) -> str | None:
    """What the dialect's own words say against `done`: another verdict, or open issues that are not told."""
    for name, value in _own_words(said):
        word = _refusal(value) if name in VERDICTS else None
        if word is not None:
            return f"its {name} says {word}"
    number, told = open_issues(said), len(said.findings)
    if number <= told:
        return None
    return f"it names {number} open issue{'s' if number > 1 else ''}" + (f" and tells {told}" if told else "")


def open_issues(said: Report) -> int:
    """As many as the dialect counts or lists, told or not."""
    return max((_number(value) for name, value in _own_words(said) if name in NUMBERS), default=0)


def _own_words(said: Report) -> list[tuple[str, Any]]:
    inner = said.extra.get("payload")
    return [*said.extra.items(), *(inner.items() if isinstance(inner, dict) else ())]


def _refusal(value: Any) -> str | None:
    for word in value if isinstance(value, list) else [value]:
        if word is False:
            return "no"
        known = plain(word).replace(" ", "_") if isinstance(word, str) else ""
        if known in UNDONE or verdict_of(word) is False:
            return repr(word[:WORDS_SHOWN])
    return None


def _number(value: Any) -> int:
    if isinstance(value, list | dict):
        return len(value)
    digits = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0


def leftovers(said: Report, agent: str = "") -> dict[str, Any]:
    """What the dialect says beyond our fields, without its envelope and what agrees with the report anyway."""
    found = {}
    for name, value in said.extra.items():
        if name in CARRIED_ELSEWHERE or value in (None, "", [], {}):
            continue
        if name == "status" and not _speaks_against(said.outcome, value):
            continue
        if isinstance(value, str) and agent and folded(value) == folded(agent):
            continue  # it signs as who it is; in the name of another it is told
        if name in NUMBERS and _number(value) == len(said.findings):
            continue
        found[name] = value
    return found


def _speaks_against(outcome: str, value: Any) -> bool:
    if outcome == "done":
        return _refusal(value) is not None
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


def kept_of(said: Report, agent: str, flow: Flow | None = None) -> list[dict[str, Any]]:
    """The answer to a report: each thing that was kept, and has no effect of its own; shortly, since it stands whole
    in the report."""
    told = beside(said, agent)
    own = told.pop("extra", {})
    if "question" in told and flow is not None and may_say(flow, agent, "asks"):
        del told["question"]  # a person is asked
    if said.outcome == "disputed" and flow is not None and not _leads_to_dispute(flow, agent, said.escalation_reason):
        named = {"reason": said.reason, "escalation_reason": said.escalation_reason}
        told |= {name: word for name, word in named.items() if word}
    if said.outcome == "done" and said.findings:
        told["findings"] = [finding.issue or finding.category or finding.kind for finding in said.findings]
    kept = [*told.items(), *own.items()]
    return [{"what": name, "said": shortly(value)} for name, value in kept[:KEPT_SHOWN]]


def _leads_to_dispute(flow: Flow, agent: str, reason: str | None) -> bool:
    column = flow.columns.get(flow.reasons.get(reason or "", ""))
    return column is not None and column.kind == "dispute" and agent in column.agents


def may_say(flow: Flow, agent: str, outcome: str) -> bool:
    known, wanted = flow.agents.get(agent), PERMISSION.get(outcome)
    return wanted is None or (known is not None and wanted in known.may)


def shortly(value: Any) -> str:
    """A value on one line; what is long is cut."""
    if isinstance(value, list):
        words = "; ".join(shortly(part) for part in value)
    elif isinstance(value, dict):
        named = (value[name] for name in ("question", "title", "task", "approach") if isinstance(value.get(name), str))
        words = next(named, None) or json.encode(value).decode()
    else:
        words = value if isinstance(value, str) else json.encode(value).decode()
    words = " ".join(words.split())
    return words if len(words) <= WORDS_SHOWN else f"{words[: WORDS_SHOWN - 1]}…"
