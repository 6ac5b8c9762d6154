"""What an agent does: claim, renew, release, report."""

import click

from folkmoot.core import commands
from folkmoot.core.report import Report
from folkmoot.doors.cli.session import Session, Span, View, keyed, number_of, read_text
from folkmoot.errors import Invalid


@click.command("claim")
@click.argument("agent")
@click.option("--column", metavar="C", help="Only from this column.")
@click.option("--item", metavar="ID", help="Only this item.")
@click.option("--lease", type=Span(), metavar="60s", help="How long the claim holds without a renewal.")
@click.option("--worker", default="", metavar="NAME", help="Who runs the agent; shown, never trusted.")
@keyed
@click.pass_obj
def claim_command(
    session: Session, agent: str, column: str | None, item: str | None, lease: float | None, worker: str
) -> None:
    """Take the next item for an agent, with its brief. Exit 3 if none is ready.

    \b
    moot claim dev-agent
    moot claim dev-agent --item 7 --lease 10m --json
    """
    wanted = number_of(item) if item else None
    view = session.board.engine.claim(
        session.speaker(), agent, column=column, item=wanted, lease=lease, worker=worker, key=session.key
    )

    def words() -> None:
        from folkmoot.doors.cli.say.run import claimed

        claimed(view)

    session.answer(view, words)


@click.command("renew")
@click.argument("run", required=False)
@click.option("--token", type=int, metavar="N", help="The token the claim told.")
@keyed
@click.pass_obj
def renew_command(session: Session, run: str | None, token: int | None) -> None:
    """Keep a claim for another lease.

    \b
    moot renew r3f9a2c41b7d0 --token 1
    """
    view = session.board.engine.on_run(session.run_speaker(run, token), commands.RenewRun(), session.key)
    _say(session, view, "keeps its run")


@click.command("release")
@click.argument("run", required=False)
@click.option("--token", type=int, metavar="N", help="The token the claim told.")
@keyed
@click.pass_obj
def release_command(session: Session, run: str | None, token: int | None) -> None:
    """Give an item back unworked.

    \b
    moot release r3f9a2c41b7d0 --token 1
    """
    view = session.board.engine.on_run(session.run_speaker(run, token), commands.ReleaseRun(), session.key)
    _say(session, view, "given back")


@click.command("report")
@click.argument("run_and_file", nargs=-1, required=True, metavar="[RUN] FILE")
@click.option("--token", type=int, metavar="N", help="The token the claim told.")
@click.option("--final", is_flag=True, help="The process is over: what cannot be read is recorded as a protocol fault.")
@keyed
@click.pass_obj
def report_command(session: Session, run_and_file: tuple[str, ...], token: int | None, final: bool) -> None:
    """Report how a run ended.

    FILE holds the report as JSON; - reads standard input.
    Inside a run, where MOOT_RUN and MOOT_TOKEN are set, FILE is enough.

    \b
    echo '{"outcome": "done", "summary": "…"}' | moot report r3f9a2c41b7d0 --token 1 -
    """
    if len(run_and_file) > 2:
        raise Invalid("bad_usage", "report takes a RUN and a FILE", "see: moot report --help")
    run = run_and_file[0] if len(run_and_file) == 2 else None
    speaker = session.run_speaker(run, token)
    report, fault = _read(run_and_file[-1], final)
    view = session.board.engine.report(speaker, report, fault, session.key)
    _say(session, view, "not accepted as it stands; the run is over" if view["told"] else "reported")


def _read(file: str, final: bool) -> tuple[Report, str | None]:
    """The report in a file; at the end of a process what cannot be read becomes a fault instead."""
    from folkmoot.reports.read import read_report

    try:
        return read_report(read_text(file)), None
    except Invalid as error:
        if not final:
            raise
        return Report.failed(error.message, cause="protocol"), error.message


def _say(session: Session, view: View, done: str) -> None:
    def words() -> None:
        from folkmoot.doors.cli.say.item import changed

        changed(view, done)

    session.answer(view, words)
