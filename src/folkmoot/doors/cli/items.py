"""Adding items and looking at them."""

import click

from folkmoot.core.commands import AddItem
from folkmoot.core.item import PRIORITIES, STATUSES, TYPES
from folkmoot.doors.cli.session import NUMBER_MAX, Session, View, common, in_run, keyed, number_of, read_text
from folkmoot.errors import Invalid, MootError


@click.command("add")
@click.argument("title", required=False)
@click.option("--from", "source", metavar="FILE", help="Many items: YAML, JSON lines or a markdown list.")
@click.option("--body", metavar="FILE", help="A file with the details; - reads standard input.")
@click.option("--column", metavar="C", help="Where it begins; default: the flow's start.")
@click.option("--files", multiple=True, metavar="P", help="A path it will write; repeatable.")
@click.option("--after", multiple=True, metavar="ID", help="An item that must be done first; repeatable.")
@click.option("--parent", metavar="ID", help="The item this is a part of; it waits for this one.")
@click.option("--priority", type=click.Choice(PRIORITIES), default="medium", show_default=True)
@click.option("--tag", "tags", multiple=True, metavar="T", help="Repeatable.")
@click.option("--type", "kind", type=click.Choice(TYPES), default="feature", show_default=True)
@in_run
@keyed
@click.pass_obj
def add_command(
    session: Session,
    title: str | None,
    source: str | None,
    body: str | None,
    column: str | None,
    files: tuple[str, ...],
    after: tuple[str, ...],
    parent: str | None,
    priority: str,
    tags: tuple[str, ...],
    kind: str,
) -> None:
    """Add an item to the board, or many from a file.

    \b
    moot add "Users can reset their password"
    moot add "Ship it" --after 1 --after 2 --priority high
    moot add --from backlog.md
    """
    if (title is None) == (source is None):
        raise Invalid("bad_usage", "add needs a TITLE, or --from FILE, and not both", "see: moot add --help")
    command = AddItem(
        title=title or "",
        body=read_text(body) if body else "",
        column=column,
        type=kind,
        priority=priority,
        tags=list(tags),
        files=list(files),
        after=[number_of(item) for item in after],
        parent=number_of(parent) if parent else None,
    )
    if source is not None:
        _add_many(session, source, command)
        return
    view = session.board.engine.add(session.speaker(), command, session.key)

    def words() -> None:
        from folkmoot.doors.cli.say.item import added

        added(view)

    session.answer(view, words)


def _add_many(session: Session, source: str, defaults: AddItem) -> None:
    """Add what a file lists, each in a transaction of its own; with a key, each has its own under it."""
    from folkmoot.doors.cli.many import plan, read_many

    if defaults.body or defaults.files or defaults.after:
        raise Invalid("bad_usage", "--body, --files and --after belong to one item", "write them into the file")
    found = read_many(read_text(source), source)
    queries, engine, speaker = session.board.queries, session.board.engine, session.speaker()
    planned = plan(found, defaults, queries.flow(), source)
    for need in planned.outside():
        queries.show(need)
    views: list[View] = []
    known: dict[str, str] = {}
    for index, name in enumerate(planned.keys):
        key = f"{session.key}/{index + 1}" if session.key is not None else None
        try:
            view = engine.add(speaker, planned.command(index, known), key)
        except MootError as error:
            before = ", ".join(f"#{view['id']}" for view in views) or "none"
            error.message = f"item {index + 1} of {source}: {error.message}; added before it: {before}"
            raise
        views.append(view)
        if name:
            known[name] = view["id"]

    def words() -> None:
        from folkmoot.doors.cli.say.item import added_many

        added_many(views, found.ticked)

    session.answer({"items": views}, words)


@click.command("list")
@click.option("--column", metavar="C", help="Only what is in this column.")
@click.option("--tag", metavar="T", help="Only what has this tag.")
@click.option("--status", type=click.Choice(STATUSES), help="Only what is in this state.")
@click.option(
    "--after",
    type=click.IntRange(0, NUMBER_MAX),
    default=0,
    metavar="N",
    help="Items after this one: the cursor of the page before.",
)
@common
@click.pass_obj
def list_command(session: Session, column: str | None, tag: str | None, status: str | None, after: int) -> None:
    """List items, a line each.

    \b
    moot list --status ready
    moot list --column dev --json
    """
    view = session.board.queries.list(column=column, tag=tag, status=status, after=after)

    def words() -> None:
        from folkmoot.doors.cli.say.board import items

        items(view["items"], view["next"])

    session.answer(view, words)


@click.command("show")
@click.argument("item")
@common
@click.pass_obj
def show_command(session: Session, item: str) -> None:
    """Tell an item's story.

    Where it is and why, what happened, what was tried and said, what proves it, and what happens next.

    \b
    moot show 7
    moot show 7 --json
    """
    queries = session.board.queries
    view = queries.show(number_of(item))

    def words() -> None:
        from folkmoot.doors.cli.say.item import story
        from folkmoot.doors.cli.say.phases import numbered

        events: list[View] = []
        while page := queries.log(events[-1]["seq"] if events else 0, view["id"])["events"]:
            events += page
        flow = queries.flow()
        story(view, numbered(events, flow), flow, queries.pauses()["pauses"])

    session.answer(view, words)


@click.command("board")
@common
@click.pass_obj
def board_command(session: Session) -> None:
    """Show the board: every column and what is in it.

    Who works on what, with which model and since when; what is paused, until when and why; what waits to land.

    \b
    moot board
    watch --color moot board
    """
    queries = session.board.queries
    flow = queries.flow()
    items: list[View] = []
    following: int | None = 0
    while following is not None:
        page = queries.list(after=following)
        items += page["items"]
        following = page["next"]
    running = {item["id"] for item in items if item["status"] == "running"}
    view = {
        "flow": flow.name,
        "columns": list(flow.columns),
        "items": items,
        "next": None,
        "questions": queries.inbox()["questions"],
        # A run whose lease is over has ended, though nobody has written that down yet.
        "runs": [run for run in queries.live()["runs"] if run["item"] in running],
        "pauses": queries.pauses()["pauses"],
    }

    def words() -> None:
        from folkmoot.doors.cli.say.board import board

        board(view, flow)

    session.answer(view, words)
