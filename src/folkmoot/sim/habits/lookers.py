"""Honest checkers that tell what they have found so far, though they end without a verdict.

What they do follows from the id of their run and not from the world's dice, so that other lives stay as they were.
"""

import random

from msgspec.structs import replace

from folkmoot.core.order import stage
from folkmoot.core.report import Finding, Report
from folkmoot.sim.speech import PATHS, Scene

OFTEN = 0.5
UNJUDGED = ("incomplete", "failed", "asks", "stuck")


def so_far(scene: Scene, report: Report) -> Report:
    """The report, mostly; else with what the look had found when it ended."""
    chance = random.Random(f"looks {scene.claim.run}")
    if scene.is_good or scene.is_gate or report.outcome not in UNJUDGED or chance.random() > OFTEN:
        return report
    if scene.item.column not in scene.flow.columns or not scene.flow.checks(stage(scene.flow, scene.item)):
        return report
    found = Finding(
        severity=chance.choice(("high", "high", "medium", "low")),
        file=chance.choice(PATHS[:2]),
        line=chance.randrange(1, 4),
        issue=chance.choice(("no check", "the error is lost")),
    )
    return replace(report, findings=[*report.findings, found])
