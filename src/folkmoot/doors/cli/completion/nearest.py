"""What was meant: a word that nothing knows, and the nearest one that is known."""

import re

import click

from folkmoot.core.flow import Flow
from folkmoot.core.vocabulary.roles import nearest
from folkmoot.errors import Invalid, MootError, unknown_agent, unknown_column

ALIKE = 0.7  # from so like on another option is a slip of the finger
LONGEST = 64
# What other programs call an option, and what it is called here.
_SAME = {
    **dict.fromkeys(("text", "description", "desc", "message"), ("body", "text", "message", "summary", "why")),
    **dict.fromkeys(("reason", "because", "comment"), ("why",)),
    **dict.fromkeys(("path", "paths", "file"), ("files",)),
    **dict.fromkeys(("user", "actor", "me"), ("as",)),
    **dict.fromkeys(("dependency", "depends-on", "blocked-by"), ("after",)),
    **dict.fromkeys(("template", "flow"), ("preset",)),
    **dict.fromkeys(("requires", "label", "labels"), ("needs", "label")),
}
QUOTED = re.compile(r"'([^']{1,64})'")


def suggest(error: MootError) -> MootError:
    """Where a name of the flow is not known, the hint lists those that are: the nearest comes first."""
    word = error.details.get(error.code.removeprefix("unknown_"))
    near = nearest(word, error.details["known"]) if word and "known" in error.details else None
    if near:
        error.details["nearest"], error.remedy = near, f"did you mean: {{nearest}}; {error.remedy}"
    return error


def known_column(name: str | None, flow: Flow) -> None:
    """Nothing was found in a column: is there one of that name?"""
    if name is not None and name not in flow.columns:
        raise unknown_column(name, flow.columns)


def known_agent(name: str | None, flow: Flow) -> None:
    """Nothing was found of an agent: is there one of that name?"""
    if name is not None and name not in flow.agents:
        raise unknown_agent(name, flow.agents)


def _meant(option: str, known: list[str]) -> str | None:
    """The option that was meant, by its meaning or its letters. The dashes, which all have, make none like another."""
    from difflib import get_close_matches  # slow to import, and only needed when something is wrong

    bare = {name.lstrip("-"): name for name in known if name.startswith("--")}
    word = option.lstrip("-")[:LONGEST].lower()
    near = [name for name in _SAME.get(word, ()) if name in bare] or get_close_matches(word, bare, 1, ALIKE)
    return bare[near[0]] if near else None


def in_our_words(error: click.ClickException) -> Invalid:
    """What is wrong with the line as it was typed: what was asked, and what to type instead."""
    context = getattr(error, "ctx", None)
    see = f"see: {context.command_path if context else 'moot'} --help"
    command = context.info_name if context else "moot"
    if isinstance(error, click.NoSuchOption):
        known = [name for parameter in context.command.params for name in parameter.opts] if context else []
        near = _meant(error.option_name, known)
        words, hint = "{command} has no option {option!r}", f"did you mean: {{nearest}}; {see}" if near else see
        return Invalid("bad_usage", words, hint, command, error.option_name, nearest=near, known=known)
    parameter = getattr(error, "param", None)
    choices = [str(choice) for choice in getattr(getattr(parameter, "type", None), "choices", ())]
    if isinstance(error, click.MissingParameter) and parameter is not None:
        name = (
            parameter.opts[0]
            if isinstance(parameter, click.Option)
            else parameter.metavar or (parameter.name or "").upper()
        )
        hint = f"one of: {{known}}; {see}" if choices else see
        return Invalid("bad_usage", "{command} needs {needed}", hint, command, name, known=choices)
    word = QUOTED.search(error.message)
    near = nearest(word[1], choices) if word and choices else None
    words = error.format_message().rstrip(".")
    if words.startswith("Got unexpected extra"):
        see = f"put words that belong together in quotes; {see}"
    hint, given = f"did you mean: {{nearest}}; {see}" if near else see, word[1] if word else None
    why, more = words[:1].lower() + words[1:], {"command": command, "given": given, "nearest": near, "known": choices}
    return Invalid("bad_usage", "{why}", hint, why, **more)
