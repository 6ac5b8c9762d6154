"""What came of a worker's time, in words: how many runs, how each item stands, and why what is left did not begin."""

from collections.abc import Sequence

from folkmoot.api.call import Ask
from folkmoot.api.machine import WorkCounts
from folkmoot.api.requests import ListQuestions, Show, ShowStatus
from folkmoot.api.views import Blocked, ItemView
from folkmoot.core.enums import ENDED
from folkmoot.core.flow import Flow
from folkmoot.doors.cli.render.board import aside_line
from folkmoot.doors.cli.render.page import BAD, CARE, COMMAND, COMMIT_SHOWN, GOOD, QUIET, Page, Part, count, one_line
from folkmoot.doors.cli.render.progress.blocked_reasons import blocked_words, reason_words, run_command
from folkmoot.doors.cli.render.progress.lines import Tally, span

ROWS_MAX = 20
DONE_MIN = 5  # of what is done so many are shown, however much is left


def counted(ask: Ask, tally: Tally) -> WorkCounts:
    asked = len(ask(ListQuestions()).questions)
    seconds = round(tally.seconds, 3)
    return WorkCounts(
        landed=tally.landed,
        runs=tally.runs,
        agent_runs=tally.runs - tally.checks,
        failed=tally.failed,
        questions=asked,
        seconds=seconds,
    )


def closing(
    page: Page,
    ask: Ask,
    tally: Tally,
    held: Sequence[Blocked],
    flow: Flow,
    *,
    until_idle: bool,
    why_follows: bool,
    aside: tuple[str, list[str]] | None,
) -> None:
    view = counted(ask, tally)
    checks = view.runs - view.agent_runs
    beside = f" and {checks} of gates and landings" if checks else ""
    words = f"{count(view.agent_runs, 'run')}{beside} in {span(view.seconds)}, {view.landed} landed"
    words += f", {view.failed} failed" if view.failed else ""
    if view.runs:
        page.blank()
        page.line((words, "bold"))
    else:
        if not held and not why_follows and not ask(ShowStatus()).counts.keys() - ENDED:
            page.line(("No run began: no item is open. ", QUIET), ('moot add "…"', COMMAND), (" brings one", QUIET))
        else:
            why = "." if held or why_follows else ": nothing is ready for these agents."
            page.line((f"No run began{why}", QUIET))
    _table(page, ask, tally.items)
    if aside:
        aside_line(page, *aside)
    _left(page, held, until_idle)
    if view.questions:
        waits = "question waits" if view.questions == 1 else "questions wait"
        page.line((f"? {view.questions} {waits} for you: ", CARE), ("moot inbox", COMMAND))


def _left(page: Page, held: Sequence[Blocked], until_idle: bool) -> None:
    for one in held:
        if one.why in ("paused", "resting") and until_idle:
            page.line((f"ended: {reason_words(one)}; without --until-idle it would wait", CARE), hang=2)
        elif one.why == "no_run":
            by_hand = (f"moot claim {one_line(one.agents[0])}", COMMAND)
            page.line((f"{blocked_words(one)}: ", QUIET), by_hand, hang=2)
        elif one.why == "label":
            page.line((f"{blocked_words(one)}: ", CARE), (run_command(one.labels), COMMAND), hang=2)
        else:
            page.line((blocked_words(one), BAD if one.why == "unable" else CARE), hang=2)


def _table(page: Page, ask: Ask, worked: dict[str, int]) -> None:
    """Each item that was worked on, and how it stands; a child that is done is its parent's. What is not done comes
    last, so that it is on the screen, and is never left out for what is."""
    items = [ask(Show(item=item)) for item in sorted(worked, key=lambda one: (len(one), one)) if item]
    items = [item for item in items if item.parent is None or item.status != "done"]
    done = [item for item in items if item.status == "done"]
    left = [item for item in items if item.status != "done"]
    shown = [*done[: max(ROWS_MAX - len(left), DONE_MIN)], *left[:ROWS_MAX]]
    ids = max((len(item.id) for item in shown), default=0) + 1
    room = max(min(page.width - 54, 40), 16)
    for item in shown:
        if left and item is left[0]:
            _more(page, len(done) - (len(shown) - len(left[:ROWS_MAX])), "done")
        runs = worked[item.id] + sum(worked.get(child, 0) for child in item.children)
        state, style, why = _stands(item)
        ran = (f"  {count(runs, 'run'):>7}", QUIET)
        title = page.cut(page.text(one_line(item.title)), room)
        title.append(" " * max(room - title.cell_len, 0))
        label = page.text(page.mark(item.status), " ", (f"#{item.id}".rjust(ids), "bold"), "  ", title, ran)
        page.line(label, "  ", (state, style), why, indent=2, hang=ids + 4)
    if not left:
        _more(page, len(done) - len(shown), "done")
    _more(page, len(left) - ROWS_MAX, None)


def _more(page: Page, many: int, status: str | None) -> None:
    if many > 0:
        command = f"moot list --status {status}" if status else "moot board"
        page.line((f"and {many} more{f' {status}' if status else ''}: ", QUIET), (command, COMMAND), indent=2)


def _stands(item: ItemView) -> tuple[str, str, Part]:
    """How an item stands, in words, with their style; and why, unless that is plain."""
    asked = ", ".join(question.id for question in item.questions if question.state == "open")
    if item.status == "done":
        at = f" at {item.landed[:COMMIT_SHOWN]}" if item.landed else ""
        return (f"landed on {item.landed_on}{at}" if item.landed_on else "done"), GOOD, ""
    if asked:
        (first, *_) = (question for question in item.questions if question.state == "open")
        return f"waiting for you: {asked}", CARE, (f" · {one_line(first.question)}", QUIET)
    style = BAD if item.status == "failed" else CARE
    return item.status, style, (f": {one_line(item.why)}", QUIET)
