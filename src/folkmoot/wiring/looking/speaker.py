"""Who sits here, by the name that git knows: it stands on commits already."""

import os

from folkmoot.errors import MootError
from folkmoot.wiring.files.locating import find
from folkmoot.wiring.trust import git_for, place_of

NAMES_BYTES_MAX = 1_000_000  # of a configuration that is looked into


def git_name(board_dir: str | None) -> str | None:
    """`user.name` of the repository, else of the user; None where git has none, or is not there. Git is only started
    for a file that could say it: agents start `moot` often."""
    try:
        home = find(board_dir)
        place = place_of(home)
    except (MootError, OSError):
        return None
    own = [os.path.join(place.common, "config")] if place is not None else []
    for file in (*own, *_users()):
        if _may_say(file):
            try:
                said = git_for(home)(
                    "config",
                    "--file",
                    file,
                    "--includes",
                    "--get",
                    "user.name",
                    git_dir=home,
                    check=False,
                    timeout=10.0,
                )
            except MootError:
                return None
            name = " ".join(said.out.decode("utf-8", "replace").split())
            if name:
                return name
    return None


def _users() -> list[str]:
    given = os.environ.get("GIT_CONFIG_GLOBAL")
    if given is not None:
        return [given]
    below = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return [os.path.expanduser("~/.gitconfig"), os.path.join(below, "git", "config")]


def _may_say(file: str) -> bool:
    try:
        with open(file, "rb") as opened:
            text = opened.read(NAMES_BYTES_MAX).lower()
    except OSError:
        return False
    return b"[user" in text or b"[include" in text
