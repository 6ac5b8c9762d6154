"""The remote that the flow names: commits are pushed before the board is told of them, and fetched before their use.

Each call is one short conversation with a limit of its own. Whatever goes wrong on the way is `RemoteAway`, and says
nothing about the work; what the remote itself refuses is `RemoteRefused`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from folkmoot.errors import Refused, Unavailable
from folkmoot.worker.git.refs import OURS, drop, listed
from folkmoot.worker.git.remote.naming import folder_of, without_secret, words_without_secret
from folkmoot.worker.git.target import NoTarget

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Repository
    from folkmoot.worker.ports import Ran

LOOK_SECONDS = 20.0  # for one look at its refs
CARRY_SECONDS = 600.0  # for objects, of which there may be many
SWAP_SECONDS = 8.0  # for the move of a branch, whose objects are there already: others wait for the board meanwhile
WORDS_SHOWN = 300
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
SSH = "ssh -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3"
RUNS, ONTO = "refs/moot/runs/", "refs/moot/onto/"  # a run's commit, and what came of it on the branch it is for
BROUGHT = "refs/moot/brought/"  # runs of other machines, as the remote had them last
COPIES = "refs/moot/remote/"  # where a branch of the remote was when it was last looked at
ALLOWED = tuple(part for kind in ("ssh", "https") for part in ("-c", f"protocol.{kind}.allow=always"))
# The remote's own settings and hooks hold for what is pushed there, as anywhere; whose folder it is does not matter.
RECEIVED_HERE = "--receive-pack=git -c safe.directory=* receive-pack"


class RemoteAway(Unavailable):
    """The remote cannot be reached now, or does not answer. Nothing is lost by it, and it passes by itself."""

    seconds: float | None = None  # after which it is there again, where that is known


class RemoteRefused(Refused):
    """The remote was reached, and does not take what was pushed."""


class Remote:
    """One remote, as the engine's repository speaks to it. `env` is all that git gets of the user's environment."""

    def __init__(self, repository: "Repository", name: str, place: str, env: Mapping[str, str]) -> None:
        self._repository = repository
        self.name = name
        self.place = place
        self._env = env
        self._is_here = folder_of(place) is not None
        self._seen: dict[str, str] = {}
        # On another machine its own git answers, and none of ours is there.
        self._theirs = () if self._is_here else ("--upload-pack=git-upload-pack",)

    def branch(self, name: str) -> str | None:
        """Where a branch of it is now, with its objects here; None where it has none of that name."""
        ref = f"refs/heads/{name}"
        at = self.where(name)
        if at is None or self._repository.kept(at) is not None:
            return at
        self._fetch(f"+{ref}:{COPIES}{name}")
        return self._repository.kept(f"{COPIES}{name}")

    def branches(self, target: str) -> dict[str, str]:
        """The branch that work lands on, by its name; nothing where it has none."""
        at = self.branch(target)
        return {target: at} if at else {}

    def where(self, name: str) -> str | None:
        """Where a branch of it is now, by its own word."""
        ref = f"refs/heads/{name}"
        ran = self._said("ls-remote", *self._theirs, "--quiet", self.place, ref, seconds=LOOK_SECONDS)
        at = _refs(ran).get(ref)
        if at is not None:
            self._saw(name, at)
        return at

    def _saw(self, name: str, commit: str) -> None:
        """Note where a branch of it is, for whoever asks while nobody speaks to it. Not before its objects are here."""
        if self._seen.get(name) != commit:
            noted = self._repository("update-ref", "--no-deref", f"{COPIES}{name}", commit, check=False)
            self._seen |= {name: commit} if noted.code == 0 else {}

    def is_empty(self) -> bool:
        """Has it no branch at all?"""
        return not self._said(
            "ls-remote", *self._theirs, "--quiet", "--heads", self.place, seconds=LOOK_SECONDS
        ).out.strip()

    def bring(self, commits: Iterable[str | None]) -> None:
        """Have these commits here. By their names, as every git of these days gives them out; else by all refs of ours,
        among which each of them is."""
        missing = self._missing(commits)
        if not missing:
            return
        try:
            self._fetch(*missing)
        except RemoteRefused:
            self.bring_runs()
            self._fetch(f"+{ONTO}*:{ONTO}*")
        if left := self._missing(missing):
            words = "the remote {remote} does not have {commit}, which the board names"
            raise RemoteAway(
                "commit_missing", words, "See whether it is the same remote on every machine.", self, left[0]
            )

    def bring_runs(self) -> None:
        """Have the work of all runs here, on whichever machine they were. What was made here stays as it is, whatever
        the remote has under its name: it may be all that there is of it."""
        before = listed(self._repository, BROUGHT)
        self._fetch(f"+{RUNS}*:{BROUGHT}*")
        here = listed(self._repository, RUNS)
        for run, commit in listed(self._repository, BROUGHT).items():
            if run in here and run not in before:
                drop(self._repository, BROUGHT + run)  # made here
            elif here.get(run) != commit:
                self._repository.keep(RUNS + run, commit)

    def send(self, refs: Mapping[str, str]) -> None:
        """Keep commits there under refs of ours; those that it has are passed over."""
        if any(not ref.startswith(OURS) for ref in refs):
            raise ValueError(f"not refs of ours: {list(refs)}")
        if refs:
            self._push(*(f"+{commit}:{ref}" for ref, commit in refs.items()), seconds=CARRY_SECONDS)

    def forget(self, *refs: str) -> None:
        """Keep nothing there under these refs of ours any more."""
        if any(not ref.startswith(OURS) for ref in refs):
            raise ValueError(f"not refs of ours: {refs}")
        self._push(*(f":{ref}" for ref in refs), seconds=LOOK_SECONDS)

    def listed(self, below: str) -> dict[str, str]:
        """Its refs of ours below a name: what follows that name, and the commit."""
        ran = self._said("ls-remote", *self._theirs, "--quiet", self.place, f"{below}*", seconds=LOOK_SECONDS)
        return {ref.removeprefix(below): commit for ref, commit in _refs(ran).items() if ref.startswith(below)}

    def swap(self, name: str, old: str | None, new: str, seconds: float = SWAP_SECONDS) -> None:
        """Move a branch of it from the one commit to the other, if it is at the first: by its own compare-and-swap.
        Where objects go with it, it takes longer."""
        ref = f"refs/heads/{name}"
        self._push(f"--force-with-lease={ref}:{old or ''}", f"{new}:{ref}", seconds=seconds)
        self._saw(name, new)

    def __str__(self) -> str:
        return self.name if self.name == self.place else f"{self.name} ({without_secret(self.place)})"

    def _missing(self, commits: Iterable[str | None]) -> list[str]:
        return [one for one in dict.fromkeys(commits) if one is not None and self._repository.kept(one) is None]

    def _fetch(self, *specs: str) -> None:
        flags = ("--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")
        # What is there was good enough for whoever pushed it: old objects often would not pass a check.
        unchecked = ("-c", "fetch.fsckObjects=false", "-c", "transfer.fsckObjects=false")
        self._said(
            *unchecked, "fetch", *self._theirs, *flags, "--end-of-options", self.place, *specs, seconds=CARRY_SECONDS
        )

    def _push(self, *words: str, seconds: float) -> None:
        flags = [word for word in words if word.startswith("--")]
        specs = [word for word in words if not word.startswith("--")]
        here = [RECEIVED_HERE] if self._is_here else []
        self._said("push", "--porcelain", "--no-verify", *here, *flags, self.place, *specs, seconds=seconds)

    def _said(self, *args: str, seconds: float) -> "Ran":
        try:
            ran = self._repository(*ALLOWED, *args, check=False, env=self._env, timeout=seconds)
        except Unavailable as error:
            raise RemoteAway(
                "remote_away",
                "the remote {remote} does not answer: {why}",
                "",
                self,
                words_without_secret(error.message, self.place),
            ) from error
        if ran.code == 0:
            return ran
        said = ran.out.decode("utf-8", "replace") + ran.words
        why = _line_of(words_without_secret(said, self.place))
        if "[rejected]" in said or "[remote rejected]" in said or "not our ref" in said or "pre-receive hook" in said:
            raise RemoteRefused("remote_refused", "the remote {remote} does not take it: {why}", "", self, why)
        raise RemoteAway("remote_away", "the remote {remote} cannot be reached: {why}", "", self, why)


def remote_environment(env: Mapping[str, str]) -> dict[str, str]:
    """What git gets of the user's environment to reach the remote: where keys and logins are. It asks nobody, and gives
    up on a machine that does not answer."""
    passed = {name: env[name] for name in ("HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK") if name in env}
    return {**passed, "GIT_SSH_COMMAND": env.get("GIT_SSH_COMMAND") or SSH}


def check_remote(repository: "Repository", remote: Remote, target: str) -> None:
    """Refuse a remote that lacks the branch work is to land on; where nobody has a commit yet, the first landing makes
    it."""
    if remote.where(target) is not None:
        return
    head = repository.git("rev-list", "--all", "--max-count=1", git_dir=repository.user.common, check=False).out
    if not head.strip() and remote.is_empty():
        return
    words = "work is to land on {target}, and the remote {remote} has no such branch"
    where = remote.name if remote.name != remote.place else remote.place
    raise NoTarget("no_target", words, "push it there: git push {where} {target}", target, remote, where=where)


def _refs(ran: "Ran") -> dict[str, str]:
    """What `ls-remote` lists, each with its commit. A line of another form is no ref: a program on the way to the
    remote may have said it."""
    parts = (line.split("\t") for line in ran.out.decode("utf-8", "replace").split("\n"))
    return {part[1]: part[0] for part in parts if len(part) == 2 and COMMIT.fullmatch(part[0])}


def _line_of(said: str) -> str:
    """The line that says most of what went wrong."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    marked = [line for line in lines if "rejected]" in line]
    faults = [line for line in lines if line.startswith(("fatal:", "error:", "ssh:"))]
    found = (marked or faults or lines or ["git said nothing"])[0]
    return found.replace("\t", " ")[:WORDS_SHOWN]
