"""Paths of the project that the user's own git runs or reads settings from, because its settings lead there.

Whatever lands at such a path runs at the user's next git command. The settings are read as the user's git reads them,
with those of the user and of the machine; nothing of them is carried out.
"""

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from folkmoot.worker.git.places import work_trees

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Repository

# Settings that name a file with more settings, a folder of programs, or a program; as git lists them, in lower case.
MORE = re.compile(r"include\.path|includeif\..*\.path")
FOLDER = re.compile(r"core\.hookspath|init\.templatedir")
PROGRAM = re.compile(
    r"core\.(fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|sequence\.editor|alias\..*|pager\..*"
    r"|filter\..*\.(clean|smudge|process)|diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver"
    r"|(difftool|mergetool|browser|man)\..*\.(cmd|path)|gpg\.(.*\.)?(program|defaultkeycommand)|interactive\.difffilter"
    r"|credential\.(.*\.)?helper|trailer\..*\.(cmd|command)|uploadpack\.packobjectshook|sendemail\..*"
    r"|remote\..*\.(uploadpack|receivepack|vcs)|submodule\..*\.update|merge\.tool|diff\.tool"
)
BREAKS = re.compile(r"[\s;|&()<>'\"`$={}!,]+")
HOOKS = """
applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update post-rewrite
reference-transaction push-to-checkout pre-auto-gc sendemail-validate fsmonitor-watchman post-index-change
"""


def led_to(repository: "Repository") -> list[str]:
    """The paths, from the top of the work tree."""
    trees = work_trees(repository.user)
    found: dict[str, None] = {}
    for origin, name, value in _settings(repository):
        for place in _places(origin, name, value, trees):
            for below in _below(place, trees):
                found[below] = None
    return list(found)


def _settings(repository: "Repository") -> Iterator[tuple[str, str, str]]:
    """Where each setting stands, its name, its value."""
    own = os.environ.get("GIT_CONFIG_GLOBAL") or os.path.expanduser("~/.gitconfig")
    shared = os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git", "config")
    for git_dir in dict.fromkeys([repository.user.common, repository.user.git_dir]):
        for number, file in enumerate((own, shared)):
            if number and not os.path.exists(file):
                continue
            env = {"GIT_CONFIG_GLOBAL": file, "GIT_CONFIG_NOSYSTEM": "0", "HOME": os.path.expanduser("~")}
            words = ("config", "--list", "--includes", "--show-origin", "-z")
            parts = repository.git(*words, git_dir=git_dir, env=env).out.decode("utf-8", "surrogateescape").split("\0")
            for origin, said in zip(parts[::2], parts[1::2], strict=False):
                name, _, value = said.partition("\n")
                if origin.startswith("file:"):
                    yield os.path.join(git_dir, origin.removeprefix("file:")), name.lower(), value


def _places(origin: str, name: str, value: str, trees: list[str]) -> Iterator[str]:
    yield origin
    if MORE.fullmatch(name):
        yield os.path.join(os.path.dirname(origin), os.path.expanduser(value))
    elif FOLDER.fullmatch(name):
        for tree in trees:
            place = os.path.normpath(os.path.join(tree, os.path.expanduser(value)))
            yield from (os.path.join(place, hook) for hook in HOOKS.split()) if place == tree else [place]
            if os.path.basename(place) == "_":
                yield os.path.dirname(place)  # husky: what lies there only calls what lies above it
    elif PROGRAM.fullmatch(name):
        for number, word in enumerate(filter(None, BREAKS.split(value))):
            for tree in trees:
                place = os.path.join(tree, os.path.expanduser(word))
                # A plain name is looked for in PATH; behind a program it may be a file for that to run.
                if "/" in word or (number and os.path.isfile(place)):
                    yield place


def _below(place: str, trees: list[str]) -> Iterator[str]:
    for at in dict.fromkeys([os.path.abspath(place), os.path.realpath(place)]):
        for tree in trees:
            below = os.path.relpath(at, tree)
            if below != os.curdir and below.split(os.sep)[0] not in (os.pardir, ".git"):
                yield below
