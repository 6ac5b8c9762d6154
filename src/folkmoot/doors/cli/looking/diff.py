"""`moot diff`: all that an item has changed."""

import click

from folkmoot.doors.cli.session import Session, common, number_of


@click.command("diff")
@click.argument("item")
@click.option("--stat", is_flag=True, help="Only which files, and how many lines.")
@common
@click.pass_obj
def diff_command(session: Session, item: str, stat: bool) -> None:
    """Show all that an item has changed, landed or not. Exit 3 if that is nothing.

    It is compared with where its work began: the branch it is for, as that was. The change of one run alone:
    `moot output RUN --diff`.

    \b
    Examples:
      moot diff 7
      moot diff 7 --stat
      moot diff 7 | git apply

    Exit codes: 2 if there is no such item, 3 if it has changed nothing.

    See also: moot show, moot output, moot salvage.
    """
    view = session.boards.change(session.board, number_of(item))

    def words() -> None:
        from folkmoot.doors.cli.render.seen.diff import change

        change(view, stat=stat)

    session.answer(view, words)
