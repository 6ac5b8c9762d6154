"""How a run may end: what it may say, what each word needs, and when to stop. It follows from the kind of run."""

from functools import lru_cache
from typing import Any

from msgspec import Struct

from folkmoot.core.enums import OUTCOMES, Outcome
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Run
from folkmoot.core.rules.judging.carrying import PERMISSION, UNSPEAKABLE

View = dict[str, Any]

NEEDS: dict[Outcome, str] = {
    "done": "`summary`, `files`, `artifacts`, `tests`",
    "changes_requested": "`findings`, each with `kind`, `severity`, `file`, `line`, `issue`, `recommendation`",
    "disputed": "a comment with the specific concern, and its `artifact` and `target`, or the `parent` that it answers",
    "failed": "`attempts`, each with `approach`, `outcome`, `why_different`; a `cause` if you could have done it",
    "stuck": "`blockers`, and a `reason`",
    "asks": "`question` with `question`, `context`, `options`, `help`",
    "delegates": "`delegate`, each with `task`, and `to` or `scope`",
    "split": "`tasks`, each with `key`, `title`, `body`, `files`, `after`, `contracts`, `constraints`; `contracts` "
    "with `name` and `text`; `integration_points`",
    "incomplete": "`summary` of what is done, `next_steps` for what is left",
}
GATE_NEEDS: dict[Outcome, str] = {
    "done": "green: `summary`, `tests`",
    "failed": "red: `summary`, `findings`; with the cause `environment` or `transient` it was the check that could not "
    "run",
}
# The causes an agent can know of; the others are the board's to see.
CAUSES_TOLD = {
    "requirement": "what is wanted is missing, or can be read in two ways",
    "size": "too large for one effort, or more hangs on it than was known",
    "conflict": "it does not fit with what others made",
    "environment": "tools or machines failed",
    "transient": "a passing fault",
}
# Whoever only answers says one of these; what else there is would end it in the same way.
ANSWERS = ("done", "failed")
ANSWER_NEEDS = {
    "expert": {
        "done": "`summary` with the advice itself, `next_steps`",
        "failed": "`summary` with EXPERT_UNSUCCESSFUL and what you ruled out",
    },
    "sub": {"done": "`summary` with all that you found out", "failed": "`summary` with why it cannot be found out"},
    "dispatch": {"done": "`summary` with what came of it, `files`", "failed": "`summary` with why"},
}

_ONE_EFFORT = "One effort, then report, whatever came of it. What you do not report is lost."
_SPLIT_AGAIN = (
    " Stop at once if your context runs low, if it is more than one effort, if it needs a file or a part nobody spoke "
    "of, if parts do not fit together, or if you keep failing in the same way. Then report failed, with the cause "
    "size, or conflict where parts do not fit, and say what is done and what is left. What is done is kept, and a "
    "fresh agent splits the rest with your report in hand."
)
# What is said to whoever gets something back that was split, or should have been.
_CAME_BACK = {
    "task": " This came back to be split: find out first what went wrong, then report split with tasks{asks}. It is "
    "not done by saying so.",
    "whole": " This came back because tasks of it do not fit together: say done with the contracts that settle it, "
    "split it anew with tasks{asks}. The other tasks run on meanwhile.",
}
_GATE = (
    "Run the command on the work as it stands, and change nothing. Say done if it is green, failed with each failure "
    "as a finding if it is red. If the command itself cannot run, say failed with the cause environment: that is no "
    "verdict."
)
_EXPERT = (
    "Advise on this one problem, and change nothing. You may try {tries} different approaches. If none leads anywhere, "
    "report failed with EXPERT_UNSUCCESSFUL in the summary, and what you ruled out. You cannot delegate, ask a person, "
    "or widen the task."
)
_SUB = (
    "Analyse only, and write nothing. Stop when you can answer, or know that it cannot be found out. You cannot ask, "
    "delegate or send out agents of your own."
)
_PART = (
    "Give your own verdict on the work of item {parent}. Others look at the same work, and the strictest verdict "
    "holds; do not repeat what was found already. You cannot split or delegate{asks}."
)
_DISPATCH = (
    "Do the one small thing you were asked for, and no more. You cannot ask a person, delegate, split or dispatch "
    "others."
)


class Ending(Struct, frozen=True, gc=False):
    """What holds for every run of one kind, agent and flow."""

    outcomes: list[Outcome]
    usual: list[Outcome]  # of whoever gives no verdict on the work of others
    needs: dict[Outcome, str]
    example: View
    hatch: str


def ending(flow: Flow, item: Item, run: Run, unfinished: bool = False) -> Ending:
    """`unfinished`: some of the tasks it was split into are."""
    if run.gate:
        return _of_gate()
    agent = flow.agents.get(run.agent)
    may = tuple(agent.may) if agent else ()
    splits = flow.discover is not None and item.kind in ("item", "task")
    came_back = splits and item.span.discoveries > 0 and item.column == flow.discover
    back = "" if not came_back else "whole" if unfinished else "task"
    return _of_agent(item.kind, may, flow.limits.own_attempts, splits, back)


def report_format(flow: Flow, item: Item, run: Run, end: Ending) -> View:
    """How this run reports; nothing in it can be taken for a report itself."""
    shape: View = {
        "how": f"moot report {run.id} --token {run.token} FILE",
        "run": run.id,
        "token": run.token,
        "outcomes": end.outcomes,
        "usual": end.outcomes if _judges(flow, item, run) else end.usual,
        "needs": end.needs,
        "example": end.example,
    }
    if not run.gate:
        shape["causes"] = CAUSES_TOLD
        if "delegates" in end.outcomes:
            agent = flow.agents[run.agent]
            experts = [name for name in agent.experts if name not in item.span.experts]
            shape["delegate_to"] = {"experts": experts, "sub_agents": not item.fanned_out}
    return shape


def _judges(flow: Flow, item: Item, run: Run) -> bool:
    """Is it this run's work to say what others must change?"""
    return item.kind == "part" or (run.column in flow.columns and flow.checks(run.column))


@lru_cache(1)
def _of_gate() -> Ending:
    example = {"outcome": "done|failed", "summary": "…", "findings": [{"kind": "test", "test": "…", "issue": "…"}]}
    return Ending(list(GATE_NEEDS), list(GATE_NEEDS), GATE_NEEDS, example, _GATE)


@lru_cache(256)
def _of_agent(kind: str, may: tuple[str, ...], tries: int, splits: bool, back: str) -> Ending:
    outcomes = [name for name in OUTCOMES if _may_say(name, kind, may, back)]
    outcomes = [name for name in outcomes if name in ANSWERS] if kind in ("sub", "dispatch") else outcomes
    # An outcome that is a choice is no outcome: an agent that repeats the example has said nothing.
    example = {"outcome": "|".join(outcomes), "summary": "…"}
    answers = ANSWER_NEEDS.get(kind, {})
    needs = {name: answers.get(name, NEEDS[name]) for name in outcomes}
    usual: list[Outcome] = [name for name in outcomes if name != "changes_requested"]
    return Ending(outcomes, usual, needs, example, _hatch(kind, outcomes, tries, splits, back))


def _may_say(outcome: Outcome, kind: str, may: tuple[str, ...], back: str) -> bool:
    if outcome in UNSPEAKABLE.get(kind, ()):
        return False
    if outcome == "done" and back == "task":
        return False
    return outcome not in PERMISSION or PERMISSION[outcome] in may


def _hatch(kind: str, outcomes: list[Outcome], tries: int, splits: bool, back: str) -> str:
    asks = "asks" in outcomes
    match kind:
        case "expert":
            return _EXPERT.format(tries=tries)
        case "sub":
            return _SUB
        case "part":
            return _PART.replace("{asks}", "; what you ask is asked through that item" if asks else "")
        case "dispatch":
            return _DISPATCH
    if back:
        return _ONE_EFFORT + _CAME_BACK[back].format(asks=", or asks" if asks else "")
    return _ONE_EFFORT + _SPLIT_AGAIN if splits and "split" not in outcomes else _ONE_EFFORT
