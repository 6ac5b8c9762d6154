"""`moot health`: whether the board is sound now, for people and for whatever restarts things."""

import click

from folkmoot.api.health import CheckHealth, Health
from folkmoot.doors.cli.session import Session, common
from folkmoot.errors import Unavailable


@click.command("health")
@click.option("--whole", is_flag=True, help="Prove the log from its first event on.")
@common
@click.pass_obj
def health_command(session: Session, whole: bool) -> None:
    """Say in two seconds whether the board is sound now.

    Its store (can it be read and written), the newest events of its log, its workers (none has died or gone silent over
    an item). `moot doctor` looks at everything, and takes longer.

    \b
    Examples:
      moot health
      moot health --whole
      moot health --json

    Exit codes: 4 if something is not sound.

    See also: moot doctor, moot status.
    """
    view = session.ask(CheckHealth(whole=whole))
    while view.ok and view.left:
        view = session.ask(CheckHealth(whole=True))

    def words() -> None:
        from folkmoot.doors.cli.render.seen.health import health

        health(view)

    session.answer(view, words)
    if not view.ok:
        raise _fault(view)


def _fault(view: Health) -> Unavailable:
    bad = [one.name for one in view.components if not one.ok]
    hint = "<doctor> looks at everything" if "chain" in bad else "see what is said of each"
    return Unavailable("not_sound", "not sound: {parts}", hint, bad)
