"""Which forge a flow means: by what it says itself, or by the address of its remote."""

import os
import re
from urllib.parse import urlsplit

from folkmoot.core.flow import Flow
from folkmoot.errors import MootError, Refused
from folkmoot.system.forge.github import GitHub
from folkmoot.system.forge.token import Token
from folkmoot.wiring.trust import git_for, place_of
from folkmoot.worker.forge.port import Forge, IssueForge
from folkmoot.worker.git.remote.naming import place_of as remote_place
from folkmoot.worker.git.remote.naming import without_secret
from folkmoot.worker.startable import Finder

SCP = re.compile(r"(?:[^@/]+@)?(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?P<path>[^/].*)")
GITHUB_API = "https://api.github.com"
GITHUB = {"github.com", "ssh.github.com", "www.github.com"}


class Forges:
    """Made once for each way that the flow says it: what was told before, and who asks, is kept."""

    def __init__(self, home: str, programs: Finder) -> None:
        self._home = home
        self._programs = programs
        self._made: dict[tuple[str, str], GitHub] = {}

    def __call__(self, flow: Flow) -> Forge:
        return self._at(place_named(self._home, flow))

    def of(self, flow: Flow, repository: str) -> IssueForge:
        """Where the issues of a repository are. The token goes to no other place than the flow or the remote name."""
        return self._at((flow.land.api or api_of(self._home, flow) or GITHUB_API, repository))

    def _at(self, named: tuple[str, str]) -> GitHub:
        if named not in self._made:
            self._made[named] = opened(*named, self._programs)
        return self._made[named]


def opened(api: str, repository: str, programs: Finder) -> GitHub:
    token = Token(os.environ, programs, urlsplit(api).hostname or "")
    return GitHub(api, repository, token)


def place_named(home: str, flow: Flow) -> tuple[str, str]:
    """Where its interface is, and OWNER/NAME."""
    land, place = flow.land, place_of(home)
    if land.api is not None and land.repository is not None:
        return land.api, land.repository
    if place is None or flow.base_remote is None:
        words = "work is proposed where a git remote is, and there is no git repository here"
        raise Refused("no_forge", words, "git init, then <init>")
    address = remote_place(git_for(home), place, flow.base_remote)
    host, path = host_and_path(address)
    if host is None or len(path.split("/")) != 2:
        words = "the address of the remote, {address}, does not say which repository on which forge it is"
        hint = "write `repository: OWNER/NAME`, and `api` where it is not github.com, below `land` in the flow"
        raise Refused("no_forge", words, hint, without_secret(address))
    return land.api or _api_at(host), land.repository or path


def api_of(home: str, flow: Flow) -> str | None:
    """Where the interface of the remote's forge is; None: it has none, or lies on this machine."""
    place = place_of(home)
    if place is None:
        return None
    try:
        host, _ = host_and_path(remote_place(git_for(home), place, flow.base_remote or "origin"))
    except MootError:
        return None  # there is no such remote
    return _api_at(host) if host is not None else None


def _api_at(host: str) -> str:
    return GITHUB_API if host in GITHUB else f"https://{host}/api/v3"


def host_and_path(address: str) -> tuple[str | None, str]:
    """Of an address as git takes it; None: it lies on this machine."""
    if "://" in address:
        parts = urlsplit(address)
        host, path = parts.hostname, parts.path
    elif (found := SCP.fullmatch(address)) is not None:
        host, path = found["host"], found["path"]
    else:
        return None, ""
    return (host or "").casefold() or None, path.strip("/").removesuffix(".git")
