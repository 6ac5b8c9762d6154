"""Many items: the board in the order of its flow, and lists."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace
from rich.text import Text

from folkmoot.api.pages import Pauses
from folkmoot.api.screen import BoardView
from folkmoot.api.usage import WindowLine
from folkmoot.api.views import Blocked, ItemSummary, LiveRun, PauseView, QuestionView
from folkmoot.core.enums import ASKING, ENDED
from folkmoot.core.flow import END, LANDING, Flow
from folkmoot.core.rules.running.pauses import lacks
from folkmoot.doors.cli.render.messages import loose_messages
from folkmoot.doors.cli.render.page import (
    AGENT,
    BAD,
    CARE,
    COMMAND,
    GOOD,
    PERSON,
    PRIORITIES,
    QUIET,
    Page,
    Part,
    count,
    lasting,
    one_line,
    short_run,
    when,
)
from folkmoot.doors.cli.render.progress.blocked_reasons import blocked_words, pause_words, run_command
from folkmoot.doors.cli.render.questions import answer_command
from folkmoot.engine.reads.blocked import DAY, POOL, READY, STOPPED
from folkmoot.engine.reads.status import is_proposed

LAST_DONE = 5
PATHS_SHOWN = 3
COLUMN_MAX = 20  # items of a column on a screen; all of them are in the list
QUESTION_CELLS = 160  # of a question on the board; all of it is in the inbox
TITLE_LEAST = 24  # where less is left beside the note, it goes below
KINDS = {"sub": "sub-agent", "dispatch": "dispatched"}
ASKS = {"needs-human-review": "dispute", "awaiting-divine-guidance": "asks", "parked": "parked"}


def board(
    view: BoardView, flow: Flow, page: Page | None = None, held: Callable[[], list[Blocked]] | None = None
) -> None:
    """Every column in the order of the flow; those off the flow only if something is in them.

    `held` is asked only where somebody is wanted: what begins no run, with whom this machine cannot start.
    """
    page = page or Page()
    items, questions = view.items, view.questions
    runs = {run.item: run for run in view.runs}
    _summary(page, flow, items)
    if view.pauses:
        page.blank()
    for pause in view.pauses:
        pause_lines(page, pause, indent=1)
    for window in view.windows:
        page.line((f"quota of {window_words(window)}", CARE), indent=1)
    loose_messages(page, view.messages)
    if not items:
        _empty(page)
        return
    _questions(page, questions)
    by_column: dict[str, list[ItemSummary]] = {}
    for item in items:
        if item.status not in ENDED:
            by_column.setdefault(item.column, []).append(item)
    asked: dict[str, list[str]] = {}
    for question in questions:
        asked.setdefault(question.task_id, []).append(question.id)
    page.blank()
    stages = [name for name in flow.stages() if name != END]
    others = [name for name in by_column if name not in stages]
    width = min(max(len(name) for name in stages), 30)
    ids = max(len(item.id) for item in items)
    for name in [*stages, *sorted(others)]:
        there = by_column.get(name, [])
        _heading(page, flow, name, there, width)
        for one in _foremost(page, there):
            note = note_on(page, one, asked.get(one.id, []), runs.get(one.id), flow.target)
            _item(page, one, note, ids)
        if len(there) > COLUMN_MAX and not page.is_whole:
            all_of_them = (f"moot list --column {one_line(name)}", COMMAND)
            page.line((f"and {len(there) - COLUMN_MAX} more: ", QUIET), all_of_them, indent=5)
    _ended(page, items, width, ids)
    if view.aside:
        aside_line(page, view.aside, view.in_the_way, indent=1)
    if view.lost:
        lost_line(page, view.lost, indent=1)
    _who_acts(page, flow, view, held or (lambda: view.blocked))


def window_words(window: WindowLine) -> str:
    """How much of a quota's window is used, and when it begins anew."""
    share = f"{window.used * 100:.0f} % used" if window.used is not None else one_line(window.status) or "unknown"
    resets = f", begins anew {when(window.resets_at)}" if window.resets_at else ""
    return f"{one_line(window.pool)}, {one_line(window.window)}: {share}{resets}"


def pause_lines(page: Page, pause: PauseView, indent: int) -> None:
    """What begins no runs now, why, until when, and how to end it."""
    what = pause.what
    # What it says of itself in the same words need not be said twice.
    known = f"{what.removeprefix(POOL)} {lacks(pause.cause, pause.login)}" if pause.cause else ""
    told = one_line(pause.why).removeprefix(known)
    why = (told if known and told != one_line(pause.why) else f": {told}") if told and what != DAY else ""
    if what.startswith(POOL) and pause.by:
        why += f" (a run of {one_line(pause.by)} met it)"
    label = page.text(("!" if page.ascii else "■", CARE))
    page.labelled(label, (pause_words(pause), CARE), why, indent=indent, gap=1)
    others = "those at work are being ended, their work is kept" if pause.now else "those at work may finish"
    hint: list[Part] = [(f"no run begins; {others}; go on: ", QUIET), ("moot resume", COMMAND)]
    if what == DAY:
        hint = [("a larger `budget` in the flow, or go on today: ", QUIET), ("moot resume", COMMAND)]
    elif what != STOPPED:
        go = f"moot resume {one_line(what.removeprefix(POOL))}"
        hint = [("then it goes on by itself; or try now: ", QUIET), (go, COMMAND)]
        if pause.until is None:
            mend = "sign in: it goes on by itself; or" if pause.login else "mend it, then"
            # Of all questions about a pool the first way to answer is to try again.
            retry = (f"moot answer {pause.question} 1" if pause.question else go, COMMAND)
            hint = [(f"{mend}: ", QUIET), retry]
    page.line(*hint, indent=indent + 2)


def aside_line(page: Page, branch: str, paths: list[str], indent: int = 0) -> None:
    """Work has landed beside the branch it is for: which files of the user's keep it there, and what to do about it."""
    name, names = one_line(branch), ", ".join(one_line(path) for path in paths[:PATHS_SHOWN])
    merge = (f"git merge {name}", COMMAND)
    if not paths:
        page.line(
            (f"work waits on {name}, and nothing of yours is in its way now: ", CARE), merge, indent=indent, hang=2
        )
        return
    names += f" and {len(paths) - PATHS_SHOWN} more" if len(paths) > PATHS_SHOWN else ""
    words = f"{names} in your tree {'are' if len(paths) > 1 else 'is'} in the way: work waits on {name}, and all later"
    page.line((f"{words} work goes there too", CARE), indent=indent, hang=2)
    page.line(("commit, stash or move away what is yours, then: ", QUIET), merge, indent=indent + 2, hang=2)


def lost_line(page: Page, items: list[str], indent: int = 0) -> None:
    """Work that landed, and that somebody has taken off its branch since."""
    names = ", ".join(f"#{one_line(item)}" for item in items[:PATHS_SHOWN])
    names += f" and {len(items) - PATHS_SHOWN} more" if len(items) > PATHS_SHOWN else ""
    words = f"{names} landed, and {'their' if len(items) > 1 else 'its'} branch does not have that work any more: "
    page.line((words, BAD), ("moot doctor", COMMAND), (" says how to bring it back", QUIET), indent=indent, hang=2)


def stopped(view: Pauses) -> None:
    """What keeps runs from beginning, after somebody has stopped or resumed the board."""
    page = Page()
    if not view.pauses:
        page.line(page.mark("done"), " ", ("The board goes on.", GOOD))
        page.line(("next: ", QUIET), ("moot run", COMMAND), (" puts agents on it", QUIET), indent=2)
    for pause in view.pauses:
        pause_lines(page, pause, indent=0)


def _who_acts(page: Page, flow: Flow, view: BoardView, known: Callable[[], list[Blocked]]) -> None:
    """Something could be done, and nobody does it: how agents are put on it, or why they cannot be."""
    ready = [item for item in view.items if item.status in READY and not is_proposed(item)]
    stopped = any(pause.what == STOPPED for pause in view.pauses)
    if not ready or stopped or not any(agent.run for agent in flow.agents.values()):
        return
    # Where others are at work, they may be started next; but no worker comes by itself that has another label.
    unsaid = {"held", "resting", "starts", *(("paused", "unable", "no_run") if view.runs else ())}
    held = [one for one in known() if one.why not in unsaid]
    puts = not view.runs and sum(len(one.items) for one in held) < len(ready)
    if puts or any(one.why != "paused" for one in held):
        page.blank()
    for one in held:
        if one.why == "unable":
            page.line((blocked_words(one), BAD), (": ", QUIET), ("moot check", COMMAND), indent=1, hang=2)
        elif one.why == "no_run":
            by_hand = (f"moot claim {one_line(one.agents[0])}", COMMAND)
            page.line((f"{blocked_words(one)}: ", QUIET), by_hand, indent=1, hang=2)
        elif one.why == "label":
            page.line((f"{blocked_words(one)}: ", CARE), (run_command(one.labels), COMMAND), indent=1, hang=2)
    if not puts:
        return
    page.line(("nobody is at work: ", QUIET), ("moot run", COMMAND), (" puts agents on it", QUIET), indent=1)


def _summary(page: Page, flow: Flow, items: Sequence[ItemSummary]) -> None:
    counts = {
        "at work": sum(item.status == "running" for item in items),
        "ready": sum(item.status in ("ready", "proving") and not is_proposed(item) for item in items),
        "proposed": sum(is_proposed(item) for item in items),
        "blocked": sum(item.status == "blocked" for item in items),
        "waiting": sum(item.status == "waiting" for item in items),
        "for you": sum(item.status in ASKING for item in items),
        "done": sum(item.status == "done" and is_own(item) for item in items),
    }
    told = " · ".join(f"{number} {word}" for word, number in counts.items() if number)
    page.line((one_line(flow.name), "bold"), (f"  {told}" if told else "", QUIET))


def is_own(item: ItemSummary) -> bool:
    """Is it an item in its own right, and not made to help another?"""
    return bool(item.kind in ("item", "task"))


def _empty(page: Page) -> None:
    page.blank()
    page.line("Nothing is on this board yet. Give it work:", indent=2)
    page.line(('moot add "Users can reset their password"', COMMAND), indent=4)
    page.line("or see what a board does, with scripted agents:", indent=2)
    page.line(("moot demo", COMMAND), indent=4)


def _questions(page: Page, questions: list[QuestionView]) -> None:
    if questions:
        page.blank()
    for question in questions:
        label = page.text((f"? {question.id}", CARE), (f" #{question.task_id}", "bold"))
        page.labelled(label, page.cut(page.text(one_line(question.question)), QUESTION_CELLS), indent=1)
        more = ", or in words" if question.options and question.takes == "words" else ""
        page.line((answer_command(question), COMMAND), (more, QUIET), indent=3)
    if questions:
        page.line(("all that is needed to decide: ", QUIET), ("moot inbox", COMMAND), indent=3)


def _foremost(page: Page, items: Sequence[ItemSummary]) -> Sequence[ItemSummary]:
    """As many as a screen has room for, in their order: first of all those on which something happens."""
    if page.is_whole or len(items) <= COLUMN_MAX:
        return items
    quiet = [item.status in ("ready", "waiting") for item in items]
    chosen = sorted(range(len(items)), key=lambda number: (quiet[number], number))[:COLUMN_MAX]
    return [items[number] for number in sorted(chosen)]


def _heading(page: Page, flow: Flow, name: str, items: Sequence[ItemSummary], width: int) -> None:
    column = flow.columns.get(name)
    passes_by_itself = column is not None and not column.agents and not column.human
    if passes_by_itself and not items:
        return
    watchers = ", ".join(column.agents) if column and column.agents else "you" if column and column.human else "nobody"
    gates = f", then {', '.join(column.gate)}" if column and column.gate else ""
    style = "bold" if items else QUIET
    page.line((one_line(name).ljust(width), style), "  ", (one_line(watchers + gates), QUIET), indent=1)


def _item(page: Page, item: ItemSummary, note: Text, ids: int) -> None:
    lead = page.text("   ", page.mark(item.status), " ", (f"#{item.id}".rjust(ids + 1), "bold"), "  ")
    title = page.text(one_line(item.title))
    if page.is_whole:
        page.row(lead, title, "  " if note else "", note)
        return
    room = page.width - lead.cell_len - (note.cell_len + 2 if note else 0)
    if note and room < min(TITLE_LEAST, title.cell_len):
        page.line(page.text(lead, page.cut(title, page.width - lead.cell_len)))
        page.line(note, indent=lead.cell_len)
        return
    page.line(page.text(lead, page.cut(title, max(room, 8)), "  " if note else "", note))


def note_on(page: Page, item: ItemSummary, asked: list[str], run: LiveRun | None = None, target: str = "") -> Text:
    """What else a glance should tell: who is on it, what it waits for, how often it failed."""
    notes: list[Part] = []
    if item.kind != "item":
        of = f" of #{item.parent}" if item.parent else ""
        notes.append((f"{KINDS.get(item.kind, item.kind)}{of}", QUIET))
    lands_on = f"#{item.parent}" if item.parent else target or "its branch"
    if item.status == "running" and run is not None:
        notes += _at_work(run, lands_on)
    elif item.status == "running" and item.taken:
        notes.append((f"taken by {one_line(item.taken)}", PERSON))
    elif item.status == "running":
        notes.append((f"{one_line(item.agent or item.watcher or 'somebody')} at work", AGENT))
    elif item.status == "proving" and item.watcher == LANDING:
        notes.append((f"waits to land on {one_line(lands_on)}", AGENT))
    elif is_proposed(item):
        notes.append(("proposed: people merge it", PERSON))
    elif item.status == "proving":
        notes.append((f"{one_line(item.watcher or 'a gate')} must show it", AGENT))
    elif item.status == "blocked":
        notes.append((f"blocked: {one_line(item.blocked_by)}", CARE))
    elif item.status == "waiting":
        more = f" and {len(item.waits_for) - 4} more" if len(item.waits_for) > 4 else ""
        notes.append((f"after {', '.join('#' + other for other in item.waits_for[:4])}{more}", QUIET))
    elif item.status in ASKING:
        notes.append((f"{ASKS[item.status]} {', '.join(asked)}".strip(), CARE))
    elif item.dispute_agents:
        notes.append((f"disputed by {one_line(item.dispute_agents[0])}, round {item.dispute_rounds}", CARE))
    if item.failure_count:
        notes.append((count(item.failure_count, "failure"), BAD))
    if item.pause is not None:
        notes.append((f"again in {lasting(item.pause)}", CARE))
    if item.priority in PRIORITIES:
        notes.append((item.priority, PRIORITIES[item.priority]))
    told = page.text()
    for note in notes:
        told.append_text(page.text((" · " if told else "", QUIET), note))
    return told


def _at_work(run: LiveRun, lands_on: str) -> list[Part]:
    """Who, with which model, since when; and whether a sandbox is around it."""
    since = f"since {when(run.started_at)}"
    if run.agent == LANDING:
        return [(f"is landing on {one_line(lands_on)} {since}", AGENT)]
    if run.person:
        return [(f"taken by {one_line(run.person)} {since}", PERSON)]
    model = f" with {one_line(run.model)}" if run.model else ""
    notes: list[Part] = [(f"{one_line(run.agent)} at work{model} {since}", AGENT), (short_run(run.run), QUIET)]
    return [*notes, ("not sandboxed", BAD)] if run.sandboxed is False else notes


def _ended(page: Page, items: Sequence[ItemSummary], width: int, ids: int) -> None:
    done = [item for item in items if item.status == "done" and is_own(item)]
    cancelled = [item for item in items if item.status == "cancelled"]
    page.line((END.ljust(width), "bold" if done else QUIET), (f"  {len(done)}", GOOD if done else QUIET), indent=1)
    for item in done[-LAST_DONE:]:
        quiet = replace(item, failure_count=0, priority="medium", pause=None)
        _item(page, quiet, note_on(page, quiet, []), ids)
    if len(done) > LAST_DONE:
        page.line((f"and {len(done) - LAST_DONE} more: ", QUIET), ("moot list --status done", COMMAND), indent=5)
    if cancelled:
        page.line((f"{'cancelled'.ljust(width)}  {len(cancelled)}", QUIET), indent=1)


def items(found: Sequence[ItemSummary], following: int | None, *, chosen: bool) -> None:
    """A line for each item; `chosen`: of some only, so that there may be others."""
    page = Page()
    if not found and chosen:
        page.line(("No item is like that.", QUIET), " All of them: ", ("moot list", COMMAND))
    elif not found:
        page.line(("Nothing is on this board yet.", QUIET), " Give it work: ", ('moot add "…"', COMMAND))
    numbers = max((len(item.id) for item in found), default=0) + 1
    columns = max((len(one_line(item.column)) for item in found), default=0)
    for item in found:
        lead = page.text(page.mark(item.status), " ", (f"#{item.id}".rjust(numbers), "bold"), "  ")
        lead.append_text(page.text((one_line(item.column).ljust(columns), QUIET), "  "))
        note = note_on(page, item, [])
        if not note and item.status not in ("running", "ready", item.column):
            note = page.text((item.status, QUIET))
        room = page.row_width - lead.cell_len - (note.cell_len + 2 if note else 0)
        title = page.text(one_line(item.title))
        # What a glance should tell is not lost behind a long title, where there is room for both.
        title = page.cut(title, room) if room >= TITLE_LEAST else title
        page.row(lead, title, "  " if note else "", note)
    if following is not None:
        page.line(("there are more: ", QUIET), (f"moot list --after {following}", COMMAND))
