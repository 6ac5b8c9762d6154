"""Which forge a flow means: by what it says itself, or by the address of its remote."""

import os
import re
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from folkmoot.core.enums import ForgeKind
from folkmoot.core.flow import Flow
from folkmoot.errors import MootError, Refused
from folkmoot.system.forge.app import AppToken
from folkmoot.system.forge.github import GitHub
from folkmoot.system.forge.gitlab import GitLab
from folkmoot.system.forge.spoken import Spoken
from folkmoot.system.forge.token import APP_VARIABLE, GITHUB, GITLAB, VARIABLE, Login, Token, without_tokens
from folkmoot.wiring.files.brought import check_begun
from folkmoot.wiring.trust import git_for, in_reach, outside_path, place_of, started_outside, trees_of
from folkmoot.worker.forge.port import Forge, IssueForge
from folkmoot.worker.git.remote.naming import place_of as remote_place
from folkmoot.worker.git.remote.naming import without_secret
from folkmoot.worker.startable import Finder

SCP = re.compile(r"(?:[^@/]+@)?(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?P<path>[^/].*)")
GITHUB_HOSTS = {"github.com", "ssh.github.com", "www.github.com"}
LOGINS: dict[ForgeKind, Login] = {"github": GITHUB, "gitlab": GITLAB}
PUBLIC: dict[ForgeKind, str] = {"github": "https://api.github.com", "gitlab": "https://gitlab.com/api/v4"}


class Named(NamedTuple):
    """What it speaks, where its interface is, and the repository there. A token that a variable holds goes there only
    where it `is_meant`: by the flow's own word, or as that of everybody's forge. A remote may be anybody's."""

    kind: ForgeKind
    api: str
    repository: str
    is_meant: bool


class Forges:
    """Made once for each way that the flow says it: what was told before, and who asks, is kept."""

    def __init__(self, home: str, programs: Finder) -> None:
        check_begun(home)
        self._home = home
        self._programs = programs
        self._made: dict[Named | tuple[str, ...], GitHub | GitLab | Spoken] = {}

    def __call__(self, flow: Flow) -> Forge:
        named = tuple(flow.land.command) or place_named(self._home, flow)
        if named not in self._made:
            self._made[named] = self.opened(named) if isinstance(named, Named) else spoken(self._home, named)
        return self._made[named]

    def of(self, flow: Flow, kind: ForgeKind, repository: str) -> IssueForge:
        """Where the issues of a repository are: never where the address of an issue says."""
        named = _issues_named(self._home, flow, kind, repository)
        if named not in self._made:
            self._made[named] = self.opened(named)
        made = self._made[named]
        assert not isinstance(made, Spoken)
        return made

    def opened(self, named: Named) -> GitHub | GitLab:
        token = token_of(self._home, named, self._programs)
        if named.kind == "gitlab":
            return GitLab(named.api, named.repository, token, GITLAB.hint)
        return GitHub(named.api, named.repository, token)


def token_of(home: str, named: Named, programs: Finder) -> Token | AppToken:
    """A token that is set goes before an App, and that before whoever is signed in."""
    is_app = named.kind == "github" and not os.environ.get(VARIABLE, "").strip() and APP_VARIABLE in os.environ
    if is_app and named.is_meant:
        trees = trees_of(home)
        return AppToken(os.environ, programs, named.api, named.repository, lambda path: bool(in_reach(path, trees)))
    host = urlsplit(named.api).hostname or ""
    return Token(os.environ, programs, host, LOGINS[named.kind], is_meant=named.is_meant)


def spoken(home: str, command: tuple[str, ...]) -> Spoken:
    """It runs as the user, and outside of the sandbox."""
    found = started_outside(home, command, "land: command")
    if not os.path.isabs(found[0]):
        raise Refused("no_forge", "the command that speaks to the forge, {program}, is not installed", "", found[0])
    return Spoken(found, home, {**without_tokens(os.environ), "PATH": outside_path(trees_of(home))})


def named_forge(home: str, flow: Flow, programs: Finder) -> str:
    """Its name for people; refused where it cannot be asked, or does not show the repository to whoever asks."""
    if flow.land.command:
        return spoken(home, tuple(flow.land.command)).program
    named = place_named(home, flow)
    token_of(home, named, programs).check()
    Forges(home, programs).opened(named).check()
    return named.repository


def place_named(home: str, flow: Flow) -> Named:
    land, place = flow.land, place_of(home)
    if land.api is not None and land.repository is not None:
        return Named(land.forge or "github", land.api, land.repository, is_meant=True)
    if place is None or flow.base_remote is None:
        words = "work is proposed where a git remote is, and there is no git repository here"
        raise Refused("no_forge", words, "git init, then <init>")
    address = remote_place(git_for(home), place, flow.base_remote)
    host, path = host_and_path(address)
    kind = land.forge or _kind_of(host)
    parts = len(path.split("/"))
    if host is None or (parts != 2 if kind == "github" else parts < 2):
        words = "the address of the remote, {address}, does not say which repository on which forge it is"
        hint = "write `repository: OWNER/NAME`, and `api` where it is not github.com, below `land` in the flow"
        raise Refused("no_forge", words, hint, without_secret(address))
    api = land.api or _api_at(kind, host)
    return Named(kind, api, land.repository or path, is_meant=bool(land.api or land.forge) or api == PUBLIC[kind])


def _issues_named(home: str, flow: Flow, kind: ForgeKind, repository: str) -> Named:
    """Where issues of this kind are asked for: where the flow says, else where the remote is, if either is of this
    kind; else where everybody's are."""
    place, host = place_of(home), None
    if place is not None:
        with suppress(MootError):  # there is no such remote
            host, _ = host_and_path(remote_place(git_for(home), place, flow.base_remote or "origin"))
    api = flow.land.api or (_api_at(kind, host) if host is not None else None)
    if api is None or kind != (flow.land.forge or _kind_of(host)):
        return Named(kind, PUBLIC[kind], repository, is_meant=True)
    return Named(kind, api, repository, is_meant=bool(flow.land.api or flow.land.forge) or api == PUBLIC[kind])


def _kind_of(host: str | None) -> ForgeKind:
    return "gitlab" if host is not None and host.startswith("gitlab.") else "github"


def _api_at(kind: ForgeKind, host: str) -> str:
    if kind == "github" and host in GITHUB_HOSTS:
        return PUBLIC[kind]
    return f"https://{host}/api/{'v4' if kind == 'gitlab' else 'v3'}"


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
