"""What the last run left of the work, in words: what is done, what is left, what stands in the way."""

from typing import Any

from folkmoot.briefs.quote import told
from folkmoot.core.item import ENDED
from folkmoot.core.unfinished import PARTIAL
from folkmoot.doors.cli.say.page import CARE, Page, one_line, who

View = dict[str, Any]
LINES_MAX = 40
# What says where the words come from, or stands elsewhere on the page.
NOT_TOLD = ("run", "item", "agent", "column", "outcome", "findings", "comments", "artifacts", "usage", "end")


def left_of(view: View) -> View | None:
    """The last report on the item, if it leaves work and the item is not over."""
    spoken = [run for run in view["runs"] if not run["gate"] and (run["report"] or run["refused"])]
    if view["status"] in ENDED or not spoken:
        return None
    last = spoken[-1]
    if last["report"] is None:
        return {"agent": last["agent"], "not accepted": last["refused_for"], **last["refused"]}
    return {"agent": last["agent"], **last["report"]}


def left_lines(page: Page, said: View | None) -> None:
    if said is None or not (said.get("outcome") in PARTIAL or said.get("not accepted")):
        return
    page.head("What the last run said and left")
    page.line(who(one_line(said["agent"])), (f" {said['outcome']}", CARE), indent=2)
    lines = told({name: value for name, value in said.items() if name not in NOT_TOLD}).split("\n")
    for line in lines[:LINES_MAX]:
        page.line(one_line(line), indent=4 + len(line) - len(line.lstrip(" ")), hang=2)
    if len(lines) > LINES_MAX:
        page.line(f"… and {len(lines) - LINES_MAX} more lines: see `--json`", indent=4)
