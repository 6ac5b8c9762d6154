"""A person steers an agent: says something to it, takes its work over, and gives it."""

import shlex
import sys

import click

from folkmoot.api.machine import Taken
from folkmoot.api.requests import Hear, Say
from folkmoot.core.report import Report
from folkmoot.doors.cli.session import Session, common, in_run, keyed, number_of, read_text
from folkmoot.doors.cli.steering import printing
from folkmoot.errors import Invalid, Refused


@click.command("say")
@click.argument("item", metavar="RUN|ITEM")
@click.argument("words", nargs=-1, required=True, metavar="TEXT...")
@keyed
@click.pass_obj
def say_command(session: Session, item: str, words: tuple[str, ...]) -> None:
    """Say a sentence to the agent that works on an item.

    An agent that speaks the Agent Client Protocol hears it at its next turn, in the same session. Any other finds it in
    the item's next brief: if the agent is done before it has heard it, the item goes to it again, with its work kept.
    Each run is told once, and it is never lost.

    \b
    Examples:
      moot say 7 "Use the helper in src/dates.py, add no dependency"
      moot say r3f9a2c41b7d0 - < notes.txt

    Exit codes: 1 if nobody works on the item any more.

    See also: moot output, moot take, moot comment.
    """
    text = read_text("-") if words == ("-",) else " ".join(words)
    view = session.ask(Say(item=number_of(item), text=text))
    session.answer(view, lambda: printing.said(view))


@click.command("hear")
@in_run
@common
@click.pass_obj
def hear_command(session: Session) -> None:
    """Inside a run: what people have said to it since.

    Each sentence is told once. What was said before the run began is in its brief.

    \b
    Examples:
      moot hear
      moot hear --json

    See also: moot say, moot ask.
    """
    heard = session.ask(Hear(), actor=session.run_speaker(None, None))
    session.answer(heard, lambda: printing.heard(heard))


@click.command("take")
@click.argument("item", metavar="RUN|ITEM")
@click.option("--no-shell", is_flag=True, help="Print where the clone is, and what to set; open no shell.")
@common
@click.pass_obj
def take_command(session: Session, item: str, no_shell: bool) -> None:
    """Take an item to do the work yourself, from where its agent is.

    The agent is ended, and its work so far is in the clone you get. No agent begins the item meanwhile. At a terminal a
    shell opens in the clone; elsewhere the path and what to set are printed. Leave the shell whenever you like: `moot
    take` again returns to the same clone. `moot give` reports your work, `moot give --back` hands the item back.

    \b
    Examples:
      moot take 7
      moot take r3f9a2c41b7d0
      moot take 7 --json

    Exit codes: 1 if it cannot be taken now, 4 if the agent's worker did not end it in time.

    See also: moot give, moot say, moot show.
    """
    if session.run is not None:
        words = "this shell is part of run {run}"
        raise Refused("inside_a_run", words, "leave it first, or take the item from another terminal", session.run)
    actor = session.actor()
    taken = session.boards.take(session.board, actor, number_of(item), lambda words: session.note([words]))
    if session.json or no_shell or not (sys.stdin.isatty() and sys.stdout.isatty()):
        session.answer(taken, lambda: _print_taken(taken))
        return
    printing.taken(taken)
    session.boards.shell(taken)
    if session.boards.leave(session.board, taken.run, lambda words: session.note([words])):
        printing.left(taken)


def _print_taken(taken: Taken) -> None:
    printing.taken(taken)
    click.echo()
    click.echo(f"cd {shlex.quote(taken.workspace)}")
    for name, value in taken.env.items():
        click.echo(f"export {name}={shlex.quote(value)}")


@click.command("give")
@click.argument("item", required=False, metavar="[RUN|ITEM]")
@click.option("--report", metavar="FILE", help="Your report, in any dialect; default: done. - reads standard input.")
@click.option("--summary", metavar="TEXT", help="What was done, in a sentence.")
@click.option("--back", is_flag=True, help="Hand the item back to its agent, which goes on from your work.")
@click.option("--widen", is_flag=True, help="Let the item have the other files that you changed, too.")
@click.option("--unproved", is_flag=True, help="Report without trying the column's gates first; they run later.")
@common
@click.pass_obj
def give_command(
    session: Session,
    item: str | None,
    report: str | None,
    summary: str | None,
    back: bool,
    widen: bool,
    unproved: bool,
) -> None:
    """Give the work on an item that you have taken.

    Your clone is harvested as an agent's is, and the report goes through the same gates, reviews and landing. The
    gates of the column are tried first: if one is red, nothing is reported and you can mend it. What is refused leaves
    the clone as it is.

    \b
    Examples:
      moot give
      moot give 7 --summary "rounds half up"
      moot give --report review.md
      moot give --back

    Exit codes: 1 if the change, or a gate, says no; 3 if you have taken nothing.

    See also: moot take, moot show, moot release.
    """
    if back and (report or summary or widen or unproved):
        raise Invalid("bad_usage", "--back reports nothing", "use it alone: moot give --back")
    if report and summary:
        raise Invalid("bad_usage", "a report has its own summary", "leave --summary out")
    given = session.boards.give(
        session.board,
        session.actor(),
        number_of(item) if item else None,
        _said(report, summary),
        back=back,
        widen=widen,
        unproved=unproved,
        tell=lambda words: session.note([words]),
    )
    session.answer(given, lambda: printing.given(given, back=back))


def _said(report: str | None, summary: str | None) -> Report | None:
    if report is None:
        return Report.done(summary) if summary else None
    from folkmoot.reports.read import read_report

    return read_report(read_text(report))
