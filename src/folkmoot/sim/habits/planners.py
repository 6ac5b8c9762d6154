"""Honest agents that say a split in words of their own: other names, marks around paths, some tasks only by title.

What they do follows from the id of their run and not from the world's dice, so that other lives stay as they were.
"""

import json
import random
from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import Command, ReportRun
from folkmoot.core.report import Report, Task
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from folkmoot.sim.speech import Scene

OFTEN = 0.5
ORDERS = ("depends_on", "dependsOn", "requires", "needs", "blockedBy", "prerequisites", "after")
FILES = ("files", "file", "filesCreated", "filesToModify")
PLANNED = "planned"  # in `extra`: what was meant, so that it can be held against what was heard


def in_own_words(scene: Scene, report: Report) -> Report:
    """The same split as its agent would write it; as it was where nobody could read it."""
    chance = random.Random(f"planner {scene.claim.run}")
    if scene.is_good or report.outcome != "split" or not report.tasks or chance.random() > OFTEN:
        return report
    entries = {task.key or task.title: _entry(chance, number, task) for number, task in enumerate(report.tasks)}
    shared = {one.name: one.text for one in report.contracts}
    meant = [[task.title, sorted(task.after), task.files] for task in report.tasks]
    output = {chance.choice(("taskDecomposition", "tasks")): entries, "sharedTypes": shared}
    said = {"status": "complete", "report": report.summary, "output": output, PLANNED: meant}
    try:
        heard = read_report(json.dumps(said))
    except Invalid:
        return report  # it was asked back, and is said in the form's own words
    return replace(report, tasks=heard.tasks, contracts=heard.contracts, extra={PLANNED: meant})


def _entry(chance: random.Random, number: int, task: Task) -> Any:
    if number and not (task.after or task.files or task.agent or task.contracts):
        return task.title
    entry: dict[str, Any] = {"task": task.title, chance.choice(ORDERS): task.after or "none"}
    if task.files:
        entry[chance.choice(FILES)] = [f"`{path}`" for path in task.files]
    if task.agent:
        entry["agentType"] = task.agent
    if task.contracts:
        entry["interfaces"] = task.contracts
    return entry


def heard_otherwise(command: Command) -> str | None:
    """What of a plan was lost on its way into the report; nothing if all of it is there."""
    said = command.report if isinstance(command, ReportRun) else None
    if said is None or PLANNED not in said.extra:
        return None
    heard = [[task.title, sorted(task.after), task.files] for task in said.tasks]
    return None if heard == said.extra[PLANNED] else f"it means {said.extra[PLANNED]}, and {heard} was heard"


def left_out(command: Command, children: list[str]) -> str | None:
    """Every task of a split becomes an item."""
    tasks = len(command.report.tasks) if isinstance(command, ReportRun) else len(children)
    return None if tasks == len(children) else f"it has {tasks} tasks, and {len(children)} items were made"
