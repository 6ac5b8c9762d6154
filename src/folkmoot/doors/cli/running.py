"""Running agents: fill the slots, pause and resume, what can be brought back."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import click
from msgspec.structs import asdict

from folkmoot.api.machine import BlockedReason, WorkDone
from folkmoot.api.requests import Pause, Resume, Show, ShowFlow
from folkmoot.doors.cli import render
from folkmoot.doors.cli.readiness.command import before_run
from folkmoot.doors.cli.session import Number, Session, common, labels_in
from folkmoot.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from folkmoot.doors.cli.render.running import Progress


def _work(
    session: Session,
    slots: int | None,
    until_idle: bool,
    agents: tuple[str, ...],
    *,
    answers: bool,
    looks: bool = False,
    log_json: bool = False,
    labels: tuple[str, ...] = (),
) -> None:
    from folkmoot.doors.cli.render.running import Progress

    with ExitStack() as ends:
        stream = sys.stderr if session.json else sys.stdout
        if log_json and session.json:  # both would stand on standard error: the lines for machines are meant
            stream = ends.enter_context(open(os.devnull, "w", encoding="utf-8"))
        if looks:
            before_run(session, agents, stream)
        progress = Progress(stream, session.ask, changed=session.board.changed)
        if answers:
            ends.enter_context(answered_here(session, progress, stream))
        tell = _logged(session, progress.tell) if log_json else progress.tell
        _put_agents_on(session, progress, slots, until_idle, agents, tell, labels)


def _logged(session: Session, tell: "Callable[[Any], None]") -> "Callable[[Any], None]":
    """What a worker tells, also as lines for machines."""
    from folkmoot.doors.observe.logs import JsonLog
    from folkmoot.doors.observe.worker_log import logged

    return logged(JsonLog(sys.stderr, session.board.engine.clock.wall, session.boards.log_cleaner()), tell)


@contextmanager
def answered_here(session: Session, progress: "Progress", stream: TextIO) -> Iterator[None]:
    """Where somebody sits at the terminal, questions can be answered there. A run that starts others answers none."""
    from folkmoot.doors.cli.keyboard.answering import Answering
    from folkmoot.doors.cli.keyboard.keys import is_watched
    from folkmoot.doors.cli.render.running import News

    if session.run is not None or not is_watched(stream) or os.environ.get("TERM") == "dumb":
        yield
        return
    progress.answering = Answering(session.ask, session.board.now, lambda: progress.tell(News()))
    with progress.answering.listening():
        yield


def _put_agents_on(
    session: Session,
    progress: "Progress",
    slots: int | None,
    until_idle: bool,
    agents: tuple[str, ...],
    tell: "Callable[[Any], None]",
    labels: tuple[str, ...],
) -> None:
    from folkmoot.doors.cli.render.progress.blocked_reasons import blocked_words, reason_words

    try:
        summary = session.boards.work(
            session.board,
            slots=slots,
            agents=list(agents),
            until_idle=until_idle,
            tell=tell,
            begin=progress.begin,
            labels=labels_in(labels),
        )
    finally:
        progress.stop()
    held = progress.held(summary.unable, agents)
    waits = [BlockedReason(why=one.why, reason=reason_words(one), agents=one.agents, items=one.items) for one in held]
    aside = session.boards.unmerged_branch(session.board)
    in_the_way = session.boards.in_the_way(session.board) if aside else []
    counted = progress.summary()
    view = WorkDone(**asdict(summary), **asdict(counted), waits=waits, aside=aside, in_the_way=in_the_way)
    lame = [one for one in held if one.why == "unable"] if not view.runs and not view.interrupted else []
    shown = [one for one in held if one not in lame]
    beside = (aside, in_the_way) if aside else None
    session.answer(view, lambda: progress.end(shown, until_idle=until_idle, why_follows=bool(lame), aside=beside))
    if lame:
        hint = "install it and sign in to it, or let the flow name another; who can be started: moot check"
        unable = [agent for one in lame for agent in one.agents]
        raise Unavailable("cannot_start", "{why}", hint, "; ".join(blocked_words(one) for one in lame), agents=unable)


@click.command("run")
@click.option("--slots", type=Number(1, 1000), metavar="N", help="Runs at the same time; default: the flow's.")
@click.option("--until-idle", is_flag=True, help="End when nothing is left that agents could do.")
@click.option("--agent", "agents", multiple=True, metavar="A", help="Only this agent; repeatable.")
@click.option("--label", "labels", multiple=True, metavar="L", help="What this machine is for: gpu, macos; repeatable.")
@click.option("--anyway", is_flag=True, help="Do not look first whether all is ready.")
@click.option("--no-input", is_flag=True, help="Answer no questions here, though it is a terminal.")
@click.option("--log-json", is_flag=True, help="Write what happens to standard error too, as lines of JSON.")
@common
@click.pass_obj
def run_command(
    session: Session,
    slots: int | None,
    until_idle: bool,
    agents: tuple[str, ...],
    labels: tuple[str, ...],
    anyway: bool,
    no_input: bool,
    log_json: bool,
) -> None:
    """Put agents on the board's items, and keep all slots filled.

    Each agent works in a clone of its own. What it did is proved by the flow's gates and lands on the target branch,
    or comes back to the board with the reason. Ctrl-C lets agents finish; a second one stops them now, and their items
    are given back. Where no agent can be started it ends.

    First it looks at what `moot ready` looks at. Of what is wrong it asks at a terminal whether to begin all the same;
    without one it says it, and begins.

    At a terminal a question can be answered where it stands: press the number of an option, or type words and Enter;
    Enter alone leaves it for later. Other agents go on meanwhile.

    \b
    Examples:
      moot run
      moot run --slots 8 --until-idle
      moot run --agent dev-agent --label gpu
      moot run --log-json

    Exit codes: 1 if you said that it shall not begin, 4 if items are ready and no run began, since what starts their
    agents is not there.

    See also: moot ready, moot board, moot inbox, moot output, moot pause.
    """
    _work(session, slots, until_idle, agents, answers=not no_input, looks=not anyway, log_json=log_json, labels=labels)


@click.command("worker")
@click.option("--slots", type=Number(1, 1000), metavar="N", help="Runs at the same time; default: the flow's.")
@click.option("--agent", "agents", multiple=True, metavar="A", help="Only this agent; repeatable.")
@click.option("--label", "labels", multiple=True, metavar="L", help="What this machine is for: gpu, macos; repeatable.")
@click.option("--no-input", is_flag=True, help="Answer no questions here, though it is a terminal.")
@click.option("--log-json", is_flag=True, help="Write what happens to standard error too, as lines of JSON.")
@common
@click.pass_obj
def worker_command(
    session: Session,
    slots: int | None,
    agents: tuple[str, ...],
    labels: tuple[str, ...],
    no_input: bool,
    log_json: bool,
) -> None:
    """Be one of many workers of a board, until stopped.

    As `moot run`, in as many terminals and on as many machines as you like. Each has its own slots; the board is one.

    \b
    Examples:
      moot worker
      moot worker --slots 4 --agent dev-agent

    See also: moot run, moot pause.
    """
    _work(session, slots, False, agents, answers=not no_input, log_json=log_json, labels=labels)


@click.command("pause")
@click.option("--why", default="", metavar="TEXT", help="What others are told.")
@click.option("--now", is_flag=True, help="End what runs too; the work is kept.")
@common
@click.pass_obj
def pause_command(session: Session, why: str, now: bool) -> None:
    """Begin no new runs from now on, in all workers of the board. What runs may finish.

    With --now workers end their runs within seconds. The items are given back, and what was made is kept: `moot
    salvage`. What people and scripts have claimed by hand goes on.

    \b
    Examples:
      moot pause
      moot pause --now
      moot pause --why "The build server is down"

    `moot stop` is the same.

    See also: moot resume, moot board.
    """
    view = session.ask(Pause(why=why, now=now))
    session.answer(view, lambda: render.board.stopped(view))


@click.command("resume")
@click.argument("pool", required=False)
@common
@click.pass_obj
def resume_command(session: Session, pool: str | None) -> None:
    """Begin new runs again on a board that was paused.

    Pools that wait for their quota are tried again too, and a day's budget that is spent is no reason to wait today.
    With the name of a pool only that one goes on.

    \b
    Examples:
      moot resume
      moot resume claude-code

    `moot go` is the same.

    See also: moot pause, moot run.
    """
    view = session.ask(Resume(pool=pool))
    session.answer(view, lambda: render.board.stopped(view))


@click.command("salvage")
@click.argument("run", required=False)
@click.option("--branch", metavar="NAME", help="The branch that is made; default: moot/salvage/RUN.")
@common
@click.pass_obj
def salvage_command(session: Session, run: str | None, branch: str | None) -> None:
    """List work that did not land, or bring it back.

    Nothing that an agent wrote is thrown away. With a RUN its work becomes a branch of your repository.

    \b
    Examples:
      moot salvage
      moot salvage r3f9a2c41b7d0
      moot salvage r3f9a2c41b7d0 --branch second-look

    Exit codes: 2 if there is no such run, or it changed nothing.

    See also: moot output, moot show.
    """
    from folkmoot.doors.cli.render.progress.run_output import salvaged, unlanded

    if run is None:
        page = session.boards.unlanded(session.board)
        session.answer(page, lambda: unlanded(page))
    else:
        view = session.boards.salvage(session.board, session.run_named(run), branch)
        item = session.ask(Show(item=view.item)) if view.item is not None else None
        session.answer(view, lambda: salvaged(view, item, session.ask(ShowFlow()).target))
