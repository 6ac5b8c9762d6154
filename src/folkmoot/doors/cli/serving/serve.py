"""`moot serve`: the board over HTTP and MCP."""

import click
import msgspec

from folkmoot.api.serving import PORT, ServeOptions, ServerStart
from folkmoot.doors.cli.serving.opening import can_open, open_page
from folkmoot.doors.cli.session import Session, common


@click.command("serve")
@click.option(
    "--port", default=PORT, show_default=True, type=click.IntRange(0, 65535), help="Its port; 0: any that is free."
)
@click.option("--listen", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--remote", is_flag=True, help="Other machines may reach it.")
@click.option("--name", "names", multiple=True, metavar="HOST", help="A name under which others speak to it.")
@click.option("--certificate", metavar="FILE", help="A TLS certificate, as PEM.")
@click.option("--key", "private_key", metavar="FILE", help="Its private key, as PEM.")
@click.option("--no-gates", is_flag=True, help="See to no gates and landings; `moot run` must be at work for them.")
@click.option("--no-open", is_flag=True, help="Do not open the board in a browser; only at a terminal it is.")
@click.option("--log-json", is_flag=True, help="Write each request to standard error, as JSON.")
@click.option("--otel", is_flag=True, help="Send traces of items and runs to OTEL_EXPORTER_OTLP_ENDPOINT.")
@common
@click.pass_obj
def serve_command(
    session: Session,
    port: int,
    listen: str,
    remote: bool,
    names: tuple[str, ...],
    certificate: str | None,
    private_key: str | None,
    no_gates: bool,
    no_open: bool,
    log_json: bool,
    otel: bool,
) -> None:
    """Serve the board: a web page, HTTP and MCP.

    At a terminal with a screen the page is opened in your browser, by a link that signs it in once; the link is also
    printed.

    Every call of the contract is a route below /v1/, events are a stream at /v1/events, MCP is at /mcp. Each request
    needs a token, also from this machine. The owner's is made at the first start, in a file that only you can read;
    `moot token` makes more. The server also sees to gates and landings, and starts no agents: `moot run` does that.

    \b
    Examples:
      moot serve
      moot serve --no-open
      moot serve --port 8000 --log-json
      moot serve --listen 0.0.0.0 --remote --name build.example

    Exit codes: 4 if nothing can listen there, or the extra is not installed: pip install "folkmoot[serve]".

    See also: moot token, moot mcp, moot schema.
    """
    options = ServeOptions(
        listen=listen,
        port=port,
        remote=remote,
        names=[*names],
        certificate=certificate,
        key=private_key,
        gates=not no_gates,
        log_json=log_json,
        otel=otel,
    )
    name = session.actor().name

    def begin(start: ServerStart) -> None:
        if session.json:
            click.echo(msgspec.json.encode(start).decode())  # on one line: whoever reads it need not wait for an end
            return
        _say(start)
        if not no_open and can_open():
            open_page(start.link)

    session.boards.serve(session.board, options, name, begin, lambda words: click.echo(words, err=True))


def _say(start: ServerStart) -> None:
    click.echo(f"The board is served at {click.style(start.address, bold=True)}")
    click.echo(f"  token    {start.token_file}")
    click.echo(f"  browser  {start.link}  (once, within ten minutes)")
    if start.mcp:
        click.echo(f"  MCP      {start.mcp}")
    click.echo("Ctrl-C ends it.")
