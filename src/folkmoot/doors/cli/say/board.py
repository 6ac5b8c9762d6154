"""Many items: the board in the order of its flow, and lists."""

from typing import Any

from rich.text import Text

from folkmoot.core.flow import END, LANDING, Flow
from folkmoot.core.item import ASKING, ENDED
from folkmoot.doors.cli.say.page import (
    AGENT,
    BAD,
    CARE,
    COMMAND,
    GOOD,
    QUIET,
    Page,
    Part,
    count,
    day_of,
    one_line,
    time_of,
)
from folkmoot.doors.cli.say.talk import answer_command

View = dict[str, Any]
LAST_DONE = 5
QUESTION_CELLS = 160  # of a question on the board; all of it is in the inbox
TITLE_LEAST = 24  # where less is left beside the note, it goes below
KINDS = {"sub": "sub-agent", "dispatch": "dispatched"}
ASKS = {"needs-human-review": "dispute", "awaiting-divine-guidance": "asks", "parked": "parked"}
STOPPED, DAY, POOL = "all", "day", "pool:"  # what a pause is of


def board(view: View, flow: Flow, page: Page | None = None) -> None:
    """Every column in the order of the flow; those off the flow only if something is in them."""
    page = page or Page()
    items, questions = view["items"], view["questions"]
    runs = {run["item"]: run for run in view["runs"]}
    _summary(page, flow, items)
    if view["pauses"]:
        page.blank()
    for pause in view["pauses"]:
        pause_lines(page, pause, indent=1)
    if not items:
        _empty(page)
        return
    _questions(page, questions)
    by_column: dict[str, list[View]] = {}
    for item in items:
        if item["status"] not in ENDED:
            by_column.setdefault(item["column"], []).append(item)
    asked: dict[str, list[str]] = {}
    for question in questions:
        asked.setdefault(question["task_id"], []).append(question["id"])
    page.blank()
    stages = [name for name in flow.stages() if name != END]
    others = [name for name in by_column if name not in stages]
    width = max(len(name) for name in stages)
    for name in [*stages, *sorted(others)]:
        _heading(page, flow, name, by_column.get(name, []), min(width, 30))
        for item in by_column.get(name, []):
            note = note_on(page, item, asked.get(item["id"], []), runs.get(item["id"]), flow.target)
            _item(page, item, note)
    _ended(page, items)
    _who_acts(page, flow, view)


def pause_lines(page: Page, pause: View, indent: int) -> None:
    """What begins no runs now, why, until when, and how to end it."""
    what, until = pause["what"], pause["until"]
    names = {STOPPED: "the board is stopped", DAY: "no agent begins"}
    words = names.get(what) or f"{what.removeprefix(POOL)} has no quota"
    by = f" by {pause['by']}" if what == STOPPED else ""
    end = f" until {_moment(until, pause['since'])}" if until else f" since {time_of(pause['since'])}{by}"
    why = f": {one_line(pause['why'])}" if pause["why"] else ""
    label = page.text(("!" if page.ascii else "■", CARE))
    page.labelled(label, (one_line(words) + end, CARE), why, indent=indent, gap=1)
    hint: list[Part] = [("no run begins; those at work may finish; go on: ", QUIET), ("moot go", COMMAND)]
    if what == DAY:
        hint = [("a larger `budget` in the flow, or go on today: ", QUIET), ("moot go", COMMAND)]
    elif what != STOPPED:
        hint = [("then it goes on by itself; or try now: ", QUIET), ("moot go", COMMAND)]
    page.line(*hint, indent=indent + 2)


def _moment(timestamp: str, since: str) -> str:
    """The time of day, with the day where that is another."""
    same = day_of(timestamp) == day_of(since)
    return time_of(timestamp) if same else f"{day_of(timestamp)} {time_of(timestamp)}"


def _who_acts(page: Page, flow: Flow, view: View) -> None:
    """Something could be done, and nobody does it: how agents are put on it."""
    waits = any(item["status"] in ("ready", "proving") for item in view["items"])
    stopped = any(pause["what"] == STOPPED for pause in view["pauses"])
    if not waits or stopped or view["runs"] or not any(agent.run for agent in flow.agents.values()):
        return
    page.blank()
    page.line(("nobody is at work: ", QUIET), ("moot run", COMMAND), (" puts agents on it", QUIET), indent=1)


def _summary(page: Page, flow: Flow, items: list[View]) -> None:
    counts = {
        "at work": sum(item["status"] == "running" for item in items),
        "ready": sum(item["status"] in ("ready", "proving") for item in items),
        "blocked": sum(item["status"] == "blocked" for item in items),
        "waiting": sum(item["status"] == "waiting" for item in items),
        "for you": sum(item["status"] in ASKING for item in items),
        "done": sum(item["status"] == "done" and is_own(item) for item in items),
    }
    told = " · ".join(f"{number} {word}" for word, number in counts.items() if number)
    page.line((one_line(flow.name), "bold"), (f"  {told}" if told else "", QUIET))


def is_own(item: View) -> bool:
    """Is it an item in its own right, and not made to help another?"""
    return bool(item["kind"] in ("item", "task"))


def _empty(page: Page) -> None:
    page.blank()
    page.line("Nothing is on this board yet. Give it work:", indent=2)
    page.line(('moot add "Users can reset their password"', COMMAND), indent=4)
    page.line("or see what a board does, with scripted agents:", indent=2)
    page.line(("moot demo", COMMAND), indent=4)


def _questions(page: Page, questions: list[View]) -> None:
    if questions:
        page.blank()
    for question in questions:
        label = page.text((f"? {question['id']}", CARE), (f" #{question['task_id']}", "bold"))
        page.labelled(label, page.cut(page.text(one_line(question["question"])), QUESTION_CELLS), indent=1)
        more = ", or in words" if question["options"] else ""
        page.line((answer_command(question), COMMAND), (more, QUIET), indent=3)
    if questions:
        page.line(("all that is needed to decide: ", QUIET), ("moot inbox", COMMAND), indent=3)


def _heading(page: Page, flow: Flow, name: str, items: list[View], width: int) -> None:
    column = flow.columns.get(name)
    passes_by_itself = column is not None and not column.agents and not column.human
    if passes_by_itself and not items:
        return
    watchers = ", ".join(column.agents) if column and column.agents else "you" if column and column.human else "nobody"
    gates = f", then {', '.join(column.gate)}" if column and column.gate else ""
    style = "bold" if items else QUIET
    page.line((one_line(name).ljust(width), style), "  ", (one_line(watchers + gates), QUIET), indent=1)


def _item(page: Page, item: View, note: Text) -> None:
    lead = page.text("   ", page.mark(item["status"]), " ", (f"#{item['id']}", "bold"), "  ")
    title = page.text(one_line(item["title"]))
    room = page.width - lead.cell_len - (note.cell_len + 2 if note else 0)
    if note and room < min(TITLE_LEAST, title.cell_len):
        page.line(page.text(lead, page.cut(title, page.width - lead.cell_len)))
        page.line(note, indent=lead.cell_len)
        return
    page.line(page.text(lead, page.cut(title, max(room, 8)), "  " if note else "", note))


def note_on(page: Page, item: View, asked: list[str], run: View | None = None, target: str = "") -> Text:
    """What else a glance should tell: who is on it, what it waits for, how often it failed."""
    notes: list[Part] = []
    if item["kind"] != "item":
        of = f" of #{item['parent']}" if item["parent"] else ""
        notes.append((f"{KINDS.get(item['kind'], item['kind'])}{of}", QUIET))
    lands_on = f"#{item['parent']}" if item["parent"] else target or "its branch"
    if item["status"] == "running" and run is not None:
        notes += _at_work(run, lands_on)
    elif item["status"] == "running":
        notes.append((f"{one_line(item['agent'] or item['watcher'] or 'somebody')} at work", AGENT))
    elif item["status"] == "proving" and item["watcher"] == LANDING:
        notes.append((f"waits to land on {one_line(lands_on)}", AGENT))
    elif item["status"] == "proving":
        notes.append((f"{one_line(item['watcher'] or 'a gate')} must show it", AGENT))
    elif item["status"] == "blocked":
        notes.append((f"blocked: {one_line(item['blocked_by'])}", CARE))
    elif item["status"] == "waiting":
        more = f" and {len(item['waits_for']) - 4} more" if len(item["waits_for"]) > 4 else ""
        notes.append((f"after {', '.join('#' + other for other in item['waits_for'][:4])}{more}", QUIET))
    elif item["status"] in ASKING:
        notes.append((f"{ASKS[item['status']]} {', '.join(asked)}".strip(), CARE))
    elif item["dispute_agents"]:
        notes.append((f"disputed by {one_line(item['dispute_agents'][0])}, round {item['dispute_rounds']}", CARE))
    if item["failure_count"]:
        notes.append((count(item["failure_count"], "failure"), BAD))
    if item["pause"] is not None:
        notes.append((f"again in {item['pause']:.0f}s", CARE))
    if item["priority"] in ("critical", "high"):
        notes.append((item["priority"], CARE))
    told = page.text()
    for note in notes:
        told.append_text(page.text((" · " if told else "", QUIET), note))
    return told


def _at_work(run: View, lands_on: str) -> list[Part]:
    """Who, with which model, since when; and whether a sandbox is around it."""
    since = f"since {time_of(run['started_at'])}"
    if run["agent"] == LANDING:
        return [(f"is landing on {one_line(lands_on)} {since}", AGENT)]
    model = f" with {one_line(run['model'])}" if run["model"] else ""
    notes: list[Part] = [(f"{one_line(run['agent'])} at work{model} {since}", AGENT)]
    return [*notes, ("not sandboxed", BAD)] if run["sandboxed"] is False else notes


def _ended(page: Page, items: list[View]) -> None:
    done = [item for item in items if item["status"] == "done" and is_own(item)]
    cancelled = [item for item in items if item["status"] == "cancelled"]
    page.line(("done", "bold" if done else QUIET), (f"  {len(done)}", GOOD if done else QUIET), indent=1)
    for item in done[-LAST_DONE:]:
        quiet = item | {"failure_count": 0, "priority": "medium", "pause": None}
        _item(page, quiet, note_on(page, quiet, []))
    if len(done) > LAST_DONE:
        page.line((f"and {len(done) - LAST_DONE} more: ", QUIET), ("moot list --status done", COMMAND), indent=5)
    if cancelled:
        page.line((f"cancelled  {len(cancelled)}", QUIET), indent=1)


def items(found: list[View], following: int | None) -> None:
    """A line for each item."""
    page = Page()
    if not found:
        page.line(("No item is like that.", QUIET), " ", ("moot list", COMMAND))
        return
    numbers = max(len(item["id"]) for item in found) + 1
    columns = max(len(one_line(item["column"])) for item in found)
    for item in found:
        note = note_on(page, item, [])
        status = "" if item["status"] in ("running", "ready") else item["status"]
        page.row(
            page.mark(item["status"]),
            " ",
            (f"#{item['id']}".rjust(numbers), "bold"),
            "  ",
            (one_line(item["column"]).ljust(columns), QUIET),
            "  ",
            one_line(item["title"]),
            "  " if note or status else "",
            (status if status and not note else "", QUIET),
            note,
        )
    if following is not None:
        page.line(("there are more: ", QUIET), (f"moot list --after {following}", COMMAND))
