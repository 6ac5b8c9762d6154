"""The contract itself: its schemas, and any call of it by name."""

import click
import msgspec

from folkmoot.api import schemas
from folkmoot.api.call import Call
from folkmoot.core.decoding import reader
from folkmoot.doors.cli.session import Session, common, in_run, keyed, print_json, read_text
from folkmoot.engine.registry import BY_NAME, CALLS
from folkmoot.errors import Invalid


@click.command("schema")
@click.argument("name", required=False)
@common
@click.pass_obj
def schema_command(session: Session, name: str | None) -> None:
    """Show the contract as JSON Schema.

    Without NAME: which there are, one on a line. A call has a request and a response; Event, Message, Report and Flow
    are what calls carry.

    \b
    Examples:
      moot schema
      moot schema claim
      moot schema Report

    See also: moot call.
    """
    if name is None:
        found = schemas.names(CALLS)
        session.answer({"schemas": found}, lambda: click.echo("\n".join(found)))
    elif name in schemas.THINGS:
        print_json(schemas.schema_of_thing(name))
    else:
        print_json(schemas.schema_of_call(_call(name)))


@click.command("call")
@click.argument("name")
@click.argument("request", default="{}")
@in_run
@keyed
@click.pass_obj
def call_command(session: Session, name: str, request: str) -> None:
    """Make any call of the contract: JSON in, JSON out.

    Every call has a command of its own that is easier to type; this is for programs. REQUEST may be - for standard
    input.

    \b
    Examples:
      moot call show '{"item": "7"}'
      moot call add '{"title": "Users can reset their password"}' --key k1

    Exit codes: those of the call's own command.

    See also: moot schema.
    """
    call = _call(name)
    given = read_text("-") if request == "-" else request
    try:
        asked = reader(call.request)(given)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
        words = "this is no request for {call}: {why}"
        raise Invalid("bad_request", words, "see what it may be: moot schema {call}", name, str(error)) from error
    print_json(session.ask(asked))


def _call(name: str) -> Call:
    call = BY_NAME.get(name)
    if call is None:
        words = "there is no call {call!r}"
        raise Invalid("unknown_call", words, "see which there are: moot schema", name, known=[*BY_NAME])
    return call
