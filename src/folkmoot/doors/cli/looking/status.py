"""`moot status`: how the board stands, in few lines."""

import click

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

    def words() -> None:
        from folkmoot.doors.cli.render.seen.status import status

        status(view, lost=[one.item for one in session.boards.lost(session.board)] if "done" in view.counts else [])

    session.answer(view, words)
