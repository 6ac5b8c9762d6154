"""Making a board, checking its flow, and watching one at work."""

import os
import sys

import click

from folkmoot.api.requests import ShowFlow
from folkmoot.doors.cli.session import READER, GivenFile, Session, View, common, plain
from folkmoot.errors import Invalid, Refused


@click.command("init")
@click.option("--preset", default="kanban", show_default=True, metavar="NAME", help="Which flow to start from.")
@common
@click.pass_obj
def init_command(session: Session, preset: str) -> None:
    """Make a board in this folder.

    Once for each project, in its top folder. All of it is in .moot/: the flow, its prompts and the store. Nothing that
    is there already is overwritten. A coding client that is installed is written into the flow, so that `moot run` can
    start the agents.

    \b
    Examples:
      moot init
      moot init --preset handoff
      moot init --preset quest --json

    Exit codes: 1 if there is a board already, 2 if there is no such preset.

    See also: moot add, moot check, moot demo.
    """
    from folkmoot.doors.cli.render.progress.blocked_reasons import run_by

    made_flow = not os.path.exists(os.path.join(".moot", "flow.yaml"))
    application = session.boards.create(os.curdir, preset)
    try:
        flow = application.asked_by(READER)(ShowFlow())
        session.note(application.notes)
    finally:
        application.close()
    view = {
        "board": application.board_dir,
        "flow": flow.name,
        "columns": list(flow.columns),
        "agents": list(flow.agents),
        "run": run_by(flow),
        "made_flow": made_flow,
        "unable": {} if made_flow else session.boards.unable(application, flow),
    }

    def words() -> None:
        from folkmoot.doors.cli.render.setup import made

        made(view, next((flow.watcher(name) for name in flow.stages() if flow.watcher(name)), None))

    session.answer(view, words)


@click.command("check")
@click.argument("flow", required=False, type=GivenFile())
@click.option("--move", "moves", multiple=True, metavar="OLD=NEW", help="Where the items of a column go; repeatable.")
@common
@click.pass_obj
def check_command(session: Session, flow: str | None, moves: tuple[str, ...]) -> None:
    """Check a flow, and take in the board's own.

    After every change of .moot/flow.yaml: until then the board goes on with the flow it knows. Every fault is named
    with its place and a suggestion. A flow without a column that items are in is refused, unless --move says where
    they go. That is a move by hand: runs there end, and what was made for the items is cancelled. Of the board's own
    flow it says too which agents `moot run` starts, and with what.

    The ladders of .moot/escalation.yaml, else of ~/.oi/config/escalation.yaml, take the place of the flow's own.

    \b
    Examples:
      moot check
      moot check .moot/flow.yaml
      moot check --move qa=review

    Exit codes: 1 if items would be left nowhere, 2 if the flow has faults.

    See also: moot init, moot simulate.
    """
    if flow is not None and moves:
        raise Invalid("bad_usage", "--move is for the board's own flow", "leave FLOW out: moot check --move OLD=NEW")
    if moves:
        checked = session.boards.check(session.board_dir, None, _moves(moves), session.actor())
    else:
        checked = session.boards.check(session.board_dir, flow)
    view: View = {
        "ok": True,
        "flow": checked.name,
        "path": checked.path,
        "version": checked.version,
        "taken_in": checked.taken_in,
        "warnings": checked.warnings,
        "ladders": checked.ladders,
        "agents": None,
        "run": None,
        "unable": {},
    }
    if flow is None:
        from folkmoot.doors.cli.render.progress.blocked_reasons import run_by

        taken = session.ask(ShowFlow())
        started, unable = run_by(taken), session.boards.unable(session.board, taken)
        view |= {"agents": list(taken.agents), "run": started}
        view["unable"] = {agent: why for agent, why in unable.items() if agent in started}

    def words() -> None:
        from folkmoot.doors.cli.render.setup import checked as say_checked

        say_checked(view)

    session.answer(view, words)


def _moves(given: tuple[str, ...]) -> dict[str, str]:
    moves = {}
    for words in given:
        old, sign, new = words.partition("=")
        if not (old.strip() and sign and new.strip()):
            raise Invalid("bad_usage", f"--move {words} does not say from where to where", "write --move OLD=NEW")
        moves[old.strip()] = new.strip()
    return moves


@click.command("demo")
@click.option("--ask", is_flag=True, help="Answer the agents' questions yourself.")
@common
@click.pass_obj
def demo_command(session: Session, ask: bool) -> None:
    """Watch scripted agents at work on a real board.

    To see what a board does before you make one: a split, a dispute that ends, a climb up the ladder of models, and a
    question. It takes less than a minute, in a folder of its own that stays for you to look at. No keys, no network.

    \b
    Examples:
      moot demo
      moot demo --ask

    See also: moot init, moot simulate.
    """
    view = session.boards.demo(ask=ask, on_stderr=session.json)

    def words() -> None:
        from folkmoot.doors.cli.render.setup import demonstrated

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
