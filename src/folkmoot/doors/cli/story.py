"""What happened, and whether the board is sound."""

import click

from folkmoot.doors.cli.session import NUMBER_MAX, Session, common, number_of
from folkmoot.errors import Unavailable


@click.command("log")
@click.argument("item", required=False)
@click.option(
    "--after", type=click.IntRange(0, NUMBER_MAX), default=0, metavar="SEQ", help="Only events after this one."
)
@click.option("--limit", type=click.IntRange(1, 10_000), default=1000, show_default=True, help="At most this many.")
@common
@click.pass_obj
def log_command(session: Session, item: str | None, after: int, limit: int) -> None:
    """Show the log, of an item or of the whole board.

    \b
    moot log
    moot log 7 --after 120 --json
    """
    view = session.board.queries.log(after, number_of(item) if item else None, limit)

    def words() -> None:
        from folkmoot.doors.cli.say.events import log

        log(view["events"])

    session.answer(view, words)


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
