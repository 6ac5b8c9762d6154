"""The words before and after the demo; what happens in between tells itself."""

from folkmoot.api.machine import DemoEnd, TestCount
from folkmoot.api.views import ItemView
from folkmoot.core.commands import AddItem
from folkmoot.doors.cli.render.page import BAD, CARE, GOOD, PERSON, QUIET, Page, Part, count
from folkmoot.doors.cli.render.progress.lines import span

LABEL = 10


def opening(page: Page, folder: str, tests: TestCount, why_not_sandboxed: str) -> None:
    page.line(("Folkmoot", "bold"), ": a board where agents that forget work on items that remember.")
    page.blank()
    box = "in a sandbox, without network" if not why_not_sandboxed else "in a clone of its own"
    page.line(
        (
            f"Here is a small project: the till of a shop, {count(tests.total, 'test')}, {tests.failed} of them "
            f"red. Five scripted agents will work on it. They are real programs: each is started {box}, reads its "
            "brief, edits files, runs the tests and reports. Plain rules decide what follows; nobody directs.",
            QUIET,
        )
    )
    if why_not_sandboxed:
        page.line(("! ", CARE), f"not sandboxed: {why_not_sandboxed}", hang=2)
    page.blank()
    page.exact(f"cd {folder}", indent=2, style=QUIET)
    page.blank()


def added(page: Page, item: ItemView, wish: AddItem) -> None:
    files = ", ".join(wish.files)
    held: Part = (f"  ({files})", QUIET) if files else ""
    page.row("  ", ("you", PERSON), "  add ", (f"#{item.id}", "bold"), f"  {wish.title} → {wish.column}", held)


def ending(page: Page, view: DemoEnd) -> None:
    """What happened, and what is there now."""
    page.head("What happened")
    page.blank()
    for label, fact in _facts(view):
        page.labelled(page.text((label.rjust(LABEL), QUIET)), fact, indent=2)
    page.head("main")
    page.blank()
    for line in view.graph:
        page.row("  ", (line, QUIET))
    page.blank()
    tests, style = view.tests.after, GOOD if not view.tests.after.failed else BAD
    before = view.tests.before
    mark = page.mark("failed" if tests.failed else "done")
    words = f" {tests.passed} of {tests.total} tests green on main"
    page.line(mark, (words, f"bold {style}"), (f"; at the start {before.passed} of {before.total}", QUIET))
    checks = view.doctor.checks
    if view.doctor.ok:
        words = f" moot doctor: all {len(checks)} invariants hold over {count(view.events, 'event')}"
        page.line(page.mark("done"), (words, GOOD))
    for check in checks:
        for wrong in check.wrong:
            page.line(page.mark("failed"), f" moot doctor: {wrong}", hang=2)


def _facts(view: DemoEnd) -> list[tuple[str, str]]:
    landed = f", {count(len(view.landed), 'landing')} on main" if view.landed else ""
    work = f"{count(len(view.items), 'item')}, {count(view.runs, 'run')}{landed}, {count(view.commits, 'commit')}"
    facts = [("work", f"{work}, in {span(view.seconds)}")]
    if view.tasks:
        facts.append(("tasks", f"{_listed(view.tasks)} split off; {view.at_once} agents at work at once"))
    for one in view.disputes:
        end = {"accepted": "ended by agreement", "rejected": "given up"}.get(one.resolution or "", "still open")
        between = " and ".join(str(name) for name in one.between)
        facts.append(("dispute", f"#{one.item}: {between}, {count(one.rounds or 0, 'round')}, {end}"))
    for climb in view.climbs:
        facts.append(("climb", f"#{climb.item}: {climb.agent} failed with {climb.before}, {climb.to} took over"))
    for red in view.red_gates:
        facts.append(("red gate", f"#{red.item}: {red.gate}, {'healed' if red.healed else 'still red'}"))
    for asked in view.questions:
        by = {"default": "nobody answered, so the default", None: "open"}.get(asked.answered_by, "answered")
        facts.append(("question", f"#{asked.item}: {by}" + (f": “{asked.answer}”" if asked.answer else "")))
    return facts


def _listed(items: list[str]) -> str:
    return ", ".join(f"#{item}" for item in items)
