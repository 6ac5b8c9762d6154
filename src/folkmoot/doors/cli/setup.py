"""Making a board, checking its flow, and watching one at work."""

import os
import shlex
import sys

import click

from folkmoot.api.machine import BoardMade, FlowChecked, GateFound
from folkmoot.api.requests import ShowFlow
from folkmoot.doors.cli import render
from folkmoot.doors.cli.session import READER, GivenFile, Session, common, plain
from folkmoot.errors import Invalid, Refused


@click.command("init")
@click.option("--preset", default="simple", show_default=True, metavar="NAME", help="Which flow to start from.")
@click.option("--gate", metavar="COMMAND", help="The command that proves work, such as make test.")
@click.option("--no-gate", is_flag=True, help="No command proves work; a reviewer alone looks at it.")
@common
@click.pass_obj
def init_command(session: Session, preset: str, gate: str | None, no_gate: bool) -> None:
    """Make a board in this folder.

    Once for each project, in its top folder. All of it is in .moot/: the flow, its prompts and the store. Nothing that
    is there already is overwritten. A coding client that is installed is written into the flow, so that `moot run` can
    start the agents; and so is the project's own check, such as `make test`, which must be green before work lands.

    The presets are simple (code, review, done), kanban, handoff, pipeline, escalation and quest.

    \b
    Examples:
      moot init
      moot init --gate "make test"
      moot init --preset quest --json

    Exit codes: 1 if there is a board already, 2 if there is no such preset.

    See also: moot add, moot check, moot demo.
    """
    from folkmoot.engine.reads.blocked import run_by

    if gate is not None and no_gate:
        raise Invalid("bad_usage", "--gate and --no-gate exclude each other", "leave one of them out")
    made_flow = not os.path.exists(os.path.join(".moot", "flow.yaml"))
    gate = "" if no_gate else gate
    found = session.boards.found_gate(os.curdir, preset) if gate is None and made_flow else None
    if found is not None and not session.json:
        gate = _asked_gate(found)
    application = session.boards.create(os.curdir, preset, gate, session.board_dir)
    try:
        flow = application.asked_by(READER)(ShowFlow())
        session.note(application.notes)
    finally:
        application.close()
    view = BoardMade(
        board=application.board_dir,
        flow=flow.name,
        columns=list(flow.columns),
        agents=list(flow.agents),
        run=run_by(flow),
        made_flow=made_flow,
        unable={} if made_flow else session.boards.unable(application, flow),
        way=flow.agents_on_the_way(),
        gates={name: shlex.join(one.run) for name, one in flow.gates.items() if one.run},
        gate_found_in=found.where if found and gate is None else None,
    )
    session.answer(
        view,
        lambda: render.setup.made(
            view,
            next((flow.watcher(name) for name in flow.stages() if flow.watcher(name)), None),
            has_flow=os.path.exists(os.path.join(".moot", "flow.yaml")),
        ),
    )


def _asked_gate(found: GateFound) -> str | None:
    """At a terminal the user says whether the check that was found is the one; elsewhere it is taken."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    words = f"{found.where} has a check: {found.command}. Enter takes it, n takes none, or write another command"
    try:
        said = str(click.prompt(plain(words), default="", show_default=False, err=True)).strip()
    except click.Abort:  # the input has ended, or Ctrl-C: nothing was made
        click.echo(err=True)
        hint = "say it in the command: moot init --gate COMMAND, or moot init --no-gate"
        raise Refused("unanswered", "no board was made: which check proves work was not answered", hint) from None
    if said.lower() in ("", "y", "yes"):
        return None
    return "" if said.lower() in ("n", "no", "none") else said


@click.command("check")
@click.argument("flow", required=False, type=GivenFile())
@common
@click.pass_obj
def check_command(session: Session, flow: str | None) -> None:
    """Check a flow, and say what it would change. Nothing is changed.

    Every fault is named with its place and a suggestion. Of the board's own flow, .moot/flow.yaml, it says too what
    differs from the flow in force, whether `moot apply` would refuse it, which agents `moot run` starts, and with what.

    \b
    Examples:
      moot check
      moot check .moot/flow.yaml

    Exit codes: 1 if items would be left nowhere, 2 if the flow has faults.

    See also: moot apply, moot init, moot simulate.
    """
    _say_checked(session, session.boards.check(session.board_dir, flow))


@click.command("apply")
@click.option("--move", "moves", multiple=True, metavar="OLD=NEW", help="Where the items of a column go; repeatable.")
@common
@click.pass_obj
def apply_command(session: Session, moves: tuple[str, ...]) -> None:
    """Put the board's flow in force as it is in .moot/flow.yaml.

    After every change of that file: until then the board goes on with the flow it knows. A flow without a column that
    items are in is refused, unless --move says where they go. That is a move by hand: runs there end, and what was made
    for the items is cancelled.

    The ladders of .moot/escalation.yaml, else of ~/.oi/config/escalation.yaml, take the place of the flow's own.

    \b
    Examples:
      moot apply
      moot apply --move qa=review

    Exit codes: 1 if items would be left nowhere, 2 if the flow has faults.

    See also: moot check, moot board.
    """
    _say_checked(session, session.boards.apply(session.board_dir, _moves(moves), session.actor()))


def _say_checked(session: Session, view: FlowChecked) -> None:
    session.answer(view, lambda: render.setup.checked(view))


def _moves(given: tuple[str, ...]) -> dict[str, str]:
    moves = {}
    for words in given:
        old, sign, new = words.partition("=")
        if not (old.strip() and sign and new.strip()):
            raise Invalid("bad_usage", "--move {words} does not say from where to where", "write --move OLD=NEW", words)
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
    session.answer(view, lambda: render.setup.demonstrated(view, _program()))
    if not view.ok:
        where = plain(view.board)
        raise Refused("demo_failed", "the demo did not end as it should", "moot doctor --board {where}", where)


def _program() -> str:
    """What the user types to start us: `moot`, unless that is not on the path."""
    from shutil import which

    if which("moot"):
        return "moot"
    started = sys.argv[0]
    return f"{sys.executable} -m folkmoot" if started.endswith("__main__.py") else os.path.abspath(started)
