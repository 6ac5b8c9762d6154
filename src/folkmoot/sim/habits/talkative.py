"""An agent that means well and says more than its outcome has room for; and whether all of it was told on.

What it does follows from the id of its run and not from the world's dice, so that other lives stay as they were.
"""

import random
from typing import Any

from msgspec import json
from msgspec.structs import replace

from folkmoot.api.views import ClaimView
from folkmoot.core.events import Event
from folkmoot.core.records import Run
from folkmoot.core.report import AskedQuestion, Delegation, Report, Task, Try
from folkmoot.core.rules.judging.carrying import TOLD, beside
from folkmoot.sim.speech import Scene

OFTEN = 0.3
RECORDED = ("attempt_counted", "attempt_noted", "attempt_repeated")


def talkative(scene: Scene, report: Report) -> Report:
    """The same report, and beside it what another outcome would have acted on, or what no field is for."""
    chance = random.Random(f"talkative {scene.claim.run}")
    if scene.is_good or scene.is_gate or chance.random() > OFTEN:
        return report
    own = f"beside {scene.claim.run}"
    said = chance.choice(
        (
            replace(report, extra={**report.extra, "risk": f"in words that decide nothing, {own}"}),
            replace(report, blockers=report.blockers or own),
            replace(report, extra={**report.extra, "issues": 2, "note": own}),
            replace(report, extra={**report.extra, "status": ["approved", "rejected"]}),
            replace(report, question=report.question or AskedQuestion(question=own, blocking=chance.random() < 0.5)),
            replace(report, attempts=report.attempts or [Try(approach=own, outcome="red")]),
            replace(report, tasks=report.tasks or [Task(title=own, key="z", files=[f"src/{own.split()[1]}.py"])]),
            replace(report, delegate=report.delegate or [Delegation(task=own, scope="discovery_only")]),
        )
    )
    return said


def untold(claim: ClaimView, last: Run | None) -> list[str]:
    """What the run before said without effect, and the brief of the one that goes on does not have (R-32)."""
    brief = claim.brief
    if last is None or last.report is None or last.gate or last.outcome != last.report.outcome:
        return []
    if "previous" in {one["what"] for one in brief["left_out"]}:
        return []
    told = json.encode(brief).decode()
    lost = [name for name, value in _marks(beside(last.report, last.agent)) if json.encode(value).decode() not in told]
    return [f"R-32: run {claim.run} is not told what {last.id} said without effect: {name}" for name in lost]


def misjudged(run: Run | None, events: list[Event]) -> list[str]:
    """What the answer to a report says wrongly: a statement that it leaves out, or an attempt that was written down
    and is said to have had no effect (R-32)."""
    if run is None or run.report is None or run.gate or run.weighed is None or run.outcome != run.report.outcome:
        return []
    filled = {name for name in ("attempts", "findings", "blockers", "tasks", "delegate") if getattr(run.report, name)}
    if "said" in run.report.extra:
        return []  # its change was not taken, and that decided
    recorded = any(event.name in RECORDED and event.run == run.id for event in events)
    wrong = ["attempts"] if recorded and run.weighed.get("attempts") == TOLD else []
    wrong += [name for name in sorted(filled - run.weighed.keys()) if not _came_before(run, name)]
    return [f"R-32: the answer to run {run.id} is not true of its {name}" for name in wrong]


def _came_before(run: Run, name: str) -> bool:
    """A refused report or a message of the same run has brought it, and this report did not say it again."""
    return name == "findings" or (run.refused is not None and bool(getattr(run.refused, name)))


def _marks(said: dict[str, Any]) -> list[tuple[str, Any]]:
    """Each thing that was said, as it must stand in a brief."""
    own = said.pop("extra", {})
    return [*own.items(), *((name, value) for name, value in said.items() if isinstance(value, str))]
