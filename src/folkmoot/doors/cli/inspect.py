"""What happened, what it cost, what was learned, and whether the board is sound."""

import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING, get_args

import click
from msgspec.structs import replace

from folkmoot.api.machine import LimitView
from folkmoot.api.pages import EventPage
from folkmoot.api.requests import ListLessons, Measure, ReadLog, ReadUsage, ShowFlow
from folkmoot.api.usage import By, UsageView
from folkmoot.core.vocabulary.roles import agent_named
from folkmoot.doors.cli import render
from folkmoot.doors.cli.session import Number, Session, common, number_of
from folkmoot.errors import Invalid, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from folkmoot.core.flow import Limits

SOON = 1000  # milliseconds before anybody is told how far it has come


@click.command("log")
@click.argument("item", required=False)
@click.option("--after", type=Number(0), default=0, metavar="SEQ", help="Only events after this one.")
@click.option(
    "--limit", type=Number(1, 10_000), default=1000, show_default=True, metavar="N", help="At most this many."
)
@click.option("--follow", is_flag=True, help="Go on showing what happens, until Ctrl-C.")
@common
@click.pass_obj
def log_command(session: Session, item: str | None, after: int, limit: int, follow: bool) -> None:
    """Show the log, of an item or of the whole board.

    All that happened, in order, and who did it. `moot show` tells the same as a story.

    \b
    Examples:
      moot log --follow
      moot log 7
      moot log 7 --after 120 --json

    See also: moot show, moot output.
    """
    if follow and session.json:
        raise Invalid(
            "bad_usage", "--follow has no end, and --json is one document", "repeat: moot log --after SEQ --json"
        )
    wanted = number_of(item) if item else None
    view = session.ask(ReadLog(after=after, item=wanted, limit=limit))
    session.answer(view, lambda: _show(session, view))
    if follow:
        _follow(session, view, wanted, limit)
    elif not session.json and session.ask(ReadLog(after=view.next, item=wanted, limit=1)).events:
        render.events.more_log(wanted, view.next)


def _follow(session: Session, view: EventPage, item: str | None, limit: int) -> None:
    from folkmoot.doors.waiting import Waiting

    waiting = Waiting(session.board)
    while True:
        sys.stdout.flush()
        if len(view.events) < limit:
            waiting.sleep()
        view = session.ask(ReadLog(after=view.next, item=item, limit=limit))
        if view.events:
            _show(session, view)


def _show(session: Session, view: EventPage) -> None:
    render.events.log(render.phases.numbered(view.events, session.ask(ShowFlow())))


@click.command("usage")
@click.argument("item", required=False)
@click.option("--by", type=click.Choice(get_args(By)), default="item", show_default=True, help="What a line is about.")
@click.option("--since", metavar="WHEN", help="Only runs that began since: 24h, 7d, today, 2026-11-18.")
@common
@click.pass_obj
def usage_command(session: Session, item: str | None, by: By, since: str | None) -> None:
    """Show what runs have used up: tokens, money, time.

    Runs that were stopped, killed or ran out of quota count too, as far as their client told. Money is what the client
    says, or what the `price` of a model in the flow makes of its tokens; where nobody can tell it is unknown.

    \b
    Examples:
      moot usage
      moot usage --by model --since 7d
      moot usage 7 --by run

    See also: moot metrics, moot board.
    """
    wanted = number_of(item) if item else None
    view = session.ask(ReadUsage(by=by, since=since, item=wanted))
    session.answer(view, lambda: _show_usage(view))


def _show_usage(view: UsageView) -> None:
    from folkmoot.doors.cli.render.plot.usage import usage  # only this one command needs it

    usage(view)


@click.command("metrics")
@click.argument("item", required=False)
@click.option("--prometheus", is_flag=True, help="The board in numbers, as Prometheus reads them.")
@common
@click.pass_obj
def metrics_command(session: Session, item: str | None, prometheus: bool) -> None:
    """Show what the work takes: time, handoffs, fixes, cost.

    Of the whole board, or of one ITEM with all that was made for it. With --prometheus all that `moot serve` tells at
    /metrics of the board.

    \b
    Examples:
      moot metrics
      moot metrics 7
      moot metrics --json
      moot metrics --prometheus

    See also: moot log, moot simulate.
    """
    if prometheus:
        if item is not None or session.json:
            words = "--prometheus is a text of its own, and of the whole board"
            raise Invalid("bad_usage", words, "leave ITEM and --json out")
        _show_prometheus(session)
        return
    view = session.ask(Measure(item=number_of(item) if item else None))
    session.answer(view, lambda: render.metrics.metrics(view))


def _show_prometheus(session: Session) -> None:
    from folkmoot.api.gauges import ReadGauges
    from folkmoot.doors.observe.prometheus import render as told

    click.echo(told(session.ask(ReadGauges())), nl=False)


@click.command("lessons")
@click.option("--agent", metavar="A", help="Only what this agent's runs have learnt.")
@click.option("--limit", type=Number(1, 10_000), default=100, show_default=True, metavar="N", help="At most this many.")
@common
@click.pass_obj
def lessons_command(session: Session, agent: str | None, limit: int) -> None:
    """Show what runs have learnt, the newest first.

    A lesson reaches later runs of the same agent, and whoever works on the same files.

    \b
    Examples:
      moot lessons
      moot lessons --agent dev-agent --limit 20

    See also: moot show, moot metrics.
    """
    agent = agent_named(session.ask(ShowFlow()), agent) if agent else None
    view = session.ask(ListLessons(agent=agent, limit=limit))
    if not view.lessons:
        from folkmoot.doors.cli.completion.nearest import known_agent

        known_agent(agent, session.ask(ShowFlow()))
    session.answer(view, lambda: render.metrics.lessons(view.lessons))


@click.command("doctor")
@common
@click.pass_obj
def doctor_command(session: Session) -> None:
    """Check that the board is sound.

    After a crash, a full disk, or whenever you doubt it. Every invariant and the log's chain; what is wrong is named,
    and how the board can be made sound again. Where there is git it also names work that landed and that its branch
    does not hold any more, as after `git reset --hard`, with the command that brings it back. Nothing is changed.

    \b
    Examples:
      moot doctor
      moot doctor --json

    Exit codes: 4 if something is wrong with the board; a branch that was moved back is said, and is no fault of it.

    See also: moot restore, moot backup, moot log, moot salvage.
    """
    from folkmoot.engine.checking.doctor import examine

    try:
        engine = session.board.engine
        with closing(_HowFar(engine.clock.wall)) as how_far:
            view = examine(engine, how_far)
    except Unavailable as fault:
        if fault.code != "store_damaged":
            raise
        fault.remedy, more = session.boards.rescue(session.board_dir)
        fault.details |= more
        raise
    view = replace(view, limits=limits_of_runs(session.ask(ShowFlow()).limits, session.boards.held_by_kernel()))
    if view.ok and (lost := session.boards.lost(session.board)):
        view = replace(view, lost=lost)
    session.answer(view, lambda: render.setup.examined(view))
    if not view.ok:
        wrong = [check.check for check in view.checks if not check.ok]
        remedy, more = session.boards.rescue(session.board_dir)
        raise Unavailable("board_damaged", "the board is not sound: {checks}", remedy, wrong, **more)


class _HowFar:
    """A line that a person at a terminal sees while it takes long; nobody else gets it."""

    def __init__(self, now: "Callable[[], int]") -> None:
        self._now = now
        self._since = now()
        self._shown = False

    def __call__(self, what: str, over: int, of: int) -> None:
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and self._now() - self._since > SOON:
            self._shown = True
            sys.stderr.write(f"\r\x1b[Kchecking {what}: {over:,} of {of:,}")
            sys.stderr.flush()

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")


def limits_of_runs(limits: "Limits", by_kernel: "Collection[str]") -> list[LimitView]:
    """What the processes of a run may use up, and by what each limit holds."""
    from folkmoot.flows.sizes import format_size

    found = []
    for name in ("memory", "processes", "disk", "open_files"):
        most = getattr(limits, name)
        shown = format_size(most) if most is not None and name in ("memory", "disk") else f"{most}"
        how = "held by the kernel" if name in by_kernel else "looked at by its keeper"
        found.append(LimitView(limit=name, most=most, shown=shown, by=how))
    return found
