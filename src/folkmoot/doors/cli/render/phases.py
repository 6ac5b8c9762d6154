"""Phases: the watched stages of a flow, by their number, and what a user sees when one of them is over."""

from typing import Any

from msgspec.structs import replace

from folkmoot.api.views import EventView
from folkmoot.core.flow import END, Flow
from folkmoot.core.vocabulary.phrases.tallies import told_tests
from folkmoot.doors.cli.render.page import GOOD, QUIET, Page, Part, count, one_line

View = dict[str, Any]


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


def ends_phase(event: EventView) -> bool:
    """A stage that goes forward, a split that leads on, and the healing of what a gate found red: each is a phase."""
    return "phase" in event.context


def numbered(events: list[EventView], flow: Flow) -> list[EventView]:
    """The events, with the numbers of the phases in those that end one."""
    numbers = {name: number for number, name in enumerate(phases(flow), start=1)}
    return [
        replace(event, context={**event.context, **_numbers(event.context, numbers, flow)})
        if ends_phase(event)
        else event
        for event in events
    ]


def _numbers(context: View, numbers: dict[str, int], flow: Flow) -> View:
    return {
        "number": numbers.get(context.get("phase", "")),
        "next_number": numbers.get(context.get("to", "")),
        "max_rounds": flow.limits.feedback_rounds,
    }


def tests_of(context: View) -> str:
    tests = context.get("tests")
    if not isinstance(tests, dict):
        return ""
    return told_tests(tests.get("total"), tests.get("passed"), tests.get("failed") or 0)


def rounds_of(context: View) -> str:
    """`2 (1 failure, fixed in round 2)`: the last verdict of a phase that is over was a good one."""
    rounds = context.get("rounds") or 0
    if context.get("healed"):
        return f"{rounds} of {context.get('max_rounds')}"
    if rounds < 2:
        return str(rounds) if rounds else ""
    return f"{rounds} ({count(rounds - 1, 'failure')}, fixed in round {rounds})"


def begun_again(context: View) -> str:
    """What a person's word has ended, of the counters that a person sees."""
    rounds = context.get("rounds")
    if not isinstance(rounds, dict):
        return ""  # `phase_completed` tells under this name how many there were
    given = ", ".join(f"{number} in {one_line(column)}" for column, number in rounds.items())
    return f"rounds are counted from 1 again, after {given}" if given else ""


def title_of(context: View) -> str:
    if context.get("healed"):
        return "Healing"
    number = context.get("number")
    return f"Phase {number}" if number else f"Phase {one_line(context.get('phase', ''))}"


def sentences(context: View) -> list[str]:
    """What a user is told after each phase: what was made of it, tests, rounds, what comes next (P-10)."""
    made = ", ".join(f"#{child}" for child in context.get("children", []))
    told = [f"Split into {made}" if made else ""]
    told.append(f"Tests: {tests_of(context)}" if tests_of(context) else "")
    told.append(f"Rounds: {rounds_of(context)}" if rounds_of(context) else "")
    told.append(_proceeding(context))
    return [words for words in told if words]


def _proceeding(context: View) -> str:
    to, following = one_line(context.get("to", "")), context.get("next_number")
    place = f"Phase {following}: {to}" if following else to
    if context.get("healed"):
        return f"Proceeding to {', '.join(map(one_line, context['healed']))} of {place} again..."
    if to == END and not following:
        return "This was the last phase: it is done."
    return f"Proceeding to {place}..." if to else ""


def phase_lines(page: Page, event: EventView) -> None:
    """A phase is over, as a page of its own: a line for each sentence."""
    page.blank()
    page.line(*_head(page, event))
    for words in sentences(event.context):
        page.line(f"- {words}", indent=2, hang=2)


def phase_line(page: Page, event: EventView, indent: int) -> None:
    """The same among the lines of many items, below the tasks of a split: in as few lines as hold it, none broken."""
    row, below = page.text(*_head(page, event)), indent + 2
    for words in sentences({**event.context, "children": []}):
        told = page.text((f" · {words}", QUIET))
        if indent + row.cell_len + told.cell_len > page.width:
            page.line(row, indent=indent, hang=2)
            row, indent = page.text((words, QUIET)), below
        else:
            row.append_text(told)
    page.line(row, indent=indent, hang=2)


def _head(page: Page, event: EventView) -> list[Part]:
    context = event.context
    whole = context.get("number") or context.get("healed")  # else the phase's name is in its title
    name = f"  {one_line(context.get('phase', ''))} of #{event.item}" if whole else f"  #{event.item}"
    return [(f"{title_of(context)} Complete ", f"bold {GOOD}"), page.mark("done"), name]
