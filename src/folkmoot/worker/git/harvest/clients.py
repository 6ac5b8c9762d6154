"""Paths of the project that the settings of clients in it lead to: programs of hooks, servers, plugins; and where
settings of the user's own are.

The settings themselves are changed by no run. But `.claude/settings.json` may name `tools/lint.sh` as a hook, and who
changes that speaks in the reviewer's place all the same. Nothing is carried out.
"""

import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

from folkmoot.worker.git.harvest.homes import links_below
from folkmoot.worker.git.harvest.hooks import BYTES_MAX, Follower

DATA = (".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml")
SCRIPTS = (".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl")
COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|,(?=\s{0,200}[}\]])')
COMMANDS = ("command", "cmd", "run")
MOVES = ("--directory", "--project", "--cwd", "--prefix", "-C")
FILES_MAX = 500
USERS_FOLDERS = ("CLAUDE_CONFIG_DIR", "CODEX_HOME")  # variables of the user's: where a client has its settings instead
DEPTH_MAX = 20


def run_by_settings(trees: Sequence[str], paths: Sequence[str]) -> list[str]:
    """What the settings at these paths of each work tree name, and what that runs, as full paths."""
    follower = Follower(list(trees))
    for tree in trees:
        for path in paths:
            for file in _files(os.path.join(tree, path)):
                _follow(file, follower)
    return list(follower.led.places)


def users_own(names: Sequence[str]) -> list[str]:
    """Where clients find settings of the user's own: each of these places below the home, and each link in it. A home
    whose files are kept in a repository consists of such links."""
    places = [os.path.expanduser(name) for name in names]
    places += [os.path.abspath(os.environ[name]) for name in USERS_FOLDERS if os.environ.get(name)]
    return [at for place in dict.fromkeys(places) for at in (place, *links_below(place))]


def _files(place: str) -> Iterator[str]:
    if os.path.isfile(place):
        yield place
    count = 0
    for folder, folders, files in os.walk(place):
        folders[:] = sorted(name for name in folders if name != "node_modules")
        for name in sorted(files):
            count += 1
            if count > FILES_MAX:
                return
            yield os.path.join(folder, name)


def _follow(file: str, follower: Follower) -> None:
    if file.endswith(DATA):
        text = _read(file)
        follower.settings(text)
        for command in _commands(_parsed(file, text), 0):
            follower.command(command)
            follower.settings(command)  # with the folders that it goes to
    elif file.endswith(SCRIPTS) or (os.path.isfile(file) and os.access(file, os.X_OK)):
        follower.hook(file)


def _read(file: str) -> str:
    try:
        with open(file, "rb") as opened:
            return opened.read(BYTES_MAX).decode("utf-8", "replace")
    except OSError:
        return ""  # no client can read it either


def _parsed(file: str, text: str) -> Any:
    """JSON with the notes and commas that clients let pass, TOML, YAML. Of all else only the words count."""
    import yaml  # slow to load, and commands that only look at who speaks have no use for it

    with suppress(ValueError, RecursionError, yaml.YAMLError):
        if file.endswith((".yaml", ".yml")):
            return yaml.safe_load(text)
        if file.endswith(".toml"):
            return tomllib.loads(text)
        return json.loads(COMMENT.sub(lambda found: found[1] or "", text))
    return None


def _commands(value: Any, depth: int) -> Iterator[str]:
    """Command lines, each with where it is started: as one text, as a list, or as a program and what it gets."""
    if depth > DEPTH_MAX:
        return
    if isinstance(value, dict):
        for key in COMMANDS:
            said, rest = value.get(key), _texts(value.get("args"))
            if isinstance(said, str) and said:
                yield _from(value, rest) + " ".join([said, shlex.join(rest)])
            elif words := _texts(said):
                yield _from(value, [*words, *rest]) + shlex.join([*words, *rest])
        value = list(value.values())
    for one in value if isinstance(value, list) else ():
        yield from _commands(one, depth + 1)


def _from(entry: dict[Any, Any], words: list[str]) -> str:
    """The folders that a command goes to, or reads modules from, as a shell would be told."""
    folders = [after for word, after in pairwise(words) if word in MOVES]
    variables = entry.get("env") or entry.get("environment")
    places = [entry.get("cwd"), *folders, *(variables.values() if isinstance(variables, dict) else ())]
    return "".join(f"cd {shlex.quote(place)}\n" for place in places if isinstance(place, str) and place)


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
