"""What a report tells of work that is not finished, in whichever form it was told (R-07, E-05)."""

from typing import Any

from msgspec import to_builtins

from folkmoot.core.records import Run
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.carrying import beside

# Outcomes that leave the work to somebody else before it is done.
PARTIAL = ("incomplete", "failed", "stuck")
# How a run ends that has worked on what was there, or split it; behind these an earlier stop is taken up.
TAKEN_UP = ("done", "split", "changes_requested", "disputed")
REPORTS_TOLD = 4
# What is told of every report, whatever its outcome.
ALWAYS = (
    *("outcome", "cause", "reason", "escalation_reason", "summary", "blockers", "commit", "next_steps"),
    *("interfaces", "integration_points"),
)
# What stands on the item itself, or is no part of the work.
ELSEWHERE = ("findings", "comments", "artifacts", "usage", "files", "tests", "extra", "attempts", *ALWAYS)
# Causes whose attempts are not counted, so that the item's history does not hold them.
UNCOUNTED = ("transient", "environment", "quota", "conflict", "protocol", "timeout")
BEYOND = "in its own words"
# What a view of a run says of it that is no word of its agent, or stands on the item.
HOW_IT_ENDED = {"run", "item", "agent", "column", "outcome", "files", "tests", "commit"}


def not_gone_on_from(runs: list[Run], here: str = "", answering: frozenset[str] = frozenset()) -> list[Run]:
    """Of an item's runs, those whose words whoever goes on in column `here` still needs, the last one first: what left
    the work and was not taken up, what handed it over, and what this column said before the item went elsewhere and
    came back. A column of `answering` takes up nothing but the question it was asked."""
    found: dict[tuple[str, str], Run] = {}
    answered: set[str] = set()
    taken = False
    for run in reversed(runs):
        if run.gate or run.report is None or run.outcome is None:
            continue
        own, left = run.column == here, run.outcome in PARTIAL
        if own and run.outcome in ("done", "split"):
            break  # the next effort here begins from what was made then
        if own or (left and not taken and run.column not in answered):
            found.setdefault((run.column, "left" if left else run.outcome), run)
        elif run.outcome == "done" and run.column in answering:
            answered.add(run.column)
        elif run.outcome in TAKEN_UP and not taken:
            taken = True
            if here and run.outcome != "split":  # tasks are told what their split said
                found[(run.column, run.outcome)] = run
        if len(found) == REPORTS_TOLD or (taken and not here):
            break
    return list(found.values())


def told_of(said: Report, agent: str = "", *, whole: bool = False) -> dict[str, Any]:
    """A report as later runs are told of it: also whatever had no effect of its own. Of one that leaves work, or that
    was not accepted (`whole`), all of it: what is done, what is left, and what its dialect says beyond our fields. Of a
    text that could not be read and was not accepted nothing but the text."""
    if whole and said.is_unread:
        return {BEYOND: said.extra}
    told = {name: to_builtins(getattr(said, name)) for name in ALWAYS if getattr(said, name)}
    files = [*said.files.created, *said.files.modified]
    if files:
        told["files"] = files
    if said.tests:
        told["tests"] = {name: count for name, count in to_builtins(said.tests).items() if count is not None}
    return {**told, **(left_by(said, whole) if whole or said.outcome in PARTIAL else beside_told(said, agent))}


def beside_told(said: Report, agent: str = "") -> dict[str, Any]:
    """What a report says beyond what every report is told of, and that had no effect of its own."""
    told = {name: value for name, value in beside(said, agent).items() if name not in ALWAYS}
    own = told.pop("extra", None)
    return {**told, **({BEYOND: own} if own else {})}


def left_by(said: Report, whole: bool = False) -> dict[str, Any]:
    """What a report that leaves work says beyond what every report is told of; `whole`: nothing of it stands on the
    item, but for its comments."""
    left = {
        name: to_builtins(getattr(said, name))
        for name in said.__struct_fields__
        if name not in ELSEWHERE and getattr(said, name)
    }
    if said.attempts and (whole or said.outcome == "incomplete" or said.cause in UNCOUNTED):
        left["attempts"] = to_builtins(said.attempts)
    if whole:
        left |= {name: to_builtins(getattr(said, name)) for name in ("findings", "artifacts") if getattr(said, name)}
    if said.extra:
        left[BEYOND] = said.extra
    return left
