"""Phases: the watched stages of a flow, by their number, and what a user sees when one of them is over."""

from typing import Any

from folkmoot.core.flow import END, Flow
from folkmoot.doors.cli.say.page import GOOD, Page, Part, count, one_line

View = dict[str, Any]
PHASE_EVENT = "phase_completed"


def phases(flow: Flow) -> list[str]:
    """The stages in which somebody works, in order."""
    found: list[str] = []
    passed: set[str] = set()
    column: str | None = flow.start
    while column in flow.columns and column not in passed:
        passed.add(column)
        place = flow.columns[column]
        if place.agents and place.work is None:
            found.append(column)
        column = place.work or place.next
    return found


def numbered(events: list[View], flow: Flow) -> list[View]:
    """The events, with the numbers of the phases in those that end one."""
    numbers = {name: number for number, name in enumerate(phases(flow), start=1)}
    return [
        event | {"context": {**event["context"], **_numbers(event["context"], numbers)}}
        if event["event"] == PHASE_EVENT
        else event
        for event in events
    ]


def _numbers(context: View, numbers: dict[str, int]) -> View:
    return {"number": numbers.get(context.get("phase", "")), "next_number": numbers.get(context.get("to", ""))}


def tests_of(context: View) -> str:
    tests = context.get("tests")
    return f"{tests.get('passed', 0)}/{tests.get('total', 0)} passed" if isinstance(tests, dict) else ""


def rounds_of(context: View) -> str:
    """`2 (1 failure, fixed in round 2)`: the last verdict of a phase that is over was a good one."""
    rounds = context.get("rounds") or 0
    if rounds < 2:
        return str(rounds) if rounds else ""
    return f"{rounds} ({count(rounds - 1, 'failure')}, fixed in round {rounds})"


def title_of(context: View) -> str:
    number = context.get("number")
    return f"Phase {number}" if number else f"Phase {context.get('phase', '')}"


def phase_lines(page: Page, event: View) -> None:
    """What the pipeline's user sees after each phase: tests, rounds, what comes next (P-10)."""
    context = event["context"]
    name: Part = f"  {context.get('phase', '')} of #{event['item']}"
    page.blank()
    page.line((f"{title_of(context)} Complete ", f"bold {GOOD}"), page.mark("done"), name)
    if tests_of(context):
        page.line(f"- Tests: {tests_of(context)}", indent=2, hang=2)
    if rounds_of(context):
        page.line(f"- Rounds: {rounds_of(context)}", indent=2, hang=2)
    to, following = one_line(context.get("to", "")), context.get("next_number")
    if following:
        page.line(f"- Proceeding to Phase {following}: {to}...", indent=2, hang=2)
    elif to == END:
        page.line("- This was the last phase: it is done.", indent=2, hang=2)
    elif to:
        page.line(f"- Proceeding to {to}...", indent=2, hang=2)
