"""`moot diff`: all that an item has changed."""

import click

from folkmoot.api.screen import ShowChange
from folkmoot.doors.cli.session import Session, common, number_of


@click.command("diff")
@click.argument("item")
@click.option("--stat", is_flag=True, help="Only which files, and how many lines.")
@click.option("--run", "run", metavar="RUN", help="Only what this run of the item changed.")
@click.option("--base", "base", metavar="COMMIT", help="Only what came since this commit of the item.")
@common
@click.pass_obj
def diff_command(session: Session, item: str, stat: bool, run: str | None, base: str | None) -> None:
    """Show all that an item has changed, landed or not. Exit 3 if that is nothing.

    It is compared with where its work began: the branch it is for, as that was. A place that holds a secret is marked.

    \b
    Examples:
      moot diff 7
      moot diff 7 --stat
      moot diff 7 --run r3f9a2c41b7d0
      moot diff 7 | git apply

    Exit codes: 2 if there is no such item, run or commit, 3 if it has changed nothing.

    See also: moot show, moot output, moot salvage.
    """
    view = session.ask(ShowChange(item=number_of(item), run=run, base=base))

    def words() -> None:
        from folkmoot.doors.cli.render.seen.diff import change

        change(view, stat=stat)

    session.answer(view, words)
