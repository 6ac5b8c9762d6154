"""What an agent does: claim, renew, release, widen, report."""

import os
from contextlib import suppress

import click

from folkmoot.api.requests import AskPerson, Claim, Hear, OfferReport, Release, Renew, RequestFiles, SendReport, Show
from folkmoot.api.views import ItemView, Sentences, SentenceView
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.core.rules.running.hearing import answer_words
from folkmoot.doors.cli import render
from folkmoot.doors.cli.session import Session, Span, in_run, keyed, number_of, plain, read_text
from folkmoot.doors.waiting import Waiting, patiently, when_ready
from folkmoot.errors import Invalid, NothingToDo, Refused


@click.command("claim")
@click.argument("agent", required=False)
@click.option("--clone", is_flag=True, help="Make a clone to work in; the report takes in what is changed there.")
@click.option("--column", metavar="C", help="Only from this column.")
@click.option("--item", metavar="ID", help="Only this item.")
@click.option("--lease", type=Span(), metavar="60s", help="How long the claim holds without a renewal.")
@click.option("--worker", default="", metavar="NAME", help="Who runs the agent; shown, never trusted.")
@click.option("--wait", type=Span(), default=0.0, metavar="60s", help="Wait so long until an item is ready.")
@click.option("--prompt", "as_prompt", is_flag=True, help="Print only the prompt; the run and its token go to stderr.")
@keyed
@click.pass_obj
def claim_command(
    session: Session,
    agent: str | None,
    clone: bool,
    column: str | None,
    item: str | None,
    lease: float | None,
    worker: str,
    wait: float,
    as_prompt: bool,
) -> None:
    """Take the next item for an agent, with its brief. Exit 3 if none is ready.

    For scripts and people that are the agent themselves; `moot run` does it by itself. The claim is yours for the
    lease: renew it while you work, and end it with a report. Without AGENT it is the next item of any agent.

    With --clone you work in a clone of the repository, made as a worker makes it. Report from anywhere: what you
    changed there goes through the agent's rights, the gates and the landing. The lease is an hour, and what you say to
    the board renews it.

    \b
    Examples:
      moot claim dev-agent
      moot claim dev-agent --item 7 --lease 10m --json
      moot claim dev-agent --wait 60s --prompt | my-agent
      moot claim --clone

    Exit codes: 1 if the rules refuse it, 2 if there is no such agent, 3 if no item is ready for it, 4 if no clone
    could be made.

    See also: moot renew, moot report, moot run.
    """
    if as_prompt and session.json:
        raise Invalid("bad_usage", "--prompt is text, and --json is one document", "the JSON has the brief: use --json")
    wanted = number_of(item) if item else None
    request = Claim(agent=agent, column=column, item=wanted, lease=lease, worker=worker, clone=clone)
    view = when_ready(session.board, agent, wait, lambda: session.ask(request))

    if as_prompt:
        from folkmoot.briefs.prompt import prompt

        where = f", clone {view.workspace}" if view.workspace else ""
        session.note([f"run {view.run}, token {view.token}, item {view.brief['task']['id']}{where}"])
        click.echo(plain(view.prompt or prompt(view.brief)), color=False)
    else:
        session.answer(view, lambda: render.run.claimed(view, os.path.abspath(session.board.board_dir)))


@click.command("renew")
@click.argument("run", required=False)
@click.option("--token", type=int, metavar="N", help="The token the claim told.")
@keyed
@click.pass_obj
def renew_command(session: Session, run: str | None, token: int | None) -> None:
    """Keep a claim for another lease.

    While you work, before the lease is over; else the item is given to the next. Inside a run nothing need be named.

    \b
    Examples:
      moot renew r3f9a2c41b7d0 --token 1
      moot renew r3f9a2c41b7d0 --token 1 --json

    Exit codes: 1 if the claim is no longer yours: stop the work.

    See also: moot claim, moot release.
    """
    view = session.ask(Renew(), actor=session.run_speaker(run, token))
    session.answer(view, lambda: render.item.changed(view, "keeps its run"))


@click.command("release")
@click.argument("run", required=False)
@click.option("--token", type=int, metavar="N", help="The token the claim told.")
@keyed
@click.pass_obj
def release_command(session: Session, run: str | None, token: int | None) -> None:
    """Give an item back unworked.

    For when you cannot begin after all. It counts as no attempt, and the next agent may take it at once. What was
    changed in a clone is kept (`moot salvage`), and the clone is removed.

    \b
    Examples:
      moot release r3f9a2c41b7d0 --token 1
      moot release r3f9a2c41b7d0 --token 1 --json

    Exit codes: 1 if the claim is no longer yours.

    See also: moot claim, moot report.
    """
    view = session.ask(Release(), actor=session.run_speaker(run, token))
    session.answer(view, lambda: render.item.changed(view, "given back"))


@click.command("widen")
@click.argument("run_and_paths", nargs=-1, required=True, metavar="[RUN] PATH...")
@click.option("--token", type=int, metavar="N", help="The token the claim told.")
@click.option("--wait", type=Span(), default=0.0, metavar="10s", help="Wait so long for whoever holds one.")
@keyed
@click.pass_obj
def widen_command(session: Session, run_and_paths: tuple[str, ...], token: int | None, wait: float) -> None:
    """Ask for more files than the item declared. Exit 1 if another holds one.

    Without --wait the run goes on at once: what it cannot have it must do without, or leave to the item's next run
    (report incomplete), which begins when the holder is done. Inside a run, where MOOT_RUN and MOOT_TOKEN are set, the
    paths are enough.

    \b
    Examples:
      moot widen r3f9a2c41b7d0 --token 1 src/auth/mail.py
      moot widen r3f9a2c41b7d0 --token 1 src/mail/ templates/

    See also: moot locks, moot lock.
    """
    # Inside a run the first word is a path too, unless it names a run again.
    named = session.run is None or token is not None or run_and_paths[0] == session.run
    run, paths = (run_and_paths[0], run_and_paths[1:]) if named else (None, run_and_paths)
    if not paths:
        raise Invalid("bad_usage", "widen needs a RUN and at least one PATH", "see: moot widen --help")
    request, actor = RequestFiles(paths=list(paths)), session.run_speaker(run, token)
    view = patiently(session.board, wait, lambda: session.ask(request, actor=actor))
    session.answer(view, lambda: render.item.changed(view, f"may write {', '.join(paths)}"))


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

    For what the agent could also do without. Without --wait `moot hear` tells the answer, or the item's next brief; no
    item ends past it. A question that must be answered before anything else is a report with the outcome `asks`.

    \b
    Examples:
      moot ask "May I add a dependency on requests?"
      moot ask "Which limit?" --option "10 MB" --option "20 MB" --wait 10m

    See also: moot inbox, moot answer, moot report.
    """
    request = AskPerson(question=question, options=list(options), context=context)
    speaker = session.run_speaker(None, None)
    view = session.ask(request, actor=speaker)
    asked = view.questions[-1]
    waiting = Waiting(session.board, wait or 0.0)
    while asked.state == "open" and waiting.left > 0:
        waiting.sleep()
        found = session.ask(Show(item=view.id)).questions
        asked = next(one for one in found if one.id == asked.id)
    if wait is not None and asked.state == "open":
        words = "nobody has answered {question} yet"
        raise NothingToDo("no_answer_yet", words, "go on without, or say in the report what is missing", asked.id)

    beside: list[SentenceView] = []
    if asked.state == "answered":  # it is heard now, and with it what else was said
        own = answer_words(asked.id, asked.question, asked.answer or "")
        beside = [one for one in session.ask(Hear(), actor=speaker).sentences if one.text != own]

    def told() -> None:
        click.echo(plain(asked.answer or f"asked: {asked.id}"))
        if beside:
            from folkmoot.doors.cli.steering import printing  # only people need it

            printing.heard(Sentences(sentences=beside))

    session.answer(asked, told)


@click.command("report")
@click.argument("run_and_file", nargs=-1, required=True, metavar="[RUN] FILE")
@click.option("--token", type=int, metavar="N", help="The token the claim told.")
@click.option(
    "--final", is_flag=True, help="The process is over: what breaks the form is recorded as a protocol fault."
)
@keyed
@click.pass_obj
def report_command(session: Session, run_and_file: tuple[str, ...], token: int | None, final: bool) -> None:
    """Report how a run ended.

    FILE holds the report, in any dialect the board reads: JSON, markdown, signals; - reads standard input. The item
    then goes where the rules say. Inside a run, where MOOT_RUN and MOOT_TOKEN are set, FILE is enough.

    \b
    Examples:
      echo '{"outcome": "done"}' | moot report r3f9a2c41b7d0 --token 1 -
      moot report r3f9a2c41b7d0 --token 1 report.md
      moot report r3f9a2c41b7d0 --token 1 report.md --final

    A report that cannot be read, or that breaks the form, is refused: the run lives, what it said is kept, and it can
    report again. With --final it ends the run instead.

    Exit codes: 1 if the claim is no longer yours, 2 if the report was refused.

    See also: moot claim, moot show.
    """
    if len(run_and_file) > 2:
        raise Invalid("bad_usage", "report takes a RUN and a FILE", "see: moot report --help")
    run = run_and_file[0] if len(run_and_file) == 2 else None
    actor = session.run_speaker(run, token)
    if actor.run is not None and actor.run == session.settings.taken:
        words = "run {run} is in a clone of yours, and a report alone would leave that behind"
        raise Refused("give_it", words, "moot give --report {file}", actor.run, file=run_and_file[-1])
    report, fault = _read(session, actor, run_and_file[-1], final)
    view = session.ask(SendReport(report=report, fault=fault, final=final), actor=actor)
    session.answer(view, lambda: render.ends.reported(session.ask, view, actor.run or ""))
    _note_unattended(session, view, actor)


def _note_unattended(session: Session, view: ItemView, actor: Actor) -> None:
    """Who works in a clone may have no worker: what comes after the report waits for one."""
    cloned = any(run.run == actor.run and run.cloned for run in view.runs)
    if cloned and view.status == "proving" and not session.boards.worker_alive(session.board):
        session.note(["no worker is running here, and gates and landings wait for one; start it: moot run"])


def _read(session: Session, actor: Actor, file: str, final: bool) -> tuple[Report, str | None]:
    """The report in a file; at the end of a process what cannot be read becomes a fault instead. Its text is kept."""
    from folkmoot.reports.read import read_report

    text: str | None = None
    try:
        text = read_text(file)
        return read_report(text), None
    except Invalid as error:
        unread = Report.unread(error.message, text or "")
        if final:
            return unread, error.message
        if text is not None:
            with suppress(Invalid):  # what is told to the agent is what is wrong with its report
                session.ask(OfferReport(report=unread, fault=error.message), "", actor=actor)
        raise
