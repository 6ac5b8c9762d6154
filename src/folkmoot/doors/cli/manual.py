"""A person's hands on the board."""

import click
from msgspec import UNSET

from folkmoot.api.requests import Cancel, Edit, Move, Reopen
from folkmoot.api.screen import EndRun, Park, PersonFinding, SendBack, Unpark
from folkmoot.core.enums import PRIORITIES, TYPES
from folkmoot.core.vocabulary.lines import finding_in
from folkmoot.doors.cli import render
from folkmoot.doors.cli.session import Number, Session, body_text, keyed, labels_in, number_of


@click.command("move")
@click.argument("item")
@click.argument("column")
@click.option("--why", default="", metavar="T", help="The reason; agents see it.")
@keyed
@click.pass_obj
def move_command(session: Session, item: str, column: str, why: str) -> None:
    """Move an item by hand.

    For when you know better than the rules where it belongs. This is guidance: its counters begin again, its run and
    its questions end.

    \b
    Examples:
      moot move 7 dev
      moot move 7 stories --why "The story is not clear enough"

    Exit codes: 1 if the rules refuse it, 2 if there is no such item or column.

    See also: moot answer, moot edit.
    """
    view = session.ask(Move(item=number_of(item), column=column, why=why))
    session.answer(view, lambda: render.ends.taken_in_hand(session.ask, view, "moved"))


@click.command("send-back")
@click.argument("item")
@click.option("--finding", "findings", multiple=True, metavar="T", help="What must change; repeatable.")
@click.option("--why", default="", metavar="T", help="The reason, in a sentence; agents see it.")
@click.option("--column", metavar="C", help="Who makes the changes, if not the one that would.")
@keyed
@click.pass_obj
def send_back_command(session: Session, item: str, findings: tuple[str, ...], why: str, column: str | None) -> None:
    """Send an item's work back, with what must change.

    It goes to the column that makes such changes, as if a reviewer had asked; each finding is in the next agent's
    brief. This is guidance: its counters begin again, its run and its questions end. A finding may begin with its
    severity and its place.

    \b
    Examples:
      moot send-back 7 --finding "src/reset.py:42: the link never expires"
      moot send-back 7 --finding "high: src/reset.py:42: no check"
      moot send-back 7 --why "It is not what the story asks for"

    Exit codes: 1 if the rules refuse it, 2 if there is no such item or column, or nothing is said.

    See also: moot diff, moot show, moot move.
    """
    found = [_finding(words) for words in findings]
    view = session.ask(SendBack(item=number_of(item), findings=found, why=why, column=column))
    session.answer(view, lambda: render.ends.taken_in_hand(session.ask, view, "sent back"))


def _finding(words: str) -> PersonFinding:
    """`high: src/a.py:42: no check`: severity and place may be left out."""
    said = finding_in(words)
    place = f"{said.file}:{said.line}" if said.line else said.file or ""
    text = said.issue.removeprefix(place).lstrip(" :-") or said.issue
    return PersonFinding(text=text, file=said.file, line=said.line, severity=said.severity)


@click.command("edit")
@click.argument("item")
@click.option("--title", metavar="T", help="A new title.")
@click.option("--body", metavar="TEXT", help="The details, in words.")
@click.option("--body-file", metavar="FILE", help="A file with the details; - reads standard input.")
@click.option("--priority", type=click.Choice(PRIORITIES), help="What is taken first.")
@click.option("--type", "kind", type=click.Choice(TYPES), help="What kind of work.")
@click.option("--tag", "tags", multiple=True, metavar="T", help="All tags anew; repeatable.")
@click.option("--files", multiple=True, metavar="P", help="All paths anew; repeatable.")
@click.option("--after", multiple=True, metavar="ID", help="All items it waits for, anew; repeatable; - for none.")
@click.option("--needs", multiple=True, metavar="L", help="All labels its worker must have, anew; - for none.")
@click.option("--overrule", type=Number(1), metavar="N", help="Turn round attempt N's verdict.")
@keyed
@click.pass_obj
def edit_command(
    session: Session,
    item: str,
    title: str | None,
    body: str | None,
    body_file: str | None,
    priority: str | None,
    kind: str | None,
    tags: tuple[str, ...],
    files: tuple[str, ...],
    after: tuple[str, ...],
    needs: tuple[str, ...],
    overrule: int | None,
) -> None:
    """Change what an item says or waits for.

    Only what you name is changed; lists are given anew as a whole. --overrule is for attempts: one that was taken for
    a repetition then counts, or the other way round.

    \b
    Examples:
      moot edit 7 --priority high --after 3
      moot edit 7 --title "Users can reset a forgotten password"
      moot edit 7 --after -
      moot edit 7 --overrule 2

    See also: moot show, moot move.
    """
    given = body_text(body, body_file)
    request = Edit(
        item=number_of(item),
        title=UNSET if title is None else title,
        body=UNSET if given is None else given,
        priority=UNSET if priority is None else priority,
        type=UNSET if kind is None else kind,
        tags=list(tags) if tags else UNSET,
        files=list(files) if files else UNSET,
        after=[number_of(other) for other in after if other != "-"] if after else UNSET,
        needs=[label for label in labels_in(needs) if label != "-"] if needs else UNSET,
        overrule=UNSET if overrule is None else overrule,
    )
    view = session.ask(request)
    session.answer(view, lambda: render.item.changed(view, "edited"))


@click.command("park")
@click.argument("item")
@click.option("--why", default="", metavar="T", help="The reason; agents see it.")
@keyed
@click.pass_obj
def park_command(session: Session, item: str, why: str) -> None:
    """Put an item aside: nobody works on it before you say so.

    For what is not wanted now, and is not given up either. Nothing of it ends, and no counter begins again. What waits
    for it goes on waiting, and what it was split into goes on. It stays in the inbox, where it can be answered too.

    \b
    Examples:
      moot park 7
      moot park 7 --why "After the release"

    Exit codes: 1 if somebody works on it, or it has ended.

    See also: moot unpark, moot pause, moot end, moot cancel.
    """
    view = session.ask(Park(item=number_of(item), why=why))
    session.answer(view, lambda: render.item.changed(view, "parked"))


@click.command("unpark")
@click.argument("item")
@click.option("--why", default="", metavar="T", help="The reason; agents see it.")
@keyed
@click.pass_obj
def unpark_command(session: Session, item: str, why: str) -> None:
    """Take up an item again that was put aside.

    It stands as it stood before, with its counters and its work. If it was waiting for an answer, it waits for that
    answer again.

    \b
    Examples:
      moot unpark 7
      moot unpark 7 --why "The release is out"

    Exit codes: 1 if it is not parked.

    See also: moot park, moot answer, moot reopen.
    """
    view = session.ask(Unpark(item=number_of(item), why=why))
    session.answer(view, lambda: render.item.changed(view, "taken up again"))


@click.command("cancel")
@click.argument("item")
@click.option("--why", default="", metavar="T", help="The reason; agents see it.")
@keyed
@click.pass_obj
def cancel_command(session: Session, item: str, why: str) -> None:
    """Cancel an item. What waits for it asks you what to do.

    A run on it ends. It can be taken up again.

    \b
    Examples:
      moot cancel 7
      moot cancel 7 --why "Nobody needs it any more"

    Exit codes: 1 if it has ended already.

    See also: moot reopen.
    """
    view = session.ask(Cancel(item=number_of(item), why=why))
    session.answer(view, lambda: render.item.changed(view, "cancelled"))


@click.command("end")
@click.argument("item")
@click.option("--why", default="", metavar="T", help="The reason; the next run sees it.")
@keyed
@click.pass_obj
def end_command(session: Session, item: str, why: str) -> None:
    """End the run that is at work on an item.

    For an agent that goes the wrong way. What it made is kept, and the next run begins anew where the item is. No
    counter begins again, and nobody has failed by it.

    \b
    Examples:
      moot end 7
      moot end 7 --why "Begin with the tests"

    Exit codes: 1 if nobody is at work on it.

    See also: moot say, moot take, moot move.
    """
    view = session.ask(EndRun(item=number_of(item), why=why))
    session.answer(view, lambda: render.item.changed(view, "its run ended"))


@click.command("reopen")
@click.argument("item")
@click.option("--why", default="", metavar="T", help="The reason; agents see it.")
@keyed
@click.pass_obj
def reopen_command(session: Session, item: str, why: str) -> None:
    """Open a done or cancelled item again.

    For work that turned out to be wrong after all. It goes to the stage that made the work.

    \b
    Examples:
      moot reopen 7
      moot reopen 7 --why "The link still works after an hour"

    Exit codes: 1 if it has not ended.

    See also: moot cancel, moot move.
    """
    view = session.ask(Reopen(item=number_of(item), why=why))
    session.answer(view, lambda: render.item.changed(view, "reopened"))
