"""`moot digest`: what happened while nobody looked."""

import os

import click
from msgspec.structs import replace

from folkmoot.api.summary.digest import Digest, ReadDigest
from folkmoot.doors.cli.session import Session, common

FORMATS = ("text", "markdown", "html", "json")
FILE = "digested"  # of the board: until when its last digest told
USUAL = "24h"


@click.command("digest")
@click.option(
    "--since", metavar="WHEN", help="12h, 7d, today, yesterday, 2026-11-18; default: the last digest, or 24h."
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="How it is said.")
@common
@click.pass_obj
def digest_command(session: Session, since: str | None, form: str) -> None:
    """Say what landed, waits for you, cost and was learned.

    Since the last digest, or since a moment that you name. One that names none is remembered: the next begins where it
    ended. Days are those of UTC, as for budgets.

    \b
    Examples:
      moot digest
      moot digest --since yesterday
      moot digest --since 12h --format markdown
      moot digest --format html > digest.html

    See also: moot status, moot usage, moot lessons.
    """
    session.json = session.json or form == "json"
    place = os.path.join(session.board.board_dir, FILE)
    view = session.ask(ReadDigest(since=since or _last(place)))
    view = replace(view, lost=session.boards.lost(session.board))
    session.answer(view, lambda: _show(view, form))
    if since is None and view.until is not None:
        _keep(place, view.until)


def _show(view: Digest, form: str) -> None:
    if form == "text":
        from folkmoot.doors.cli.render.digest.text import digest

        return digest(view)
    if form == "markdown":
        from folkmoot.doors.cli.render.digest.markdown import digest as made
    else:
        from folkmoot.doors.cli.render.digest.html import digest as made
    click.echo(made(view), nl=False)


def _last(place: str) -> str:
    try:
        with open(place, encoding="utf-8") as file:
            return file.read(64).strip() or USUAL
    except (FileNotFoundError, UnicodeDecodeError):
        return USUAL


def _keep(place: str, until: str) -> None:
    aside = f"{place}.{os.getpid()}"
    with open(aside, "w", encoding="utf-8") as file:
        file.write(f"{until}\n")
    os.replace(aside, place)
