"""A board as one page that opens from disk: what its calls answer, gathered, cleaned of secrets and written down."""

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, json, to_builtins
from msgspec.structs import replace

from folkmoot.api.gauges import ReadFigures
from folkmoot.api.machine import Saved, SavedPage
from folkmoot.api.pages import BoardStatus, RunOutput
from folkmoot.api.requests import Measure, ReadLog, ReadOutput, ReadUsage, Show, ShowFlow, ShowStatus
from folkmoot.api.screen import BoardView, ShowBoard, ShowChange, ShowProspect, WhoAmI
from folkmoot.api.usage import By
from folkmoot.api.views import ItemView
from folkmoot.core.commands import ENGINE
from folkmoot.doors.web.saved import saved_page
from folkmoot.engine.access.shareable import shareable
from folkmoot.engine.loading import known_item
from folkmoot.engine.reads.metrics import family
from folkmoot.engine.reads.plots.replay import steps
from folkmoot.engine.reads.views import moment_text
from folkmoot.errors import MootError
from folkmoot.store.sqlite.backup import backup as backups
from folkmoot.worker.secrets.redactor import Known, Redactor

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

STORIES_MAX = 1000  # items that are told whole
EVENTS_MAX = 20_000
CHANGES_BYTES = 16_000_000
OUTPUT_BYTES = 8_000_000
SPAN = "90d"
BYS: tuple[By, ...] = ("item", "agent", "model", "pool", "day")


def save(board: "Application", file: str, item: str | None) -> Saved:
    if os.path.lexists(file):
        raise backups.exists(file)
    page = gathered(board, item)
    clean = Redactor(_known()).clean
    named = f"#{item} {page.answers['show'][item]['title']}" if item is not None else page.board
    text = saved_page(clean(named), json.encode(cleaned(to_builtins(page), clean)).decode())
    unfinished = f"{file}.{os.getpid()}-{os.urandom(4).hex()}.new"
    try:
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:
            out.write(text.encode())
        backups.give_name(unfinished, file)
    finally:
        if os.path.lexists(unfinished):
            os.unlink(unfinished)
    answers = page.answers
    return Saved(
        path=file,
        item=item,
        items=len(answers["show"]),
        events=len(answers["log"]),
        changes=len(answers["change"]),
        size=len(text.encode()),
        left_out=page.left_out,
    )


def gathered(board: "Application", item: str | None) -> SavedPage:
    ask, left_out = board.asked_by(ENGINE), list[str]()
    store = board.engine.store
    only = None if item is None else store.read(lambda reading: set(family(reading, known_item(reading, item))))
    view = ask(ShowBoard())
    view = view if only is None else _only(view, only)
    told = [one.id for one in view.items][-STORIES_MAX:]
    if len(told) < len(view.items):
        left_out.append(f"the stories of {len(view.items) - len(told)} older items: name one to have its own")
    way, more = store.read(lambda reading: steps(reading, only))
    if more:
        left_out.append("the end of the replay: the board has more steps than a page can hold")
    answers: dict[str, Any] = {
        "board": view,
        "flow": shareable(ask(ShowFlow())),
        "me": replace(ask(WhoAmI()), name="", role="observer"),
        "status": _standing(ask(ShowStatus()), view),
        "metrics": ask(Measure(item=item)),
        "figures": ask(ReadFigures(since=SPAN, item=item)),
        "usage": {by: ask(ReadUsage(by=by, since=SPAN, item=item)) for by in BYS},
        "show": {one: ask(Show(item=one)) for one in told},
        "log": _events(board, only, left_out),
        "change": _changes(board, told, left_out),
        "prospect": {one.id: ask(ShowProspect(item=one.id)) for one in view.items if one.id in told},
    }
    answers["output"] = _outputs(board, answers["show"].values(), left_out)
    return SavedPage(
        board=answers["me"].board,
        item=item,
        made_at=moment_text(board.engine.clock.wall()),
        version=board.version,
        answers=to_builtins(answers),
        steps=way,
        left_out=left_out,
    )


def _only(view: BoardView, items: set[str]) -> BoardView:
    return replace(
        view,
        items=[one for one in view.items if one.id in items],
        questions=[one for one in view.questions if one.task_id in items],
        runs=[one for one in view.runs if one.item in items],
        blocked=[],
        messages=[],
    )


def _standing(status: BoardStatus, view: BoardView) -> BoardStatus:
    return replace(status, runs=view.runs, questions=view.questions, blocked=view.blocked)


def _events(board: "Application", only: set[str] | None, left_out: list[str]) -> list[Any]:
    ask, found = board.asked_by(ENGINE), list[Any]()
    after = max(0, board.last() - EVENTS_MAX) if only is None else 0
    if after:
        left_out.append(f"the first {after} events of the log")
    for one in sorted(only or (), key=int) or (None,):
        cursor = after
        while page := ask(ReadLog(after=cursor, item=one)).events:
            found += page
            cursor = page[-1].seq
    return sorted(found, key=lambda event: event.seq)[-EVENTS_MAX:]


def _changes(board: "Application", items: Iterable[str], left_out: list[str]) -> dict[str, Any]:
    """The newest first, as far as there is room."""
    ask, found, room, lacking = board.asked_by(ENGINE), dict[str, Any](), CHANGES_BYTES, 0
    for one in sorted(items, key=int, reverse=True):
        try:
            change = ask(ShowChange(item=one))
        except MootError:  # it changed nothing, or what it changed is kept nowhere any more
            continue
        room -= len(change.diff)
        if room < 0:
            lacking += 1
        else:
            found[one] = change
    if lacking:
        left_out.append(f"the changes of {lacking} older items")
    return found


def _outputs(board: "Application", items: Iterable[ItemView], left_out: list[str]) -> dict[str, RunOutput]:
    """What runs printed, the newest items first, as far as there is room; as people read it, if a client is known."""
    ask, found, room, lacking = board.asked_by(ENGINE), dict[str, RunOutput](), OUTPUT_BYTES, 0
    for run in [run.run for item in sorted(items, key=lambda one: -int(one.id)) for run in reversed(item.runs)]:
        try:
            printed = ask(ReadOutput(run=run, said=True))
        except MootError:  # it printed nothing, or what it printed is kept no longer
            continue
        room -= sum(len(part.text) for part in printed.parts)
        if room < 0:
            lacking += 1
        else:
            found[run] = printed if printed.said is UNSET else replace(printed, parts=[])
    if lacking:
        left_out.append(f"what {lacking} older runs printed")
    return found


def _known() -> Known:
    known = Known()
    known.add_environment(os.environ)
    return known


def cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    """Every text in it without secrets, keys too."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): cleaned(one, clean) for key, one in value.items()}
    return [cleaned(one, clean) for one in value] if isinstance(value, list) else value
