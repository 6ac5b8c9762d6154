"""The runs of an item: how each ended, and what is kept of it."""

from datetime import datetime

from folkmoot.api.views import ItemView, RunView
from folkmoot.core.flow import LANDING
from folkmoot.doors.cli.render.page import (
    BAD,
    CARE,
    COMMAND,
    GOOD,
    QUIET,
    Page,
    Part,
    count,
    one_line,
    short_run,
    when,
    who,
)
from folkmoot.doors.cli.render.progress.lines import SETUP_SHOWN, span

RUNS_SHOWN = 12


def runs_lines(page: Page, view: ItemView, kept: list[str]) -> None:
    """The runs that a worker made, or a person took, and how to see more of them. What was claimed is told above."""
    started = [run for run in view.runs if run.sandboxed is not None or run.person]
    if not started:
        return
    page.head("Its runs")
    if len(started) > RUNS_SHOWN:
        page.line((f"… {len(started) - RUNS_SHOWN} earlier ones: moot show {view.id} --json", QUIET), indent=2)
    for run in started[-RUNS_SHOWN:]:
        named = short_run(run.run, (other.run for other in view.runs))
        cut_off: list[Part] = [(", its work: ", QUIET), (f"moot salvage {named}", COMMAND)]
        words = [*_run_words(run), *(cut_off if run.run in kept else [])]
        page.labelled(page.text((named, "bold")), *words, indent=2)
    page.line(("what one printed: ", QUIET), ("moot output RUN", COMMAND), indent=2)
    if any(run.changed for run in started):
        page.line(("what the item changed: ", QUIET), (f"moot diff {view.id}", COMMAND), indent=2)
    if any(run.ref and _is_aside(run, view) for run in started):
        page.line(("its work, kept as refs/moot/runs/RUN: ", QUIET), ("moot salvage RUN", COMMAND), indent=2)


def _run_words(run: RunView) -> list[Part]:
    model = f" with {one_line(run.model)}" if run.model else ""
    by_hand = f"{one_line(run.person)} for " if run.person else ""
    parts: list[Part] = [by_hand, who(one_line(run.agent)), model]
    if run.ended_at is None:
        parts.append((f", at work since {when(run.started_at)}", "bold"))
    else:
        outcome = run.outcome or run.end
        style = GOOD if outcome == "done" else BAD if outcome == "failed" else CARE
        cause = f" ({one_line(run.cause)})" if run.cause else ""
        ready = run.setup_seconds or 0.0
        setup = f", setup {span(ready)}" if ready >= SETUP_SHOWN else ""
        setup += " (kept)" if setup and run.setup_kept else ""
        parts += [", ", (f"{outcome}{cause}", style), (f" after {span(_seconds(run))}{setup}", QUIET)]
    if run.changed:
        parts.append((f", {count(len(run.changed), 'file')} changed", QUIET))
    if run.sandboxed is False and run.agent != LANDING:
        parts += [", ", ("not sandboxed", BAD)]
    return parts


def _is_aside(run: RunView, view: ItemView) -> bool:
    """Is a run's work only where the run left it, on no branch?"""
    return view.landed is None or run.outcome != "done"


def _seconds(run: RunView) -> float:
    began, ended = (datetime.fromisoformat(at or "") for at in (run.started_at, run.ended_at))
    return (ended - began).total_seconds()
