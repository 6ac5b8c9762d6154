"""Backups, the way back, and the log as text."""

import os
import sys
from contextlib import ExitStack
from typing import BinaryIO

import click

from folkmoot.doors.cli import render
from folkmoot.doors.cli.keyboard.patience import told_if_long
from folkmoot.doors.cli.session import NUMBER_MAX, GivenFile, Number, ReaderGone, Session, Span, common, number_of
from folkmoot.errors import Invalid


@click.command("backup")
@click.argument("file", required=False)
@common
@click.pass_obj
def backup_command(session: Session, file: str | None) -> None:
    """Keep the board in one file.

    Others may go on working. The file holds the store with all that agents printed, the work that has not landed, the
    flow and its prompts. It is proven before it gets its name, and never replaces another. Without FILE it goes to
    .moot/backups; copy it to another disk. A damaged board is not backed up: it would pass for a good one. A file in
    .moot/ that cannot be kept is named, such as a link that leads out of the project; so is work that git cannot pack.

    \b
    Examples:
      moot backup
      moot backup /mnt/stick/team.moot

    Exit codes: 1 if the file is there already, 4 if the board is damaged.

    See also: moot restore, moot export, moot doctor.
    """
    with told_if_long("keeping the board and the work of its runs"):
        view = session.boards.backup(session.board_dir, file)
    session.note(view.notes)
    session.answer(view, lambda: render.setup.backed_up(view))


@click.command("restore")
@click.argument("file", required=False, type=GivenFile(most=None))
@click.option("--at", type=Number(1, NUMBER_MAX), metavar="SEQ", help="As it stood after this event; see: moot log.")
@click.option("--ago", type=Span(), metavar="1h", help="As it stood so long ago.")
@common
@click.pass_obj
def restore_command(session: Session, file: str | None, at: int | None, ago: float | None) -> None:
    """Make the board what it was.

    From FILE, a backup; without it from the newest one in .moot/backups. With --at or --ago alone the board goes back
    in its own log. In a folder without a board FILE makes one: so a board moves to another machine.

    The board as it is now is kept first, as a backup, so that this can be undone; if it is damaged, its bytes are set
    aside. Where SEQ is in the middle of a command, the board goes back to before that command. Open runs are given
    back, and no claim from before can report any more. Your branches stay as they are.

    \b
    Examples:
      moot restore
      moot restore /mnt/stick/team.moot
      moot restore --at 1200
      moot restore --ago 1h

    Exit codes: 1 while a worker or another program has the board open.

    See also: moot backup, moot log, moot doctor.
    """
    if at is not None and ago is not None:
        raise Invalid("bad_usage", "--at names an event and --ago a time: both cannot hold", "leave one of them out")
    with told_if_long("restoring the board"):
        view = session.boards.restore(session.board_dir, file, at, ago)
    session.note(view.notes)
    session.answer(view, lambda: render.setup.restored(view))


@click.command("export")
@click.argument("file", default="-", metavar="[FILE]")
@click.option("--html", metavar="PAGE", help="Write a page to look at instead, of the board or of one ITEM.")
@common
@click.pass_obj
def export_command(session: Session, file: str, html: str | None) -> None:
    """Write the whole log as JSON lines, or the board as a page.

    A header, an event on each line, and a last line with their number and hash; `moot import` makes a board of it. The
    work in git that has not landed is written beside FILE, as FILE.work: keep the two together. What agents printed and
    the answers kept for --key are in neither: they are in a backup.

    With --html, a page in one file that opens from disk, needs no server and asks nobody for anything: the board with
    its story, its changes, its numbers, and a slider that plays it again. With an ITEM, of that one alone, with all
    that was made for it. What looks like a secret is taken out; look at it all the same before you share it.

    \b
    Examples:
      moot export log.jsonl
      moot export | gzip > log.jsonl.gz
      moot export --html board.html
      moot export --html quest.html 7

    Exit codes: 1 if the file is there already, 4 if the log is damaged.

    See also: moot import, moot backup, moot log.
    """
    if html is not None:
        item = number_of(file) if file != "-" else None
        with told_if_long("writing the page"):
            saved = session.boards.save_page(session.board, html, item)
        session.answer(saved, lambda: render.setup.saved(saved))
        return
    if file == "-" and session.json:
        raise Invalid("bad_usage", "the export itself goes to standard output, and --json tells of it", "name a file")
    with told_if_long("writing the log"):
        view = session.boards.export(session.board_dir, None if file == "-" else file, _write)
    session.note(view.notes)
    session.answer(view, lambda: render.setup.exported(view) if file != "-" else None)


@click.command("import")
@click.argument("file", type=GivenFile(most=None))
@common
@click.pass_obj
def import_command(session: Session, file: str) -> None:
    """Make a board from an exported log.

    In this folder, or in the one that --board names, which has no board yet. Every event is proven by its hash, and
    the board by the doctor, before it is there; a file that is anything else leaves nothing behind. The work in git
    comes from FILE.work, where that lies beside it. A flow.yaml that is in .moot/ already is kept; none is made, since
    the log has what is in force and not the file.

    \b
    Examples:
      moot import log.jsonl
      gunzip -c log.jsonl.gz | moot import -

    Exit codes: 1 if there is a board already, 2 if the file is no exported log.

    See also: moot export, moot restore, moot init.
    """
    folder = session.board_dir or os.curdir
    if "://" not in folder and not os.path.isdir(folder):
        raise Invalid("no_folder", "there is no folder {folder}", "make it first", folder)
    with ExitStack() as stack:
        source, name = _source(stack, file)
        with told_if_long("reading the log"):
            view = session.boards.import_log(folder, source, name, None if file == "-" else file)
    session.note(view.notes)
    session.answer(view, lambda: render.setup.imported(view))


def _source(stack: ExitStack, file: str) -> tuple[BinaryIO, str]:
    """What to read, and what errors call it."""
    if file == "-":
        return sys.stdin.buffer, "standard input"
    try:
        return stack.enter_context(open(file, "rb")), file
    except OSError as error:
        words = "{file} cannot be read: {why}"
        raise Invalid("unreadable_file", words, "name a file, or - for standard input", file, error.strerror) from error


def _write(data: bytes) -> None:
    try:
        sys.stdout.buffer.write(data)
    except BrokenPipeError as error:
        raise ReaderGone from error


@click.command("mirror")
@click.option("--dir", "folder", metavar="D", help="The folder; default: the one that the flow names.")
@click.option("--watch", is_flag=True, help="Go on until stopped: files follow the board, and the board the files.")
@common
@click.pass_obj
def mirror_command(session: Session, folder: str | None, watch: bool) -> None:
    """Show the board as files that plain tools can read and write.

    Handoffs by their state, state.json, the comments beside each artifact, items as YAML, quests as JSON, the log. What
    is written there in good form counts as if it had been said by a command, by whom it names; what is not is set aside
    in rejected/ with the reason beside it. Where the flow names the folder, `moot run` does the same while it runs.

    \b
    Examples:
      moot mirror --dir .claude
      moot mirror --watch

    Exit codes: 1 if another mirror writes that folder, or it holds files of others; 2 if no folder is named.

    See also: moot messages, moot run, moot export.
    """
    if watch:
        session.note(["the files follow the board from now on; Ctrl-C ends it"])
    view = session.boards.mirror(session.board, folder, watch=watch, tell=lambda words: session.note([words]))

    def words() -> None:
        from folkmoot.doors.cli.session import plain

        taken = f", {view.taken_in} taken in" if view.taken_in else ""
        aside = f", {view.rejected} set aside (see rejected/)" if view.rejected else ""
        click.echo(plain(f"{view.files} files in {view.dir}{taken}{aside}"))

    session.answer(view, words)
