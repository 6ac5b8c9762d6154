"""Many items: the board in the order of its flow, and lists."""

from typing import Any

from rich.text import Text

from folkmoot.core.flow import END, Flow
from folkmoot.core.item import ASKING, ENDED
from folkmoot.doors.cli.say.page import AGENT, BAD, CARE, COMMAND, GOOD, QUIET, Page, Part, count, one_line
from folkmoot.doors.cli.say.talk import answer_command

View = dict[str, Any]
LAST_DONE = 5
QUESTION_CELLS = 160  # of a question on the board; all of it is in the inbox
TITLE_LEAST = 24  # where less is left beside the note, it goes below
KINDS = {"sub": "sub-agent", "dispatch": "dispatched"}
ASKS = {"needs-human-review": "dispute", "awaiting-divine-guidance": "asks", "parked": "parked"}


def board(flow: Flow, items: list[View], questions: list[View], page: Page | None = None) -> None:
    """Every column in the order of the flow; those off the flow only if something is in them."""
    page = page or Page()
    _summary(page, flow, items)
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
        _column(page, flow, name, by_column.get(name, []), asked, min(width, 30))
    _ended(page, items)


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


def _column(page: Page, flow: Flow, name: str, items: list[View], asked: dict[str, list[str]], width: int) -> None:
    column = flow.columns.get(name)
    passes_by_itself = column is not None and not column.agents and not column.human
    if passes_by_itself and not items:
        return
    watchers = ", ".join(column.agents) if column and column.agents else "you" if column and column.human else "nobody"
    gates = f", then {', '.join(column.gate)}" if column and column.gate else ""
    style = "bold" if items else QUIET
    page.line((one_line(name).ljust(width), style), "  ", (one_line(watchers + gates), QUIET), indent=1)
    for item in items:
        _item(page, item, asked.get(item["id"], []))


def _item(page: Page, item: View, asked: list[str]) -> None:
    lead = page.text("   ", page.mark(item["status"]), " ", (f"#{item['id']}", "bold"), "  ")
    title, note = page.text(one_line(item["title"])), note_on(page, item, asked)
    room = page.width - lead.cell_len - (note.cell_len + 2 if note else 0)
    if note and room < min(TITLE_LEAST, title.cell_len):
        page.line(page.text(lead, page.cut(title, page.width - lead.cell_len)))
        page.line(note, indent=lead.cell_len)
        return
    page.line(page.text(lead, page.cut(title, max(room, 8)), "  " if note else "", note))


def note_on(page: Page, item: View, asked: list[str]) -> Text:
    """What else a glance should tell: who is on it, what it waits for, how often it failed."""
    notes: list[Part] = []
    if item["kind"] != "item":
        of = f" of #{item['parent']}" if item["parent"] else ""
        notes.append((f"{KINDS.get(item['kind'], item['kind'])}{of}", QUIET))
    if item["status"] == "running":
        notes.append((f"{one_line(item['agent'] or item['watcher'] or 'somebody')} at work", AGENT))
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


def _ended(page: Page, items: list[View]) -> None:
    done = [item for item in items if item["status"] == "done" and is_own(item)]
    cancelled = [item for item in items if item["status"] == "cancelled"]
    page.line(("done", "bold" if done else QUIET), (f"  {len(done)}", GOOD if done else QUIET), indent=1)
    for item in done[-LAST_DONE:]:
        _item(page, item | {"failure_count": 0, "priority": "medium", "pause": None}, [])
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
