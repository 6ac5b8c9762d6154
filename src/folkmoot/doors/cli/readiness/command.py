"""The command `moot ready`, and the looks at the start of `moot run`."""

import sys
from collections.abc import Callable
from typing import TextIO

import click

from folkmoot.api.machine import Readiness
from folkmoot.api.requests import ShowStatus
from folkmoot.core.enums import ENDED
from folkmoot.doors.cli.session import Session, common, plain
from folkmoot.errors import MootError, Refused

TOLD_ANYWAY = ("sandbox", "cost")  # by the worker itself, and by what it did


@click.command("ready")
@click.option("--again", is_flag=True, help="Run the gates again, though it is known how they end on this commit.")
@click.option("--agent", "agents", multiple=True, metavar="A", help="Only this agent's client; repeatable.")
@click.option("--notice", is_flag=True, help="Send a trial notice to each target of the flow's `notify`.")
@common
@click.pass_obj
def ready_command(session: Session, again: bool, agents: tuple[str, ...], notice: bool) -> None:
    """Look whether agents can begin, and what it may cost.

    Each line is green, or says the one thing to do. The clients of the flow: installed, complete, signed in, and
    answering where their runs would start them. The gates: green on the target branch, before any agent has changed
    it, each in a fresh clone; how one ends is kept for that commit. Then the branch, your files, the sandbox, the cost,
    whether notices can be sent, and what is paused. No model is asked, so it costs nothing. `moot run` looks at the
    same when it begins.

    \b
    Examples:
      moot ready
      moot ready --again
      moot ready --notice
      moot ready --json

    Exit codes: 1 if something must be done first.

    See also: moot run, moot init, moot doctor.
    """
    from folkmoot.doors.cli.readiness.shown import found

    view = session.boards.ready(
        session.board, agents=list(agents), again=again, first=False, tell=_teller(sys.stderr), notice=notice
    )
    session.answer(view, lambda: found(view, is_empty=not session.ask(ShowStatus()).counts.keys() - ENDED))
    if not view.ok:
        raise _not_ready(view)


def before_run(session: Session, agents: tuple[str, ...], stream: TextIO) -> None:
    """The looks at the start of a run. What must be done is said once: at a terminal the user says whether to go on;
    elsewhere nobody could, and the run goes on."""
    from folkmoot.doors.cli.readiness.shown import troubles

    try:
        view = session.boards.ready(session.board, agents=list(agents), again=False, first=True, tell=_teller(stream))
    except MootError:
        return  # the run itself meets it, and says it
    told = [one for one in view.looks if one.state == "act" or (one.next and one.look not in TOLD_ANYWAY)]
    troubles(told, stream)
    if view.ok or session.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    if not click.confirm("Begin all the same?", default=False, err=True):
        raise _not_ready(view)
    session.boards.accept_red(session.board, [one.commit for one in view.looks if one.commit])


def _not_ready(view: Readiness) -> Refused:
    first, *others = [one for one in view.looks if one.state == "act"]
    more = f", and {len(others)} more" if others else ""
    words, is_named = "agents cannot begin yet: {why}{more}", first.words.startswith(first.about or "")
    why = first.words if is_named else f"{first.about}: {first.words}"
    return Refused("not_ready", words, "{act}", plain(why), more, act=plain(first.next or "see: moot ready"))


def _teller(stream: TextIO) -> Callable[[str], None]:
    """A gate may take long: whoever sits at a terminal sees what is waited for."""

    def tell(words: str) -> None:
        from folkmoot.doors.cli.readiness.shown import busy

        if stream.isatty():
            busy(words, stream)

    return tell
