"""What happened, and whether the board is sound."""

import sys

import click

from folkmoot.doors.cli.session import NUMBER_MAX, Session, View, common, number_of
from folkmoot.errors import Invalid, Unavailable

FOLLOW_SECONDS = 1.0


@click.command("log")
@click.argument("item", required=False)
@click.option(
    "--after", type=click.IntRange(0, NUMBER_MAX), default=0, metavar="SEQ", help="Only events after this one."
)
@click.option("--limit", type=click.IntRange(1, 10_000), default=1000, show_default=True, help="At most this many.")
@click.option("--follow", is_flag=True, help="Go on showing what happens, until Ctrl-C.")
@common
@click.pass_obj
def log_command(session: Session, item: str | None, after: int, limit: int, follow: bool) -> None:
    """Show the log, of an item or of the whole board.

    \b
    moot log
    moot log --follow
    moot log 7 --after 120 --json
    """
    if follow and session.json:
        raise Invalid(
            "bad_usage", "--follow has no end, and --json is one document", "repeat: moot log --after SEQ --json"
        )
    wanted = number_of(item) if item else None
    view = session.board.queries.log(after, wanted, limit)
    session.answer(view, lambda: _show(view))
    while follow:
        sys.stdout.flush()
        session.boards.pause(FOLLOW_SECONDS)
        view = session.board.queries.log(view["next"], wanted, limit)
        if view["events"]:
            _show(view)


def _show(view: View) -> None:
    from folkmoot.doors.cli.say.events import log

    log(view["events"])


@click.command("doctor")
@common
@click.pass_obj
def doctor_command(session: Session) -> None:
    """Check that the board is sound.

    Every invariant and the log's chain; what is wrong is named.

    \b
    moot doctor
    moot doctor --json
    """
    from folkmoot.engine.doctor import examine

    view = examine(session.board.engine)

    def words() -> None:
        from folkmoot.doors.cli.say.setup import examined

        examined(view)

    session.answer(view, words)
    if not view["ok"]:
        wrong = ", ".join(check["check"] for check in view["checks"] if not check["ok"])
        raise Unavailable("board_damaged", f"the board is not sound: {wrong}", "keep a copy of it before you go on")
