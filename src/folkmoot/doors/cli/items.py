"""Adding items and looking at them."""

from typing import TYPE_CHECKING

import click
from msgspec import UNSET
from msgspec.structs import asdict, replace

from folkmoot.api.pages import AddedItems
from folkmoot.api.requests import Add, ListItems, ListPauses, Measure, ReadLog, Show, ShowBlocked, ShowFlow
from folkmoot.api.screen import ShowBoard
from folkmoot.core.commands import AddItem
from folkmoot.core.enums import PRIORITIES, STATUSES, TYPES
from folkmoot.doors.cli import render
from folkmoot.doors.cli.session import (
    Number,
    Session,
    body_text,
    common,
    in_run,
    keyed,
    labels_in,
    number_of,
    read_text,
)
from folkmoot.errors import Invalid

if TYPE_CHECKING:
    from folkmoot.api.views import Blocked, EventView
    from folkmoot.core.flow import Flow


@click.command("add")
@click.argument("title", required=False)
@click.option("--from", "source", metavar="FILE", help="Many items: a list, or TOOL:PATH of another tool.")
@click.option("--body", metavar="TEXT", help="The details, in words.")
@click.option("--body-file", metavar="FILE", help="A file with the details; - reads standard input.")
@click.option("--column", metavar="C", help="Where it begins; default: the flow's start.")
@click.option("--files", multiple=True, metavar="P", help="A path it will write; repeatable.")
@click.option("--after", multiple=True, metavar="ID", help="An item that must be done first; repeatable.")
@click.option("--parent", metavar="ID", help="The item this is a part of; it waits for this one.")
@click.option(
    "--priority", type=click.Choice(PRIORITIES), default="medium", show_default=True, help="What is taken first."
)
@click.option("--tag", "tags", multiple=True, metavar="T", help="A word to find it by; repeatable.")
@click.option("--needs", multiple=True, metavar="L", help="A label its worker must have: gpu, macos; repeatable.")
@click.option(
    "--type", "kind", type=click.Choice(TYPES), default="feature", show_default=True, help="What kind of work."
)
@click.option("--parked", is_flag=True, help="Nobody works on it before you say so.")
@click.option("--label", metavar="L", help="With github:OWNER/NAME or gitlab:…: the open issues that have it.")
@click.option("--start", is_flag=True, help="With another tool's list: what can begin may.")
@in_run
@keyed
@click.pass_obj
def add_command(
    session: Session,
    title: str | None,
    source: str | None,
    body: str | None,
    body_file: str | None,
    column: str | None,
    files: tuple[str, ...],
    after: tuple[str, ...],
    parent: str | None,
    priority: str,
    tags: tuple[str, ...],
    needs: tuple[str, ...],
    kind: str,
    parked: bool,
    label: str | None,
    start: bool,
) -> None:
    """Add an item to the board, or many from a file.

    An item is one thing to be done: agents take it from column to column. It begins in the flow's first column, and
    waits where --after names others that are not done. --files says what it will write, so that no two agents write
    the same file at once.

    --from takes a YAML list, JSON lines or a markdown list; or what another tool keeps, as backlog:FOLDER (Markdown
    with front matter, as Backlog.md has it), beads:FILE or task-master:FILE; or issues, as github:OWNER/NAME#12, or
    github:OWNER/NAME with --label, or the same with gitlab:. Of such a list nothing begins by itself but with --start,
    and what was brought in before is not added again.

    \b
    Examples:
      moot add "Users can reset their password"
      moot add "Ship it" --after 1 --after 2 --priority high
      moot add "Reset by mail" --files src/auth/ --needs macos
      moot add --from backlog.md

    Exit codes: 2 if a column, an item or the file is not known.

    See also: moot edit, moot list, moot board.
    """
    _check_one(title, source)
    command = AddItem(
        title=title or "",
        body=body_text(body, body_file) or "",
        column=column,
        type=kind,
        priority=priority,
        tags=list(tags),
        needs=labels_in(needs),
        files=list(files),
        after=[number_of(item) for item in after],
        parent=number_of(parent) if parent else None,
        parked=True if parked else UNSET,
    )
    if source is not None and _is_imported(session, source, command, start, label):
        return
    _check_own(start, label)
    if source is not None:
        return _add_many(session, source, command)
    _add_one(session, command)


def _add_one(session: Session, command: AddItem) -> None:
    view = session.ask(Add(**asdict(command)))
    session.answer(view, lambda: render.item.added(view))


def _check_one(title: str | None, source: str | None) -> None:
    if (title is None) == (source is None):
        raise Invalid("bad_usage", "add needs a TITLE, or --from FILE, and not both", "see: moot add --help")


def _check_own(start: bool, label: str | None) -> None:
    if start or label is not None:
        raise Invalid("bad_usage", "--start and --label belong to the list of another tool", "leave them out")


def _is_imported(session: Session, source: str, given: AddItem, start: bool, label: str | None) -> bool:
    """Bring in what another tool keeps, if that is what is named."""
    from folkmoot.doors.cli.render.seen.brought_in import brought_in
    from folkmoot.doors.importing.adding import add_found, named, read
    from folkmoot.doors.importing.issues import listed, place_of

    issues = place_of(source)
    place = named(source) if issues is None else None
    if label is not None and (issues is None or issues.number is not None):
        raise Invalid("bad_usage", "--label goes with a repository", "see: moot add --from github:OWNER/NAME --label L")
    if issues is None and place is None:
        return False
    if given != AddItem(title="", column=given.column, parked=given.parked) or session.key is not None:
        words = "of another tool's list each item has its own words and its own key"
        raise Invalid("bad_usage", words, "leave all options but --column, --parked and --start out")
    if start and given.parked is True:
        raise Invalid("bad_usage", "--parked and --start say opposite things", "leave one of them out")
    if issues is not None:
        found = listed(issues.forge, source, session.boards.issues(session.board, issues, label))
    else:
        found = read(*(place or ("", "")))
    view = add_found(session.ask, found, start=start, column=given.column)
    session.answer(view, lambda: brought_in(view, found.tool))
    return True


def _add_many(session: Session, source: str, defaults: AddItem) -> None:
    """Add what a file lists."""
    from folkmoot.doors.bulk_add import add_all, plan, read_many

    if defaults.body or defaults.files or defaults.after:
        raise Invalid("bad_usage", "--body, --files and --after belong to one item", "write them into the file")
    found = read_many(read_text(source), source)
    planned = plan(found, defaults, session.ask(ShowFlow()), source)
    views = add_all(session.ask, planned, session.key, source)
    session.answer(AddedItems(items=views), lambda: render.item.added_many(views, found.ticked))


@click.command("list")
@click.option("--column", metavar="C", help="Only what is in this column.")
@click.option("--tag", metavar="T", help="Only what has this tag.")
@click.option("--status", type=click.Choice(STATUSES), metavar="S", help=f"Only what is {', '.join(STATUSES)}.")
@click.option("--open", "is_open", is_flag=True, help="Only what is not done, cancelled or failed.")
@click.option(
    "--after",
    type=Number(0),
    default=0,
    metavar="N",
    help="Items after this one: the next page.",
)
@common
@click.pass_obj
def list_command(
    session: Session, column: str | None, tag: str | None, status: str | None, is_open: bool, after: int
) -> None:
    """List items, a line each.

    For a look at some of them, and for scripts: in a pipe no line is cut.

    \b
    Examples:
      moot list --open
      moot list --status ready --column dev
      moot list --tag auth --json

    See also: moot board, moot show.
    """
    view = session.ask(ListItems(column=column, tag=tag, status=status, open=is_open, after=after))
    if not view.items:
        from folkmoot.doors.cli.completion.nearest import known_column

        known_column(column, session.ask(ShowFlow()))
    session.answer(
        view,
        lambda: render.board.items(view.items, view.next, chosen=bool(column or tag or status or is_open or after)),
    )


@click.command("show")
@click.argument("item")
@common
@click.pass_obj
def show_command(session: Session, item: str) -> None:
    """Tell an item's story.

    Where it is and why, what happened, what was tried and said, what proves it, and what happens next.

    \b
    Examples:
      moot show 7
      moot show 7 --json

    See also: moot log, moot comments, moot output.
    """
    ask = session.ask
    view = ask(Show(item=number_of(item)))

    def words() -> None:
        from folkmoot.doors.cli.render.item import story
        from folkmoot.doors.cli.render.phases import numbered
        from folkmoot.doors.cli.render.progress.blocked_reasons import Beside

        events: list[EventView] = []
        while page := ask(ReadLog(after=events[-1].seq if events else 0, item=view.id)).events:
            events += page
        flow = ask(ShowFlow())
        aside = session.boards.unmerged_branch(session.board) if view.landed else None
        cut_off = [run for run in view.runs if run.ended_at and run.end != "reported" and not run.ref]
        beside = Beside(
            pauses=ask(ListPauses()).pauses,
            kept=session.boards.kept(session.board, [run.run for run in cut_off]),
            aside=aside,
            in_the_way=session.boards.in_the_way(session.board) if aside else [],
            measured=ask(Measure(item=view.id)),
            lost=next(iter(session.boards.lost(session.board, view)), None),
        )
        story(view, numbered(events, flow), flow, beside)

    session.answer(view, words)


def _held(session: Session, flow: "Flow") -> "list[Blocked]":
    """What begins no run; which agents cannot be started is told by this machine."""
    return session.ask(ShowBlocked(unable=session.boards.unable(session.board, flow))).blocked


@click.command("board")
@click.option("--live", is_flag=True, help="Stay on the screen, and follow what happens; q ends it.")
@common
@click.pass_obj
def board_command(session: Session, live: bool) -> None:
    """Show the board: every column and what is in it.

    Who works on what, with which model and since when; what is paused, until when and why; what waits to land; and
    what agents ask you. With --live it stays on the screen and is drawn anew when something happens; a number answers
    the question that stands first, `a` lets you answer it in words, q or Ctrl-C ends it.

    \b
    Examples:
      moot board
      moot board --live
      moot board --json

    See also: moot show, moot inbox, moot list.
    """
    if live:
        from folkmoot.doors.cli.looking.live import live_board

        live_board(session)
        return
    ask = session.ask
    flow, view = ask(ShowFlow()), ask(ShowBoard())
    if any(item.status == "done" for item in view.items):
        aside = session.boards.unmerged_branch(session.board)
        lost = [one.item for one in session.boards.lost(session.board)]
        view = replace(
            view, aside=aside, lost=lost, in_the_way=session.boards.in_the_way(session.board) if aside else []
        )
    session.answer(view, lambda: render.board.board(view, flow, held=lambda: _held(session, flow)))
