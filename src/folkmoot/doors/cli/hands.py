"""A person's hands on the board."""

import click
from msgspec import UNSET

from folkmoot.core import commands
from folkmoot.core.item import PRIORITIES, TYPES
from folkmoot.doors.cli.session import NUMBER_MAX, Session, View, keyed, number_of, read_text


def _say(session: Session, view: View, done: str) -> None:
    def words() -> None:
        from folkmoot.doors.cli.say.item import changed

        changed(view, done)

    session.answer(view, words)


@click.command("move")
@click.argument("item")
@click.argument("column")
@click.option("--why", default="", metavar="T", help="The reason; agents see it.")
@keyed
@click.pass_obj
def move_command(session: Session, item: str, column: str, why: str) -> None:
    """Move an item by hand.

    This is guidance: its counters begin again, its run and its questions end.

    \b
    moot move 7 dev --why "The story is clear enough"
    """
    command = commands.MoveItem(column=column, why=why)
    view = session.board.engine.on_item(session.speaker(), number_of(item), command, session.key)
    _say(session, view, "moved")


@click.command("edit")
@click.argument("item")
@click.option("--title", metavar="T", help="A new title.")
@click.option("--body", metavar="FILE", help="A file with the details; - reads standard input.")
@click.option("--priority", type=click.Choice(PRIORITIES))
@click.option("--type", "kind", type=click.Choice(TYPES))
@click.option("--tag", "tags", multiple=True, metavar="T", help="All tags anew; repeatable.")
@click.option("--files", multiple=True, metavar="P", help="All paths anew; repeatable.")
@click.option("--after", multiple=True, metavar="ID", help="All items it waits for, anew; repeatable; - for none.")
@click.option("--overrule", type=click.IntRange(1, NUMBER_MAX), metavar="N", help="Turn round attempt N's verdict.")
@keyed
@click.pass_obj
def edit_command(
    session: Session,
    item: str,
    title: str | None,
    body: str | None,
    priority: str | None,
    kind: str | None,
    tags: tuple[str, ...],
    files: tuple[str, ...],
    after: tuple[str, ...],
    overrule: int | None,
) -> None:
    """Change what an item says or waits for.

    \b
    moot edit 7 --priority high --after 3
    moot edit 7 --overrule 2
    """
    command = commands.EditItem(
        title=UNSET if title is None else title,
        body=UNSET if body is None else read_text(body),
        priority=UNSET if priority is None else priority,
        type=UNSET if kind is None else kind,
        tags=list(tags) if tags else UNSET,
        files=list(files) if files else UNSET,
        after=[number_of(other) for other in after if other != "-"] if after else UNSET,
        overrule=UNSET if overrule is None else overrule,
    )
    view = session.board.engine.on_item(session.speaker(), number_of(item), command, session.key)
    _say(session, view, "edited")


@click.command("cancel")
@click.argument("item")
@click.option("--why", default="", metavar="T", help="The reason; agents see it.")
@keyed
@click.pass_obj
def cancel_command(session: Session, item: str, why: str) -> None:
    """Cancel an item. What waits for it asks you what to do.

    \b
    moot cancel 7 --why "Nobody needs it any more"
    """
    view = session.board.engine.on_item(session.speaker(), number_of(item), commands.CancelItem(why=why), session.key)
    _say(session, view, "cancelled")


@click.command("reopen")
@click.argument("item")
@click.option("--why", default="", metavar="T", help="The reason; agents see it.")
@keyed
@click.pass_obj
def reopen_command(session: Session, item: str, why: str) -> None:
    """Open a done or cancelled item again.

    It goes to the stage that made the work.

    \b
    moot reopen 7 --why "The link still works after an hour"
    """
    view = session.board.engine.on_item(session.speaker(), number_of(item), commands.ReopenItem(why=why), session.key)
    _say(session, view, "reopened")
