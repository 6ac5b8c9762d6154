"""`moot token`: who may speak to the board over HTTP and MCP."""

import click

from folkmoot.api.access import ListTokens, MakeLoginCode, MakeToken, RevokeToken, Tokens
from folkmoot.api.serving import PORT
from folkmoot.doors.cli.session import Session, common


@click.group("token")
def token_command() -> None:
    """Say who may speak to the board over HTTP and MCP.

    A token has a name, under which its holder speaks, and a role: an owner may do everything, a person decides, an
    observer only looks. A run's token comes with its claim. Only digests are kept: a token is shown once.

    \b
    Examples:
      moot token add ci --role person --days 90
      moot token list
      moot token revoke ci
      moot token link --observer

    See also: moot serve.
    """


@token_command.command("add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(["owner", "person", "observer"]),
    default="person",
    show_default=True,
    help="What it may do.",
)
@click.option("--days", type=float, help="How long it is good; left out: until it is revoked.")
@common
@click.pass_obj
def add(session: Session, name: str, role: str, days: float | None) -> None:
    """Make a token, and show it, once."""
    made = session.ask(MakeToken(name=name, role=role, days=days))

    def say() -> None:
        until = f", until {made.expires_at}" if made.expires_at else ""
        click.echo(f"token of {made.name} ({made.role}{until}), shown only now:", err=True)
        click.echo(made.token)

    session.answer(made, say)


@token_command.command("list")
@common
@click.pass_obj
def list_(session: Session) -> None:
    """Which tokens there are."""
    found = session.ask(ListTokens())
    session.answer(found, lambda: _table(found))


@token_command.command("revoke")
@click.argument("name")
@common
@click.pass_obj
def revoke(session: Session, name: str) -> None:
    """Take a token back; servers that run refuse it at once."""
    left = session.ask(RevokeToken(name=name))
    session.answer(left, lambda: click.echo(f"the token of {name} is good no more"))


@token_command.command("link")
@click.option("--observer", is_flag=True, help="The browser only looks: for a screen on the wall.")
@common
@click.pass_obj
def link(session: Session, observer: bool) -> None:
    """Make a link that signs one browser in, once, within ten minutes."""
    made = session.ask(MakeLoginCode(observer=observer))
    here = session.boards.served_at(session.board)
    lead = "open" if here else "nobody serves the board here now: moot serve; then open"
    session.answer(made, lambda: click.echo(f"{lead} {here or f'http://127.0.0.1:{PORT}'}{made.path}"))


def _table(found: Tokens) -> None:
    if not found.tokens:
        click.echo("there are no tokens; moot serve makes the owner's, moot token add makes more")
    wide = max((len(one.name) for one in found.tokens), default=0)
    for one in found.tokens:
        end = one.state if one.state != "good" else f"until {one.expires_at}" if one.expires_at else "good"
        click.echo(f"{one.name.ljust(wide)}  {one.role.ljust(8)}  {end}")
