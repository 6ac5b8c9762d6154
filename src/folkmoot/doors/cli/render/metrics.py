"""How the work goes, in numbers and in what was learnt."""

from folkmoot.api.metrics import Metrics
from folkmoot.api.views import LessonView
from folkmoot.core.rules.running.spending import dollars
from folkmoot.doors.cli.render.page import COMMAND, HEAD, QUIET, Page, count, day_of, one_line, who
from folkmoot.flows.spans import format_span

LABEL = 18
ITEMS_SHOWN = 10


def metrics(view: Metrics) -> None:
    page = Page()
    workflows, runs, asked = view.workflows, view.runs, view.questions
    if not runs.total:
        page.line(("Nothing was worked on yet.", QUIET), " Be the first agent: ", ("moot claim AGENT", COMMAND))
        return
    page.line(("The board in numbers", HEAD))
    _row(page, "items", f"{workflows.total}, {workflows.done} done, {workflows.cancelled} cancelled")
    if view.success_rate is not None:
        _row(page, "success", f"{_percent(view.success_rate)} of those that have ended are done")
    whose = f" ({runs.total - runs.gates} of agents, {runs.gates} of gates and landings)" if runs.gates else ""
    _row(page, "runs", f"{runs.total}{whose}, {runs.open} open, {runs.wasted} wasted ({_percent(runs.wasted_rate)})")
    _row(page, "handoffs", f"{_average(view.handoffs_per_workflow)} an item")
    _row(page, "fix iterations", f"{_average(view.fix_iterations)} an item")
    _row(page, "escalation rate", f"{_percent(view.escalation_rate)} of what was begun")
    waited = asked.seconds_to_answer
    after = f", answered after {_span(waited)}" if waited is not None else ""
    _row(page, "questions", f"{asked.asked}, {asked.open} open{after}")
    if view.cost_usd:
        _row(page, "cost", dollars(view.cost_usd))
    _workflows(page, view)
    if view.time_per_agent:
        page.head("Time per agent")
    wide = max((len(one_line(name)) for name in view.time_per_agent), default=0)
    for agent, seconds in sorted(view.time_per_agent.items(), key=lambda row: -row[1]):
        cost = view.cost_per_agent.get(agent, 0)
        label = page.text((one_line(agent).ljust(wide), who("")[1]))
        page.labelled(label, _span(seconds), (f"  {dollars(cost)}" if cost else "", QUIET), indent=2)


def _workflows(page: Page, view: Metrics) -> None:
    """The sums by workflow, and the items themselves, those with the most to and fro first."""
    if len(view.by_workflow) > 1:
        page.head("Per workflow")
        for kind, sums in view.by_workflow.items():
            told = f"{count(sums.items, 'item')}, {taken(sums.handoffs, sums.fix_iterations)}"
            _row(page, kind, told + (f", {sums.escalated} escalated" if sums.escalated else ""))
    handoffs, fixes = view.handoffs_per_workflow, view.fix_iterations
    if handoffs:
        page.head("Per item")
    order = sorted(handoffs, key=lambda item: (-handoffs[item] - fixes[item], int(item)))
    for item in order if page.is_whole else order[:ITEMS_SHOWN]:
        _row(page, f"#{item}", taken(handoffs[item], fixes[item]))
    if len(order) > ITEMS_SHOWN and not page.is_whole:
        page.line((f"and {len(order) - ITEMS_SHOWN} more: ", QUIET), ("moot metrics --json", COMMAND), indent=2)


def taken(handoffs: int, fixes: int) -> str:
    return f"{count(handoffs, 'handoff')}, {count(fixes, 'fix iteration')}"


def took(item: str, measured: Metrics) -> list[str]:
    """How often it changed hands and came back; nothing as long as one agent alone has worked on it."""
    handoffs, fixes = (counts.get(item, 0) for counts in (measured.handoffs_per_workflow, measured.fix_iterations))
    spent = [f"{agent} {_span(seconds)}" for agent, seconds in measured.time_per_agent.items()]
    return [taken(handoffs, fixes), *spent] if handoffs or fixes else []


def _row(page: Page, name: str, words: str) -> None:
    page.labelled(page.text((name.ljust(LABEL), QUIET)), words, indent=2)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _average(by_item: dict[str, int]) -> str:
    return f"{sum(by_item.values()) / len(by_item):.1f}" if by_item else "0"


def _span(seconds: float) -> str:
    return format_span(round(seconds, 1 if seconds < 10 else 0))


def lessons(found: list[LessonView]) -> None:
    page = Page()
    if not found:
        page.line(("No run has told what it learnt yet.", QUIET), " A report may carry lessons.")
        return
    page.line((count(len(found), "lesson"), HEAD), (", the newest first" if len(found) > 1 else "", QUIET))
    for lesson in found:
        page.blank()
        files = f" · {', '.join(lesson.files[:4])}" if lesson.files else ""
        where = f" on #{lesson.item} · {day_of(lesson.timestamp)}{files}"
        page.line((lesson.id, "bold"), "  ", who(one_line(lesson.agent)), (where, QUIET), hang=2)
        page.block(lesson.text, indent=4)
