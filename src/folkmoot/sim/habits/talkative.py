"""An agent that means well and says more than its outcome has room for; and whether all of it was told on.

What it does follows from the id of its run and not from the world's dice, so that other lives stay as they were.
"""

import random
from typing import Any

from msgspec import json
from msgspec.structs import replace

from folkmoot.core.records import Run
from folkmoot.core.report import AskedQuestion, Delegation, Report, Task, Try
from folkmoot.core.rules.judging.carrying import beside
from folkmoot.sim.speech import Scene

OFTEN = 0.3


def talkative(scene: Scene, report: Report) -> Report:
    """The same report, and beside it what another outcome would have acted on, or what no field is for."""
    chance = random.Random(f"talkative {scene.claim['run']}")
    if scene.is_good or scene.is_gate or chance.random() > OFTEN:
        return report
    own = f"beside {scene.claim['run']}"
    said = chance.choice(
        (
            replace(report, extra={**report.extra, "risk": own}),
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


def untold(claim: dict[str, Any], last: Run | None) -> list[str]:
    """What the run before said without effect, and the brief of the one that goes on does not have (R-32)."""
    brief = claim["brief"]
    if last is None or last.report is None or last.gate or last.outcome != last.report.outcome:
        return []
    if "previous" in {one["what"] for one in brief["left_out"]}:
        return []
    told = json.encode(brief).decode()
    lost = [name for name, value in _marks(beside(last.report, last.agent)) if json.encode(value).decode() not in told]
    return [f"R-32: run {claim['run']} is not told what {last.id} said without effect: {name}" for name in lost]


def _marks(said: dict[str, Any]) -> list[tuple[str, Any]]:
    """Each thing that was said, as it must stand in a brief."""
    own = said.pop("extra", {})
    return [*own.items(), *((name, value) for name, value in said.items() if isinstance(value, str))]
