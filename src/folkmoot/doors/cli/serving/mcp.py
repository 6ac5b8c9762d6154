"""`moot mcp`: the board as tools, for a client that speaks the Model Context Protocol."""

import gc
import os
from typing import Any

import click

from folkmoot.doors.cli.session import Session, common, plain
from folkmoot.errors import Invalid, Unavailable

CLIENTS = ("claude", "codex", "cursor", "gemini", "opencode", "goose", "copilot", "vscode")


@click.command("mcp")
@click.option(
    "--config", "client", type=click.Choice(CLIENTS), metavar="CLIENT", help="Print a client's entry instead."
)
@click.option("--write", is_flag=True, help="With --config: put it into the client's file.")
@click.option("--url", metavar="URL", help="With --config: the entry of a `moot serve` at this address.")
@common
@click.pass_obj
def mcp_command(session: Session, client: str | None, write: bool, url: str | None) -> None:
    """Serve the board to a coding client, as tools (MCP).

    The client starts it, and speaks over standard input and output. Its agent can then look at the board, claim an item
    with a clone of its own, comment, ask a person, and report. What it has claimed is given back when the client goes
    away.

    --config CLIENT prints the entry that tells a client of it: claude, codex, cursor, gemini, opencode, goose, copilot
    or vscode. With --write the entry is put into the client's file; whatever else stands there stays.

    \b
    Examples:
      moot mcp
      moot mcp --config claude
      moot mcp --config claude --write

    Exit codes: 1 if the client's file cannot be read, 4 if the extra is not installed: pip install
    "folkmoot[mcp]".

    See also: moot skill, moot claim, moot run.
    """
    if client is not None:
        _configure(session, client, write, url)
    elif write or url:
        raise Invalid("bad_usage", "--write and --url go with --config", "see: moot mcp --help")
    else:
        _serve(session)


def _serve(session: Session) -> None:
    gc.disable()  # what is imported stays: to look through it for what could go takes a third of the start
    try:
        from folkmoot.doors.mcp.narrow import load_server

        load_server()
        from folkmoot.doors.mcp.caller import Caller
        from folkmoot.doors.mcp.stdio import serve
    except ImportError as error:
        words = "moot mcp needs {module}, which is not installed"
        raise Unavailable("not_installed", words, 'pip install "folkmoot[mcp]"', error.name) from error
    gc.freeze()
    gc.enable()
    board = session.board

    def tell(event: Any) -> None:
        if getattr(event, "what", "") == "fault":
            session.note([event.words])

    board.tell = lambda words: session.note([words])
    if session.run is not None:
        serve(board, Caller("run", session.actor()))
    else:
        serve(board, Caller("owner", session.actor()), lambda: session.boards.attend(board, tell))


def _configure(session: Session, name: str, write: bool, url: str | None) -> None:
    from folkmoot.doors.mcp.entries import writing
    from folkmoot.doors.mcp.entries.known import TOKEN, client_named

    client = client_named(name)
    folder = os.path.dirname(os.path.abspath(session.board.board_dir))
    entry = client.entry(folder, url)
    file = writing.place_of(client, folder)
    written = writing.write(client, file, entry) if write else False
    text = writing.snippet(client, entry)
    view = {"client": name, "file": file, "entry": entry, "text": text, "written": written}

    def say() -> None:
        if not write:
            click.echo(plain(text), nl=False)
            session.note([f"for {file}; --write puts it there"])
        else:
            click.echo(plain(f"{file}: {'written' if written else 'it was there already'}"))
            click.echo(f"Next: {client.then}.")
        if url:
            session.note([f"the token is taken from the variable {TOKEN}"])

    session.answer(view, say)
