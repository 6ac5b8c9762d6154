"""The state of a board in few lines: what moves, who needs a person, what stands still, what today cost."""

from datetime import UTC, datetime

from folkmoot.api.pages import BoardStatus
from folkmoot.api.views import LiveRun
from folkmoot.core.rules.running.spending import at_least
from folkmoot.doors.cli.render.page import (
    AGENT,
    BAD,
    CARE,
    COMMAND,
    GOOD,
    PERSON,
    QUIET,
    Page,
    Part,
    count,
    lasting,
    one_line,
    short_run,
)
from folkmoot.doors.cli.render.progress.blocked_reasons import pause_words, reason_words

SHOWN_MAX = 5
LABEL = 9


def status(view: BoardStatus, page: Page | None = None) -> None:
    page = page or Page()
    told = " · ".join(f"{number} {word}" for word, number in view.counts.items())
    page.line((one_line(view.flow), "bold"), (f"  {told}" if told else "  nothing is on it yet", QUIET))
    lost = [f"#{one_line(one.item)}" for one in view.lost]
    if lost:
        names = ", ".join(lost[:SHOWN_MAX]) + (f" and {len(lost) - SHOWN_MAX} more" if len(lost) > SHOWN_MAX else "")
        words = f"{names} landed, and {'their' if len(lost) > 1 else 'its'} branch does not have it any more: "
        _row(page, "lost", [(words, BAD), ("moot doctor", COMMAND)])
    _rows(page, "moves", [_run(run) for run in view.runs], "moot board")
    asked: list[list[Part]] = [
        [(question.id, CARE), (f" #{question.task_id} ", "bold"), one_line(question.question)]
        for question in view.questions
    ]
    _rows(page, "for you", asked, "moot inbox")
    _rows(page, "paused", [[(pause_words(pause), CARE)] for pause in view.pauses], "moot board")
    # What is paused stands above.
    still = [one for one in view.blocked if one.why in ("held", "resting", "starts", "label")]
    _rows(page, "waits", [[reason_words(one)] for one in still], "moot board")
    _today(page, view)
    labelled = sum(len(one.items) for one in view.blocked if one.why == "label")
    if not (view.runs or view.questions or view.pauses) and view.counts.get("ready", 0) > labelled:
        _row(page, "next", ["nobody is at work: ", ("moot run", COMMAND)])


def _run(run: LiveRun) -> list[Part]:
    model = f" with {one_line(run.model)}" if run.model and not run.person else ""
    began = datetime.fromisoformat(run.started_at or "").timestamp() if run.started_at else None
    since = f" for {lasting(max(datetime.now(UTC).timestamp() - began, 0))}" if began is not None else ""
    return [
        (f"#{run.item} ", "bold"),
        (f"taken by {one_line(run.person)}", PERSON) if run.person else (one_line(run.agent), AGENT),
        f"{model}{since}",
        (f"  {short_run(run.run)}", QUIET),
    ]


def _today(page: Page, view: BoardStatus) -> None:
    today = view.today
    if not today.runs and not today.landed:
        return
    cost = at_least(today.cost_usd, today.unpriced) if today.cost_usd is not None else "cost not told"
    words: list[Part] = [(f"{today.landed} landed", GOOD if today.landed else QUIET)]
    words.append((f", {count(today.runs, 'run')}, {lasting(today.seconds)} of work, {cost}", ""))
    if today.failed:
        words.append((f", {today.failed} failed", CARE))
    _row(page, "today", words)


def _rows(page: Page, label: str, rows: list[list[Part]], more: str) -> None:
    for number, row in enumerate(rows[:SHOWN_MAX]):
        _row(page, "" if number else label, row)
    if len(rows) > SHOWN_MAX:
        _row(page, "", [(f"and {len(rows) - SHOWN_MAX} more: ", QUIET), (more, COMMAND)])


def _row(page: Page, label: str, words: list[Part]) -> None:
    page.row(" ", (label.ljust(LABEL), QUIET), *words)
