"""What was meant: a word that nothing knows, and the nearest one that is known."""

import re

import click

from folkmoot.core.flow import Flow
from folkmoot.core.vocabulary.roles import nearest
from folkmoot.errors import Invalid, MootError

QUOTED = re.compile(r"'([^']{1,64})'")


def suggest(error: MootError) -> MootError:
    """Where a name of the flow is not known, the hint lists those that are: the nearest comes first."""
    word = QUOTED.search(error.message)
    _, sign, names = error.hint.partition(": ")
    if error.code in ("unknown_column", "unknown_agent") and word and sign:
        near = nearest(word[1], names.split(", "))
        error.hint = f"did you mean: {near}; {error.hint}" if near else error.hint
    return error


def known_column(name: str | None, flow: Flow) -> None:
    """Nothing was found in a column: is there one of that name?"""
    if name is not None and name not in flow.columns:
        raise Invalid("unknown_column", f"there is no column {name!r}", f"columns: {', '.join(flow.columns)}")


def known_agent(name: str | None, flow: Flow) -> None:
    """Nothing was found of an agent: is there one of that name?"""
    if name is not None and name not in flow.agents:
        raise Invalid("unknown_agent", f"the flow has no agent {name!r}", f"agents: {', '.join(flow.agents)}")


def in_our_words(error: click.ClickException) -> Invalid:
    """What is wrong with the line as it was typed: what was asked, and what to type instead."""
    context = getattr(error, "ctx", None)
    see = f"see: {context.command_path if context else 'moot'} --help"
    command = context.info_name if context else "moot"
    if isinstance(error, click.NoSuchOption):
        known = [name for parameter in context.command.params for name in parameter.opts] if context else []
        near = nearest(error.option_name, known)
        hint = f"did you mean: {near}; {see}" if near else see
        return Invalid("bad_usage", f"{command} has no option {error.option_name!r}", hint)
    parameter = getattr(error, "param", None)
    choices = [str(choice) for choice in getattr(getattr(parameter, "type", None), "choices", ())]
    if isinstance(error, click.MissingParameter) and parameter is not None:
        name = (
            parameter.opts[0]
            if isinstance(parameter, click.Option)
            else parameter.metavar or (parameter.name or "").upper()
        )
        return Invalid(
            "bad_usage", f"{command} needs {name}", f"one of: {', '.join(choices)}; {see}" if choices else see
        )
    word = QUOTED.search(error.message)
    near = nearest(word[1], choices) if word and choices else None
    words = error.format_message().rstrip(".")
    if words.startswith("Got unexpected extra"):
        see = f"put words that belong together in quotes; {see}"
    return Invalid("bad_usage", words[:1].lower() + words[1:], f"did you mean: {near}; {see}" if near else see)
