"""What the last run left of the work, in words: what is done, what is left, what stands in the way."""

from typing import Any

from msgspec import to_builtins

from folkmoot.api.views import ItemView
from folkmoot.briefs.quote import told
from folkmoot.core.enums import ENDED
from folkmoot.core.report import WORDS_BESIDE
from folkmoot.core.rules.judging.carrying import shortly
from folkmoot.core.unfinished import BEYOND, PARTIAL
from folkmoot.doors.cli.render.page import CARE, Page, one_line, who

View = dict[str, Any]
LINES_MAX = 40
# What says where the words come from, or stands elsewhere on the page.
NOT_TOLD = ("run", "item", "agent", "column", "outcome", "findings", "comments", "artifacts", "usage", "end", "kept")

# What a brief has of a report that is no part of the work.
BESIDE = (*("blockers", "cause", "reason", "escalation_reason", "attempts", "question", "tasks", "delegate", BEYOND),)


def left_of(view: ItemView) -> View | None:
    """The last report on the item; of an item that is over only what was said beside its verdict."""
    spoken = [run for run in view.runs if not run.gate and (run.report or run.refused)]
    if not spoken:
        return None
    last = spoken[-1]
    kept = to_builtins(last.kept)
    if view.status in ENDED:
        steps = last.report.next_steps if last.report else []
        return {"agent": last.person or last.agent, "outcome": last.outcome, "kept": kept, "next_steps": steps}
    if last.report is None:
        refused = last.refused
        said = {"extra": refused.extra} if refused and refused.is_unread else to_builtins(refused)
        return {"agent": last.person or last.agent, "not accepted": last.refused_for, **said}
    said = {"agent": last.person or last.agent, **to_builtins(last.report), "kept": kept}
    return said if last.outcome == said["outcome"] else {**said, "not accepted": view.told}


def left_lines(page: Page, said: View | None) -> None:
    if said is None or not (said.get("outcome") in PARTIAL or said.get("not accepted")):
        _beside_lines(page, said or {})
        _step_lines(page, said or {})
        return
    page.head("What the last run said and left")
    page.line(who(one_line(said["agent"])), (f" {said.get('outcome', '')}", CARE), indent=2)
    lines = told({name: value for name, value in said.items() if name not in NOT_TOLD}).split("\n")
    for line in lines[:LINES_MAX]:
        page.line(one_line(line), indent=4 + len(line) - len(line.lstrip(" ")), hang=2)
    if len(lines) > LINES_MAX:
        page.line(f"… and {len(lines) - LINES_MAX} more lines: see `--json`", indent=4)


def _said_lines(page: Page, said: View) -> None:
    """What was done, and what should follow: whoever goes on begins with it."""
    if not (said.get("summary") or said.get("next_steps")):
        return
    page.head("What the last run said")
    words = one_line(said.get("summary") or "")
    page.line(who(one_line(said["agent"])), f": {words}" if words else " says what should follow:", indent=2, hang=2)
    for step in (said.get("next_steps") or [])[:LINES_MAX]:
        page.line(f"- {one_line(step)}", indent=4, hang=2)


def _beside_lines(page: Page, said: View) -> None:
    """What was said beside a verdict, and had no effect of its own."""
    told = said.get("kept")
    if told is None:  # a brief: only what had no effect is in it
        told = [{"what": name, "said": shortly(said[name])} for name in BESIDE if said.get(name)]
    _said_lines(page, said)
    if not told:
        return
    page.head("What else the last run said; it is kept, and changed nothing")
    for one in told[:LINES_MAX]:
        what = "" if one["what"] == WORDS_BESIDE else f" {one_line(one['what'])}"
        page.line(who(one_line(said["agent"])), f"{what}: {one_line(one['said'])}", indent=2, hang=2)


def _step_lines(page: Page, said: View) -> None:
    """What it recommends: nobody need come after who would be told."""
    steps = said.get("next_steps") or []
    if steps:
        page.head("What the last run recommends")
    for step in steps[:LINES_MAX]:
        page.line(who(one_line(said["agent"])), f" {one_line(step)}", indent=2, hang=2)
