"""What the user has set for a client in its own settings file: what passes into a run, and what does not.

A client that works for its user alone works here with the same model, gateway and key. `with_settings` adds to a start
what the settings say; `not_passing` names what they say that no run gets.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from folkmoot.core.flow import RUNG_ESCALATE, Flow
from folkmoot.errors import Invalid
from folkmoot.worker.clients.catalogue import Catalogue, SettingsFile, Start
from folkmoot.worker.environment import NOT_FOR_CLIENTS, OURS
from folkmoot.worker.logins.placing import NotFit, read_regular
from folkmoot.worker.logins.without_refresh import parsed

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
# How settings name a variable whose value is put in: {env:NAME}, ${{ secrets.NAME }}, ${NAME}, $NAME.
REFERENCE = re.compile(
    r"\{env:(\w{1,200})\}|\$\{\{\s{0,4}(?:secrets|env)\.(\w{1,200})\s{0,4}\}\}|\$\{?([A-Z_]\w{0,199})"
)
COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
VALUE_MAX = 32_000
DEPTH_MAX = 20


class NotPassing(Struct, frozen=True, kw_only=True):
    """Something that the client has when its user starts it, and that no run of it has."""

    client: str
    what: str  # a variable, or a key of a settings file
    why: str
    advice: str


class _Found(Struct):
    values: dict[str, str] = field(default_factory=dict)  # variables with the value that the settings give them
    names: list[str] = field(default_factory=list)  # variables whose value comes from the environment
    files: dict[str, str] = field(default_factory=dict)  # for the run's HOME
    auth: str | None = None  # how it signs in
    lacks: list[tuple[str, str, str]] = field(default_factory=list)  # what, why, advice


def with_settings(start: Start, home: str) -> Start:
    """The start with what the user's settings of its client say. What is set for every run comes before them; where the
    flow lists the variables that pass, no other does."""
    if not start.settings or not home:
        return start
    found = _look(start, home)
    may = {*found.values, *found.names} & ({*start.env} if start.listed else {*found.values, *found.names})
    values = {name: value for name, value in found.values.items() if name in may and name not in start.set}
    names = [name for name in found.names if name in may and name not in start.env]
    return msgspec.structs.replace(
        start,
        set={**start.set, **values},
        env=[*(name for name in start.env if name not in values), *names],
        home_files={**start.home_files, **found.files},
        argv=_signing_in(start.argv, found.auth),
    )


def not_passing(catalogue: Catalogue, flow: Flow, env: Mapping[str, str], home: str) -> list[NotPassing]:
    """What clients that the flow starts have for their user and not in a run: each once, with what to do about it."""
    told: dict[tuple[str, str], NotPassing] = {}
    for start in _starts(catalogue, flow):
        found = _look(start, home)
        passes = with_settings(start, home)
        missing = [*found.lacks, *_variables(start, passes, env), *_unlisted(found, passes)]
        for what, why, advice in missing:
            one = NotPassing(client=start.name, what=what, why=why, advice=advice.replace("CLIENT", start.name))
            told.setdefault((start.name, what), one)
    return list(told.values())


def _starts(catalogue: Catalogue, flow: Flow) -> Iterator[Start]:
    for agent in flow.agents.values():
        rungs: list[str | None] = [rung.model for rung in agent.ladder if rung.model != RUNG_ESCALATE]
        for model in rungs or [None]:
            try:
                start = catalogue.resolve(flow, agent, model)
            except Invalid:
                continue  # it cannot be started at all, which is said elsewhere
            if start is not None:
                yield start


def _variables(start: Start, passes: Start, env: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Variables of the client's own that are set where the worker runs, and that its entry does not name."""
    for name in sorted(env):
        if start.own and name.startswith(tuple(start.own)) and name not in {*passes.env, *passes.set}:
            listed = "add it there" if start.listed else f"if it needs it: clients: {{CLIENT: {{set: {{{name}: …}}}}}}"
            yield name, "is set, and does not pass into runs", listed


def _unlisted(found: _Found, passes: Start) -> Iterator[tuple[str, str, str]]:
    for name in [*found.values, *found.names]:
        if name not in {*passes.env, *passes.set}:
            yield name, "is in its settings, and the flow's `env` does not list it", "add it to clients.CLIENT.env"


def _look(start: Start, home: str) -> _Found:
    found = _Found()
    for entry in start.settings:
        path = os.path.join(home, *entry.file.split("/")[1:])
        if entry.lacks_whole and os.path.exists(path):
            found.lacks.append((entry.file, "does not pass into runs", entry.lacks_whole))
        elif not entry.lacks_whole:
            _read(entry, path, found)
    return found


def _read(entry: SettingsFile, path: str, found: _Found) -> None:
    try:
        text = read_regular(path).decode("utf-8", "replace")
    except NotFit:
        return
    except OSError as error:
        found.lacks.append((entry.file, f"cannot be read: {error.strerror or error}", "let it be readable for you"))
        return
    if entry.file.endswith(".env"):
        found.values |= {name: value for name, value in _dotenv(text) if not entry.only or name in entry.only}
        return
    given = _parsed(entry.file, text)
    if not isinstance(given, dict):
        found.lacks.append((entry.file, "cannot be parsed, so nothing of it passes", "mend it"))
        return
    _take(entry, given, found)
    if entry.references:
        named = (next(filter(None, match.groups())) for match in REFERENCE.finditer(text))
        found.names += filter(_may_pass, named)


def _take(entry: SettingsFile, given: dict[str, Any], found: _Found) -> None:
    variables = _at(given, entry.variables) if entry.variables else None
    if isinstance(variables, dict):
        for name, value in variables.items():
            if _may_pass(name) and isinstance(value, str | int | float) and len(str(value)) <= VALUE_MAX:
                found.values[name] = str(value).lower() if isinstance(value, bool) else str(value)
            else:
                found.lacks.append((f"{name} in {entry.file}", "cannot pass into runs", "take it out of the settings"))
    for key, variable in entry.passes_as.items():
        value = _at(given, key)
        if isinstance(value, str) and value:
            found.values.setdefault(variable, value)
    found.names += [name for key in entry.names for name in _named(given, key, 0)]
    found.lacks += [
        (f"{key} in {entry.file}", "does not pass into runs", advice)
        for key, advice in entry.lacks.items()
        if _at(given, key) is not None
    ]
    kept: dict[str, Any] = {}
    for key in entry.keeps:
        if (value := _at(given, key)) is not None:
            _put(kept, key, value)
    if entry.keeps:
        below = "/".join(entry.file.split("/")[1:])
        found.files[below] = json.dumps(_merged(json.loads(entry.base or "{}"), kept))
    if entry.signs_in and isinstance(how := _at(given, entry.signs_in), str):
        found.auth = how


def _signing_in(argv: list[str], auth: str | None) -> list[str]:
    """The way to sign in that the settings choose, in the place of the one that is usual for the client."""
    if auth is None or "--auth" not in argv:
        return argv
    place = argv.index("--auth") + 1
    return [*argv[:place], auth, *argv[place + 1 :]]


def _may_pass(name: object) -> bool:
    if not isinstance(name, str) or not VARIABLE.fullmatch(name):
        return False
    return not name.startswith(NOT_FOR_CLIENTS) and name not in OURS and name != "PATH"


def _named(value: Any, key: str, depth: int) -> Iterator[str]:
    """The variables named under a key, wherever it stands: as its text, or as the texts of an object."""
    if depth > DEPTH_MAX:
        return
    if isinstance(value, dict):
        found = value.get(key)
        texts = [found] if isinstance(found, str) else list(found.values()) if isinstance(found, dict) else []
        yield from (text for text in texts if isinstance(text, str) and _may_pass(text))
        value = list(value.values())
    for one in value if isinstance(value, list) else []:
        yield from _named(one, key, depth + 1)


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _put(into: dict[str, Any], path: str, value: Any) -> None:
    *above, last = path.split(".")
    for key in above:
        into = into.setdefault(key, {})
    into[last] = value


def _merged(base: Any, over: Any) -> Any:
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    return {**base, **{key: _merged(base.get(key), value) for key, value in over.items()}}


def _parsed(name: str, text: str) -> Any:
    _, given = parsed(name, text)
    if given is None and name.endswith((".json", ".jsonc")):  # with comments, as several clients allow
        _, given = parsed(".json", COMMENT.sub(lambda found: found.group(1) or "", text))
    return given


def _dotenv(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        name, value = name.strip(), value.strip()
        if not equals or name.startswith("#") or not _may_pass(name) or len(value) > VALUE_MAX:
            continue
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        else:
            value = value.split(" #")[0].rstrip()
        if value:
            yield name, value
