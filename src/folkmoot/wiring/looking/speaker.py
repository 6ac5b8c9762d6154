"""Who sits here, by the name that git knows: it stands on commits already.

A plain configuration is read here. Git is only started for what is not plain: agents start `moot` often, and a process
costs more than the rest of a command.
"""

import os
import re

from folkmoot.errors import MootError
from folkmoot.wiring.files.locating import find

MADE_FOR = "board.db-repository"  # which repository the board was made for, as `wiring/trust` writes it
NAMES_BYTES_MAX = 1_000_000  # of a configuration that is looked into
_SECTION = re.compile(r"\s*\[([^\]\s\"]+)\s*(\"[^\"]*\")?\s*\]\s*")
_NAME = re.compile(r"\s*name\s*=\s*(.*?)\s*", re.IGNORECASE)
_NOT_PLAIN = re.compile(r"[\"\\#;]")


class NotPlainError(Exception):
    """Only git itself can tell."""


def git_name(board_dir: str | None) -> str | None:
    """`user.name` of the repository, else of the user; None where git has none, or is not there."""
    try:
        home = find(board_dir)
        files = [*_of_repository(home), *_of_user()]
        return next(filter(None, map(_name_in, files)), None)
    except NotPlainError:
        return _asked(home)
    except (MootError, OSError):
        return None


def _of_repository(home: str) -> list[str]:
    try:
        with open(os.path.join(home, MADE_FOR), encoding="utf-8") as opened:
            made_for = opened.read(NAMES_BYTES_MAX).strip()
    except (OSError, UnicodeDecodeError):
        raise NotPlainError from None
    if made_for == "none":
        return []  # a repository that is there now may be an agent's
    folder = os.path.dirname(os.path.abspath(home))
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return []
        folder = above
    own = os.path.join(folder, ".git", "config")
    if not os.path.isfile(own):
        raise NotPlainError  # a linked work tree
    return [own]


def _of_user() -> list[str]:
    given = os.environ.get("GIT_CONFIG_GLOBAL")
    if given is not None:
        return [given]
    below = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return [os.path.expanduser("~/.gitconfig"), os.path.join(below, "git", "config")]


def _name_in(file: str) -> str | None:
    """The last `name` of the section `user`."""
    try:
        with open(file, "rb") as opened:
            text = opened.read(NAMES_BYTES_MAX).decode("utf-8", "replace")
    except OSError:
        return None
    section, found = "", None
    for line in text.splitlines():
        head, name = _SECTION.match(line), _NAME.fullmatch(line)
        if head is not None:
            section = head[1].lower() if head[2] is None else ""
            if head[1].lower() in ("include", "includeif") or (section == "user" and head.end() < len(line)):
                raise NotPlainError
        elif section == "user" and name is not None:
            if _NOT_PLAIN.search(name[1]):
                raise NotPlainError
            found = " ".join(name[1].split())
    return found or None


def _asked(home: str) -> str | None:
    from folkmoot.wiring.trust import git_for, place_of

    try:
        place = place_of(home)
        own = [os.path.join(place.common, "config")] if place is not None else []
        for file in (*own, *_of_user()):
            words = ("config", "--file", file, "--includes", "--get", "user.name")
            said = git_for(home)(*words, git_dir=home, check=False, timeout=10.0)
            if name := " ".join(said.out.decode("utf-8", "replace").split()):
                return name
    except (MootError, OSError):
        return None
    return None
