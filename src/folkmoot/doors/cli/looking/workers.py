"""`moot workers`: who runs agents now, on which machine."""

import click

from folkmoot.api.screen import ListWorkers
from folkmoot.doors.cli.session import Session, common


@click.command("workers")
@common
@click.pass_obj
def workers_command(session: Session) -> None:
    """List the workers of the board, on every machine.

    Each with its machine, its slots, its labels, the clients it can start and the version of Folkmoot it is. A worker
    that has said nothing for a minute is left out; what it had begun is given to others when its lease is over.

    \b
    Examples:
      moot workers
      moot workers --json

    See also: moot run, moot pause, moot health.
    """
    view = session.ask(ListWorkers())

    def words() -> None:
        from folkmoot.doors.cli.render.seen.workers import workers

        workers(view)

    session.answer(view, words)
