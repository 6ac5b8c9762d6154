"""How a run may end: what it may say, what each word needs, and when to stop. It follows from the kind of run."""

from functools import lru_cache
from typing import Any

from msgspec import Struct

from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Run
from folkmoot.core.report import OUTCOMES
from folkmoot.core.rules.judging.form import PERMISSION, UNSPEAKABLE

View = dict[str, Any]

NEEDS = {
    "done": "summary, files, artifacts, tests; for a dispute that is yours to settle a comment with parent, resolution",
    "changes_requested": "findings, each with kind, severity, file, line, issue, recommendation",
    "disputed": "a comment with the specific concern, and the artifact and target, or the parent it answers",
    "failed": "attempts, each with approach, outcome, why_different; a cause if it was not for lack of ability",
    "stuck": "reason, blockers",
    "asks": "question with question, context, options, help",
    "delegates": "delegate, each with task, and to or scope",
    "split": "tasks, each with key, title, files, after, contracts; contracts with name and text; integration_points",
    "incomplete": "summary of what is done, next_steps for what is left",
}
GATE_NEEDS = {
    "done": "green: summary, tests",
    "failed": "red: summary, findings; with cause environment or transient it was the check itself that could not run",
}
# The causes an agent can know of; the others are the board's to see.
CAUSES_TOLD = {
    "capability": "you could not do it; so it is without a cause",
    "requirement": "what is wanted is missing, ambiguous or contradicts itself",
    "size": "too large for one effort, or more hangs on it than was known",
    "conflict": "it does not fit with what others made",
    "environment": "tools or machines failed",
    "transient": "a passing fault",
}

_ONE_EFFORT = "One effort, then report. If you cannot do it, say so: failed with what you tried, stuck with a reason, "
_DISPUTED = "disputed with a comment if an earlier artifact is wrong"
_ASKS = ", asks with a question if only a person can know"
_SPLIT_AGAIN = (
    " Stop at once if your context runs low, if it is more than one effort, if it needs a file or a part nobody spoke "
    "of, if parts do not fit together, or if you keep failing in the same way: failed with the cause size, or conflict "
    "where parts do not fit, and with what is done and what is left. A fresh agent splits it again with your report in "
    "hand."
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
    "Analyse only, and write nothing. Say done with all you found out in the summary, failed if it cannot be found "
    "out. You cannot ask, delegate or send out agents of your own: whoever sent you draws the conclusions."
)
_PART = (
    "Give your own verdict on the work of item {parent}: done, or changes_requested with findings. Others look at the "
    "same work, and the strictest verdict holds; do not repeat what was found already. You cannot split or delegate"
    "{asks}."
)
_DISPATCH = (
    "Do the one small thing you were asked for, and say done with the outcome in the summary, or failed with why. You "
    "cannot ask a person, delegate, split or dispatch others."
)


class Ending(Struct, frozen=True, gc=False):
    """What holds for every run of one kind, agent and flow."""

    outcomes: list[str]
    needs: dict[str, str]
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
        "outcomes": end.outcomes,
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


@lru_cache(1)
def _of_gate() -> Ending:
    example = {"outcome": "done|failed", "summary": "…", "findings": [{"kind": "test", "test": "…", "issue": "…"}]}
    return Ending(list(GATE_NEEDS), GATE_NEEDS, example, _GATE)


@lru_cache(256)
def _of_agent(kind: str, may: tuple[str, ...], tries: int, splits: bool, back: str) -> Ending:
    outcomes = [name for name in OUTCOMES if _may_say(name, kind, may, back)]
    # An outcome that is a choice is no outcome: an agent that repeats the example has said nothing.
    example = {"outcome": "|".join(outcomes), "summary": "…"}
    needs = {name: NEEDS[name] for name in outcomes}
    return Ending(outcomes, needs, example, _hatch(kind, outcomes, tries, splits, back))


def _may_say(outcome: str, kind: str, may: tuple[str, ...], back: str) -> bool:
    if outcome in UNSPEAKABLE.get(kind, ()) or (kind == "dispatch" and outcome == "asks"):
        return False  # a dispatched item that asks only ends
    if outcome == "done" and back == "task":
        return False
    return outcome not in PERMISSION or PERMISSION[outcome] in may


def _hatch(kind: str, outcomes: list[str], tries: int, splits: bool, back: str) -> str:
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
        return _ONE_EFFORT + _DISPUTED + "." + _CAME_BACK[back].format(asks=", or asks" if asks else "")
    words = _ONE_EFFORT + _DISPUTED + (_ASKS if asks else "") + "."
    return words + _SPLIT_AGAIN if splits and "split" not in outcomes else words
