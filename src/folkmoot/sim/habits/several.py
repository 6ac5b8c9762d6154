"""Honest agents that say several things in one text: how a first try went, and then how it ended.

What they do follows from the id of their run and not from the world's dice, so that other lives stay as they were.
"""

import random
from collections.abc import Iterator

from folkmoot.core.commands import Command, ReportRun
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.together import fault_of_outcomes
from folkmoot.reports.read import read_report
from folkmoot.sim.speech import Scene

OFTEN = 0.1
FIRST = (
    '```json\n{"outcome": "failed", "summary": "the first try was red"}\n```',
    "EXPERT_UNSUCCESSFUL: the first try was red",
    '{"status": "blocked", "report": "the mail service was gone"}',
    "## Summary\nhalf of it\n\n## Status\n- [ ] Complete / [x] Needs follow-up / [ ] Blocked\n",
)
THEN = '```json\n{"outcome": "done", "summary": "then it went"}\n```'


def in_one_text(scene: Scene) -> Iterator[ReportRun]:
    """A text that says both; whoever takes its last word for all of it takes a failure for done."""
    chance = random.Random(f"several {scene.claim.run}")
    if scene.is_good or scene.is_gate or chance.random() > OFTEN:
        return
    yield ReportRun(report=both(chance.choice(FIRST)))


def both(first: str) -> Report:
    return read_report(f"I began.\n\n{first}\n\nThen I tried again.\n\n{THEN}\n")


def taken_though_it_contradicts(command: Command) -> str | None:
    """What is wrong with having taken this command; nothing if it is the last word of a process (R-32)."""
    if not isinstance(command, ReportRun) or command.final:
        return None
    return fault_of_outcomes(command.report)
