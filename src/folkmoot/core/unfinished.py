"""What a report tells of work that is not finished, in whichever form it was told (R-07, E-05)."""

from typing import Any

from msgspec import to_builtins

from folkmoot.core.report import Report

# Outcomes that leave the work to somebody else before it is done.
PARTIAL = ("incomplete", "failed", "stuck")
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


def told_of(said: Report) -> dict[str, Any]:
    """A report as later runs are told of it. Of one that leaves work, all of it: what is done, what is left, and what
    its dialect says beyond our fields."""
    told = {name: to_builtins(getattr(said, name)) for name in ALWAYS if getattr(said, name)}
    files = [*said.files.created, *said.files.modified]
    if files:
        told["files"] = files
    if said.tests:
        told["tests"] = {name: getattr(said.tests, name) for name in ("total", "passed", "failed")}
    return {**told, **left_by(said)} if said.outcome in PARTIAL else told


def left_by(said: Report) -> dict[str, Any]:
    """What a report that leaves work says beyond what every report is told of."""
    left = {
        name: to_builtins(getattr(said, name))
        for name in said.__struct_fields__
        if name not in ELSEWHERE and getattr(said, name)
    }
    if said.attempts and (said.outcome == "incomplete" or said.cause in UNCOUNTED):
        left["attempts"] = to_builtins(said.attempts)
    if said.extra:
        left[BEYOND] = said.extra
    return left
