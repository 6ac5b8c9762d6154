"""What happened, what it cost, what was learned, and whether the board is sound."""

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
    session.answer(view, lambda: _show(session, view))
    while follow:
        sys.stdout.flush()
        session.boards.pause(FOLLOW_SECONDS)
        view = session.board.queries.log(view["next"], wanted, limit)
        if view["events"]:
            _show(session, view)


def _show(session: Session, view: View) -> None:
    from folkmoot.doors.cli.say.events import log
    from folkmoot.doors.cli.say.phases import numbered

    log(numbered(view["events"], session.board.queries.flow()))


@click.command("metrics")
@common
@click.pass_obj
def metrics_command(session: Session) -> None:
    """Show what the work takes: time, handoffs, fixes, cost.

    \b
    moot metrics
    moot metrics --json
    """
    view = session.board.queries.metrics()

    def words() -> None:
        from folkmoot.doors.cli.say.measures import metrics

        metrics(view)

    session.answer(view, words)


@click.command("lessons")
@click.option("--agent", metavar="A", help="Only what this agent's runs have learnt.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True, help="At most this many.")
@common
@click.pass_obj
def lessons_command(session: Session, agent: str | None, limit: int) -> None:
    """Show what runs have learnt, the newest first.

    A lesson reaches later runs of the same agent, and whoever works on the same files.

    \b
    moot lessons
    moot lessons --agent dev-agent --json
    """
    view = session.board.queries.lessons(agent, limit)

    def words() -> None:
        from folkmoot.doors.cli.say.measures import lessons

        lessons(view["lessons"])

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
    from folkmoot.engine.checking.doctor import examine

    view = examine(session.board.engine)

    def words() -> None:
        from folkmoot.doors.cli.say.setup import examined

        examined(view)

    session.answer(view, words)
    if not view["ok"]:
        wrong = ", ".join(check["check"] for check in view["checks"] if not check["ok"])
        raise Unavailable("board_damaged", f"the board is not sound: {wrong}", "keep a copy of it before you go on")
