"""Which repository a flow's `remote` means: a remote of the user's own repository by its name, or a place."""

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from folkmoot.errors import Refused

if TYPE_CHECKING:
    from folkmoot.worker.git.places import Place
    from folkmoot.worker.ports import Git

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
FILE = "file://"
URL = re.compile(r"(?:ssh|https|file)://[^\s]+")
SCP = re.compile(r"(?:[A-Za-z0-9_.-]+@)?[A-Za-z0-9][A-Za-z0-9_.-]*:[^:\s][^\s]*")  # host:path, as git and scp write it

PORT = re.compile(r"(?::\d*|\])$")  # how the name of a host ends that has a colon in it
WRITTEN_LIKE_SCP = re.compile(r"^[^/@]*:[^/]*@")  # with a password, which no host:path has
IN_WORDS = re.compile(r"([a-z]{3,5}://)[^\s/]{0,1000}@")


def is_place(named: str) -> bool:
    """Does it say where a repository is: by a full path, or by an address that git takes?"""
    return os.path.isabs(named) or bool(URL.fullmatch(named) or SCP.fullmatch(named))


def is_named(named: str) -> bool:
    """Is it the name of a remote, or a place?"""
    return bool(NAME.fullmatch(named)) or is_place(named)


def place_of(git: "Git", user: "Place", named: str) -> str:
    """The address that git is given. Refused where the user's repository has no remote of this name."""
    if not NAME.fullmatch(named):
        return _checked(named, named)
    asked = ("config", "--get", f"remote.{named}.url")
    found = git(*asked, git_dir=user.common, check=False).out.decode("utf-8", "surrogateescape").strip()
    if not found:
        words = "the flow's remote is {name}, and the repository here has no remote of that name"
        hint = "git remote add {name} ADDRESS; or write the address itself: `remote: ADDRESS` in .moot/flow.yaml"
        raise Refused("no_remote", words, hint, named)
    if not is_place(found) and "::" not in found and not found.startswith("-"):
        found = os.path.normpath(os.path.join(user.work_tree or user.common, found))
    return _checked(found, named)


def folder_of(place: str) -> str | None:
    """Its folder, where it lies on this machine."""
    return place if os.path.isabs(place) else None


def without_secret(place: str) -> str:
    """An address as it may be shown: a name and a password in it are left out. What stands before an @ is theirs, up to
    the last one before the path; and so is a part of the path, where a / of the password was not written as %2F."""
    scheme, apart, rest = place.partition("://")
    if not apart:
        return WRITTEN_LIKE_SCP.sub("", place)
    end = re.search(r"[/?#]", rest)
    who, path = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    if "@" not in who and "@" in path and ":" in who and not PORT.search(who):
        who, path = rest, ""
    return f"{scheme}://{who.rpartition('@')[2]}{path}"


def words_without_secret(words: str, place: str) -> str:
    """What git says of an address, as it may be shown. Git itself leaves out only what is before the first @."""
    return IN_WORDS.sub(r"\1", words.replace(place, without_secret(place)))


def _checked(place: str, named: str) -> str:
    """What lies on this machine has one spelling, its path: by that it is kept out of the sight of runs."""
    if place.startswith(FILE):
        _, slash, path = unquote(place.removeprefix(FILE)).partition("/")  # git passes over the name of a host
        place = slash + path if slash else place
    if not is_place(place) or place.startswith(("-", FILE)):
        words = "the remote {name} is at {place}, which is no address that moot pushes to"
        hint = "a full path, ssh://HOST/PATH, HOST:PATH or https://HOST/PATH"
        raise Refused("no_remote", words, hint, named, without_secret(place))
    return place
