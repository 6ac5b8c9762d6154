"""`moot skill`: teaches an agent the commands, as a file that coding clients find by themselves."""

import os
from importlib.resources import files

import click

from folkmoot.doors.cli.serving.mcp import CLIENTS
from folkmoot.doors.cli.session import Session, common, plain
from folkmoot.errors import Invalid

FOLDER, FILE = "folkmoot", "SKILL.md"


@click.command("skill")
@click.option(
    "--install",
    "client",
    type=click.Choice(CLIENTS),
    is_flag=False,
    flag_value="claude",
    metavar="[CLIENT]",
    help="Put it where this client looks; alone: claude.",
)
@click.option("--user", is_flag=True, help="With --install: for all your projects.")
@common
@click.pass_obj
def skill_command(session: Session, client: str | None, user: bool) -> None:
    """Teach an agent to work with a board by commands.

    Prints SKILL.md, or puts it where a client looks for skills: claude, codex, cursor, gemini, opencode, goose, copilot
    or vscode. It says the same as the tools of `moot mcp`, costs nothing until it is needed, and needs no server.

    \b
    Examples:
      moot skill
      moot skill --install
      moot skill --install codex --user

    See also: moot mcp, moot claim.
    """
    text = files("folkmoot.doors.skill").joinpath(FILE).read_text("utf-8")
    if client is None:
        if user:
            raise Invalid("bad_usage", "--user goes with --install", "see: moot skill --help")
        session.answer({"text": text}, lambda: click.echo(plain(text), nl=False))
        return
    from folkmoot.doors.mcp.entries.known import client_named
    from folkmoot.doors.mcp.entries.writing import check_inside, replace_file

    places = client_named(client).skills
    above = os.path.expanduser(places.user) if user else os.path.join(_project(session), places.project)
    file = os.path.join(above, FOLDER, FILE)
    if not user:
        check_inside(_project(session), file, by_links=False)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    replace_file(os.path.realpath(file), text)
    session.answer({"file": file}, lambda: click.echo(plain(f"{file}: written")))


def _project(session: Session) -> str:
    return os.path.dirname(os.path.abspath(session.board.board_dir))
