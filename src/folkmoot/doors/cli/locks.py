"""Locks: paths that others keep their hands off for a while."""

import click

from folkmoot.api.pages import Locks
from folkmoot.api.requests import ListLocks, Lock, Unlock
from folkmoot.core.rules.sharing.holds import LOCK_SECONDS
from folkmoot.doors.cli import render
from folkmoot.doors.cli.session import Session, Span, common, in_run, keyed
from folkmoot.doors.waiting import patiently


@click.command("lock")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--for", "span", type=Span(), default=LOCK_SECONDS, metavar="30m", help="How long; default: 30m.")
@click.option("--wait", type=Span(), default=0.0, metavar="10s", help="Try again this long if others hold them.")
@in_run
@keyed
@click.pass_obj
def lock_command(session: Session, paths: tuple[str, ...], span: float, wait: float) -> None:
    """Lock files or folders, all or none. Exit 1 if others hold one.

    For a person who edits by hand while agents work, or an agent that needs a file for a moment. A folder overlaps
    what is in it. A lock ends by itself after --for, and a run's with the run; locking one's own again makes it last
    longer, and never shorter. While it holds, no agent gets an item that would write there.

    \b
    Examples:
      moot lock src/auth/ --for 2h
      moot lock package.json --wait 10s

    See also: moot locks, moot unlock.
    """
    request = Lock(paths=list(paths), seconds=span)
    view = patiently(session.board, wait, lambda: session.ask(request))
    _say(session, view, list(paths), "locked")


@click.command("unlock")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@in_run
@keyed
@click.pass_obj
def unlock_command(session: Session, paths: tuple[str, ...]) -> None:
    """Give up locks of your own.

    What an item holds for its files is not unlocked by hand: it ends with the work.

    \b
    Examples:
      moot unlock src/auth/
      moot unlock package.json src/auth/

    Exit codes: 1 if a lock is not yours.

    See also: moot lock, moot locks.
    """
    view = session.ask(Unlock(paths=list(paths)))
    _say(session, view, list(paths), "free again")


@click.command("locks")
@common
@click.pass_obj
def locks_command(session: Session) -> None:
    """Show which paths are held, by whom and until when.

    When `moot board` says that an item is blocked, this says by whom.

    \b
    Examples:
      moot locks
      moot locks --json

    See also: moot lock, moot unlock.
    """
    view = session.ask(ListLocks())
    _say(session, view, [], "")


def _say(session: Session, view: Locks, paths: list[str], done: str) -> None:
    session.answer(view, lambda: render.locks.locks(view.locks, paths, done, view.note or ""))
