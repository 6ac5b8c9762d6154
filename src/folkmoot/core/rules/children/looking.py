"""Whoever splits looks again at a whole whose tasks are open: what it says of these acts or is asked back (R-24, R-32).

`cancel` acts, beside new tasks and without any. An order or owners of tasks that are there act only in a new split.
"""

from typing import Any

from folkmoot.core.item import Item
from folkmoot.core.report import Report
from folkmoot.core.rules.children.replacing import fault_of_replaced, open_tasks, replaced
from folkmoot.core.rules.children.saying import shortly, texts
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.plans import Named, says_nothing, split_field

_ACTS_IN_A_SPLIT = ("owners", "needs", "sequence", "alone")


def cancelled_by(case: Case, said: Report) -> list[Item]:
    """The open tasks that somebody who splits, and was content with the rest, has called off."""
    return replaced(case, said) if said.outcome == "done" and _splits(case) else []


def fault_of_looking(case: Case, said: Report) -> str | None:
    """What is said of tasks that are there, and would have no effect; None if there is nothing of the kind."""
    known = open_tasks(case)
    if not known or not _splits(case):
        return None
    if said.outcome == "done":
        fault = fault_of_replaced(case, said) or _fault_of_plan(said)
        if fault:
            return fault
        if len(replaced(case, said)) == len(known):
            return "it cancels every task that is open: report split with what is to be done instead, or asks"
    return _fault_of_words(case, said, known)


def _splits(case: Case) -> bool:
    agent = case.flow.agents.get(case.run.agent) if case.run else None
    return agent is not None and "split" in agent.may


def _fault_of_plan(said: Report) -> str | None:
    output = said.extra.get("output")
    told: dict[str, Any] = {**said.extra, **(output if isinstance(output, dict) else {})}
    for name, value in told.items():
        if split_field(name) in _ACTS_IN_A_SPLIT and not says_nothing(value):
            return _way_on(f"`{name}` ({shortly(repr(value))}) is about tasks that are there")
    return None


def _fault_of_words(case: Case, said: Report, known: list[Item]) -> str | None:
    """An order of tasks that are there, or one that is called off, in words alone."""
    gone = {task.id for task in replaced(case, said)}
    above = {task.id: set(task.after) for task in known}
    named = Named({name: task.id for task in known for name in (task.called, task.title) if name})
    for where, words in texts(said):
        off = next((one for one in named.called_off(words) if one not in gone), None)
        if off is not None:
            return (
                f"`{where}` says in words that task {off} is not to be done ({shortly(words)!r}), and it is open: "
                f'write "cancel": ["{off}"], or "replaces": "{off}" in the task that is instead of it'
            )
        for one, other in named.orders_in(words) if said.outcome == "done" else ():
            if one != other and one not in above[other] and other not in above[one]:
                return _way_on(f"`{where}` says in words in which order {one} and {other} come ({shortly(words)!r})")
    return None


def _way_on(what: str) -> str:
    return (
        f"{what}, and changes nothing of them: report split, with each task that is to be otherwise as it is from now "
        'on, and "replaces" in it; if it only repeats what holds, leave it out'
    )
