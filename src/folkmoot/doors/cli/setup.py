"""Making a board, checking its flow, and watching one at work."""

import os
import sys

import click

from folkmoot.doors.cli.session import Session, common, plain
from folkmoot.errors import Refused


@click.command("init")
@click.option("--preset", default="kanban", show_default=True, metavar="NAME", help="Which flow to start from.")
@common
@click.pass_obj
def init_command(session: Session, preset: str) -> None:
    """Make a board in this folder.

    It is in .moot/: the flow, its prompts and the store. Nothing that is there already is overwritten.

    \b
    moot init
    """
    application = session.boards.create(os.curdir, preset)
    try:
        flow = application.queries.flow()
        session.note(application.notes)
    finally:
        application.close()
    view = {"board": application.place, "flow": flow.name, "columns": list(flow.columns), "agents": list(flow.agents)}

    def words() -> None:
        from folkmoot.doors.cli.say.setup import made

        made(view, next((flow.watcher(name) for name in flow.stages() if flow.watcher(name)), None))

    session.answer(view, words)


@click.command("check")
@click.argument("flow", required=False)
@common
@click.pass_obj
def check_command(session: Session, flow: str | None) -> None:
    """Check a flow, and take in the board's own.

    Every fault is named with its place and a suggestion.

    \b
    moot check
    moot check other/flow.yaml
    """
    checked = session.boards.check(session.place, flow)
    view = {
        "ok": True,
        "flow": checked.name,
        "path": checked.path,
        "version": checked.version,
        "taken_in": checked.taken_in,
        "warnings": checked.warnings,
    }

    def words() -> None:
        from folkmoot.doors.cli.say.setup import checked as say_checked

        say_checked(view)

    session.answer(view, words)


@click.command("demo")
@click.option("--ask", is_flag=True, help="Answer the agents' questions yourself.")
@common
@click.pass_obj
def demo_command(session: Session, ask: bool) -> None:
    """Watch scripted agents at work on a real board.

    A dispute that ends, a climb up the ladder of models, and a question. No keys, no network.

    \b
    moot demo
    moot demo --ask
    """
    view = session.boards.demo(ask=ask, on_stderr=session.json)

    def words() -> None:
        from folkmoot.doors.cli.say.setup import demonstrated

        demonstrated(view, _program())

    session.answer(view, words)
    if not view["ok"]:
        where = plain(view["board"])
        raise Refused("demo_failed", "the demo did not end as it should", f"moot doctor --board {where}")


def _program() -> str:
    """What the user types to start us: `moot`, unless that is not on the path."""
    from shutil import which

    if which("moot"):
        return "moot"
    started = sys.argv[0]
    return f"{sys.executable} -m folkmoot" if started.endswith("__main__.py") else os.path.abspath(started)
