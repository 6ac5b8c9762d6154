"""`moot status`: how the board stands, in few lines."""

import click
from msgspec.structs import replace

from folkmoot.api.requests import ShowStatus
from folkmoot.doors.cli.session import Session, common


@click.command("status")
@common
@click.pass_obj
def status_command(session: Session) -> None:
    """Say in few lines what moves and who needs you.

    And what is paused, what waits for what, and what today cost. `moot board` shows every item.

    \b
    Examples:
      moot status
      moot status --json
      watch --color moot status

    See also: moot board, moot inbox, moot list.
    """
    view = session.ask(ShowStatus())
    if "done" in view.counts:
        view = replace(view, lost=session.boards.lost(session.board))

    def words() -> None:
        from folkmoot.doors.cli.render.seen.status import status

        status(view)

    session.answer(view, words)
