"""Running agents: fill the slots, stop and go, what agents printed, what can be brought back."""

import sys

import click

from folkmoot.core import commands
from folkmoot.doors.cli.session import Session, View, common, plain


def _work(session: Session, slots: int | None, until_idle: bool, agents: tuple[str, ...]) -> None:
    from folkmoot.doors.cli.say.running import Progress

    progress = Progress(sys.stderr if session.json else sys.stdout, session.board.queries)
    try:
        summary = session.boards.work(
            session.board,
            slots=slots,
            agents=list(agents),
            until_idle=until_idle,
            tell=progress.tell,
            begin=progress.begin,
        )
    finally:
        progress.stop()
    view = {**summary, **progress.summary()}
    session.answer(view, progress.end)


@click.command("run")
@click.option("--slots", type=click.IntRange(1, 1000), metavar="N", help="Runs at the same time; default: the flow's.")
@click.option("--until-idle", is_flag=True, help="End when nothing is left that agents could do.")
@click.option("--agent", "agents", multiple=True, metavar="A", help="Only this agent; repeatable.")
@common
@click.pass_obj
def run_command(session: Session, slots: int | None, until_idle: bool, agents: tuple[str, ...]) -> None:
    """Put agents on the items of the board, and keep all slots filled.

    Each agent works in a clone of its own. What it did is proved by the flow's gates and lands on the target branch,
    or comes back to the board with the reason. Ctrl-C lets agents finish; a second one stops them now, and their items
    are given back.

    \b
    moot run
    moot run --slots 8 --until-idle
    moot run --agent dev-agent
    """
    _work(session, slots, until_idle, agents)


@click.command("worker")
@click.option("--slots", type=click.IntRange(1, 1000), metavar="N", help="Runs at the same time; default: the flow's.")
@click.option("--agent", "agents", multiple=True, metavar="A", help="Only this agent; repeatable.")
@common
@click.pass_obj
def worker_command(session: Session, slots: int | None, agents: tuple[str, ...]) -> None:
    """Be one of many workers of a board, until stopped.

    \b
    moot worker --slots 4
    """
    _work(session, slots, False, agents)


@click.command("stop")
@click.option("--why", default="", metavar="TEXT", help="What others are told.")
@common
@click.pass_obj
def stop_command(session: Session, why: str) -> None:
    """Begin no new runs from now on, on all machines. What runs may finish.

    \b
    moot stop --why "the build server is down"
    """
    view = session.board.engine.on_board(session.speaker(), commands.StopBoard(why=why))
    _say_pauses(session, view, "stopped: no new runs begin; let it go on with: moot go")


@click.command("go")
@common
@click.pass_obj
def go_command(session: Session) -> None:
    """Let a stopped board go on.

    Pools that wait for their quota are tried again too.

    \b
    moot go
    """
    view = session.board.engine.on_board(session.speaker(), commands.ResumeBoard())
    _say_pauses(session, view, "the board goes on")


def _say_pauses(session: Session, view: View, words: str) -> None:
    session.answer(view, lambda: click.echo(plain(words)))


@click.command("output")
@click.argument("run")
@click.option("--follow", is_flag=True, help="Go on until the run has ended.")
@click.option("--diff", "diff", is_flag=True, help="What the run changed, instead of what it printed.")
@common
@click.pass_obj
def output_command(session: Session, run: str, follow: bool, diff: bool) -> None:
    """Show what an agent printed. It is kept in the store, its beginning and its end.

    \b
    moot output r3f9a2c41b7d0
    moot output r3f9a2c41b7d0 --follow
    moot output r3f9a2c41b7d0 --diff
    """
    from folkmoot.doors.cli.say.running import print_output

    view = session.board.queries.output(run)
    parts = [part for part in view["parts"] if (part["part"] >= 1_000_000) == diff]
    view = {**view, "text": "".join(part["text"] for part in parts)}
    del view["parts"]
    if session.json:
        session.answer(view, lambda: None)
        return
    print_output(session, run, parts, follow and not diff)


@click.command("salvage")
@click.argument("run", required=False)
@click.option("--branch", metavar="NAME", help="The branch that is made; default: moot/salvage/RUN.")
@common
@click.pass_obj
def salvage_command(session: Session, run: str | None, branch: str | None) -> None:
    """List work that did not land, or bring it back.

    With a RUN its work becomes a branch.

    \b
    moot salvage
    moot salvage r3f9a2c41b7d0
    """
    view = session.boards.salvage(session.board, run, branch)

    def words() -> None:
        from folkmoot.doors.cli.say.running import salvaged

        salvaged(view)

    session.answer(view, words)
