"""What an agent does: claim, renew, release, widen, report."""

import click

from folkmoot.core import commands
from folkmoot.core.report import Report
from folkmoot.doors.cli.session import Session, Span, View, in_run, keyed, number_of, plain, read_text
from folkmoot.errors import Invalid, NothingToDo

ANSWER_SECONDS = 1.0  # how often a run that waits looks for the answer


@click.command("claim")
@click.argument("agent")
@click.option("--column", metavar="C", help="Only from this column.")
@click.option("--item", metavar="ID", help="Only this item.")
@click.option("--lease", type=Span(), metavar="60s", help="How long the claim holds without a renewal.")
@click.option("--worker", default="", metavar="NAME", help="Who runs the agent; shown, never trusted.")
@click.option("--prompt", "as_prompt", is_flag=True, help="Print only the prompt; the run and its token go to stderr.")
@keyed
@click.pass_obj
def claim_command(
    session: Session,
    agent: str,
    column: str | None,
    item: str | None,
    lease: float | None,
    worker: str,
    as_prompt: bool,
) -> None:
    """Take the next item for an agent, with its brief. Exit 3 if none is ready.

    \b
    moot claim dev-agent
    moot claim dev-agent --item 7 --lease 10m --json
    moot claim dev-agent --prompt | my-agent
    """
    if as_prompt and session.json:
        raise Invalid("bad_usage", "--prompt is text, and --json is one document", "the JSON has the brief: use --json")
    wanted = number_of(item) if item else None
    view = session.board.engine.claim(
        session.speaker(), agent, column=column, item=wanted, lease=lease, worker=worker, key=session.key
    )

    def words() -> None:
        from folkmoot.doors.cli.say.run import claimed

        claimed(view)

    if as_prompt:
        from folkmoot.briefs.prompt import prompt

        session.note([f"run {view['run']}, token {view['token']}, item {view['item']['id']}"])
        click.echo(plain(prompt(view["brief"])), color=False)
        return
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


@click.command("widen")
@click.argument("run_and_paths", nargs=-1, required=True, metavar="[RUN] PATH...")
@click.option("--token", type=int, metavar="N", help="The token the claim told.")
@keyed
@click.pass_obj
def widen_command(session: Session, run_and_paths: tuple[str, ...], token: int | None) -> None:
    """Ask for more files than the item declared. Exit 1 if another holds one.

    The run never waits: what it cannot have it must do without, or say in its report.
    Inside a run, where MOOT_RUN and MOOT_TOKEN are set, the paths are enough.

    \b
    moot widen r3f9a2c41b7d0 --token 1 src/auth/mail.py
    """
    # Inside a run the first word is a path too, unless it names a run again.
    named = session.run is None or token is not None or run_and_paths[0] == session.run
    run, paths = (run_and_paths[0], run_and_paths[1:]) if named else (None, run_and_paths)
    if not paths:
        raise Invalid("bad_usage", "widen needs a RUN and at least one PATH", "see: moot widen --help")
    command = commands.WidenRun(paths=list(paths))
    view = session.board.engine.on_run(session.run_speaker(run, token), command, session.key)
    _say(session, view, f"may write {', '.join(paths)}")


@click.command("ask")
@click.argument("question")
@click.option("--option", "options", multiple=True, metavar="O", help="A way to answer; repeatable.")
@click.option("--context", default="", metavar="TEXT", help="What the person must know.")
@click.option("--wait", type=Span(), metavar="10m", help="Wait so long for the answer, and print it.")
@in_run
@keyed
@click.pass_obj
def ask_command(session: Session, question: str, options: tuple[str, ...], context: str, wait: float | None) -> None:
    """Ask a person in the middle of a run, and go on. Exit 3 if there is no answer in time.

    Without --wait the answer is in the item's next brief.

    \b
    moot ask "May I add a dependency on requests?" --option yes --option no --wait 10m
    """
    speaker = session.run_speaker(None, None)
    command = commands.AskPerson(question=question, options=list(options), context=context)
    view = session.board.engine.on_run(speaker, command, session.key)
    asked = view["questions"][-1]
    while wait is not None and asked["state"] == "open" and wait > 0:
        session.boards.pause(min(ANSWER_SECONDS, wait))
        wait -= ANSWER_SECONDS
        found = session.board.queries.show(view["id"])["questions"]
        asked = next(one for one in found if one["id"] == asked["id"])
    if wait is not None and asked["state"] == "open":
        words = f"nobody has answered {asked['id']} yet"
        raise NothingToDo("no_answer_yet", words, "go on without, or say in the report what is missing")

    def words_of() -> None:
        click.echo(plain(asked["answer"] or f"asked: {asked['id']}"))

    session.answer(asked, words_of)


@click.command("report")
@click.argument("run_and_file", nargs=-1, required=True, metavar="[RUN] FILE")
@click.option("--token", type=int, metavar="N", help="The token the claim told.")
@click.option("--final", is_flag=True, help="The process is over: what cannot be read is recorded as a protocol fault.")
@keyed
@click.pass_obj
def report_command(session: Session, run_and_file: tuple[str, ...], token: int | None, final: bool) -> None:
    """Report how a run ended.

    FILE holds the report, in any dialect the board reads: JSON, markdown, signals; - reads standard input.
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

    def words() -> None:
        from folkmoot.doors.cli.say.ends import reported

        reported(session.board.queries, view, speaker.run or "")

    session.answer(view, words)


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
