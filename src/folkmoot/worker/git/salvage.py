"""What runs made that never landed: listed, and brought back as a branch of the user's."""

import contextlib
import os
import tempfile
from collections.abc import Iterable

from msgspec import Struct, field

from folkmoot.core.rules.running.names import in_board, in_moots
from folkmoot.core.rules.running.rights import NEVER
from folkmoot.errors import Invalid, Refused, Unavailable
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.git.words import readable

RUNS = "refs/moot/runs/"
FIELDS = "%(refname)%00%(objectname)%00%(committerdate:unix)%00%(subject)%00%(trailers:key=Moot-Item,valueonly)%00"


class Unlanded(Struct, frozen=True):
    """The work of one run that is on no branch of the user's."""

    run: str
    item: str
    ref: str
    commit: str
    subject: str
    at: int  # seconds since 1970
    files: list[str] = field(default_factory=list)


class Salvage:
    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def unlanded(self, target: str | None = None, landed: Iterable[str] = ()) -> list[Unlanded]:
        """Every run's work that neither the target branch nor `moot/<target>` holds, youngest first; without what
        stands behind the commits that have `landed`, wherever these are now."""
        repository = self._repository
        self._bring_all()
        theirs = repository.fetched(target or repository.target)
        behind = {*theirs.values(), *(commit for commit in landed if repository.kept(commit) is not None)}
        flags = [f"--no-merged={commit}" for commit in sorted(behind)]
        said = repository("for-each-ref", *flags, "--sort=-committerdate", f"--format={FIELDS}", RUNS).out
        parts = [part.strip("\n") for part in said.decode("utf-8", "replace").split("\0")]
        rows = [parts[at : at + 5] for at in range(0, len(parts) - 4, 5)]
        files = self._files([row[1] for row in rows])
        return [
            Unlanded(ref.removeprefix(RUNS), item, ref, commit, subject, int(at), files.get(commit, []))
            for ref, commit, at, subject, item in rows
        ]

    def _files(self, commits: list[str]) -> dict[str, list[str]]:
        """The paths that each commit changed."""
        if not commits:
            return {}
        flags = ("--stdin", "--root", "-r", "-z", "-m", "--first-parent", "--name-only", "--no-renames")
        asked = "".join(f"{commit}\n" for commit in commits).encode()
        said = self._repository("diff-tree", *flags, "--ignore-submodules=none", stdin=asked).out
        found: dict[str, list[str]] = {}
        known, now = set(commits), ""
        for part in filter(None, said.split(b"\0")):
            name = readable(part).strip("\n")
            if name in known:
                now = name
                found[now] = []
            elif now:
                found[now].append(readable(part))
        return found

    def _bring_all(self) -> None:
        """The work of other machines too; what is here is there also while the remote is away."""
        remote = self._repository.remote_now()
        if remote is not None:
            with contextlib.suppress(Unavailable):
                remote.bring_runs()

    def _commit_of(self, run: str) -> str | None:
        ref = self._repository.run_ref(run)
        if (commit := self._repository.kept(ref)) is None:
            self._bring_all()
            commit = self._repository.kept(ref)
        return commit

    def left_out(self, run: str) -> list[str]:
        """What of a run's work no branch gets: the files of a board, of its mirror and of moot itself, and what git
        would run. To check them out would put them in the place of yours, since git thinks nothing of a file that it
        was told to ignore."""
        repository = self._repository
        commit = self._commit_of(run)
        if commit is None:
            return []
        touched = repository.touched(self._before(commit), commit)
        return [one.path for one in touched if one.mode in NEVER or in_board(one.path) or in_moots(one.path)]

    def harmless(self, run: str) -> tuple[str | None, list[str]]:
        """The commit of a run's work as a person may stand in it, and what it is without; None if nothing is kept."""
        commit = self._commit_of(run)
        if commit is None:
            return None, []
        left_out = self.left_out(run)
        return self._without(commit, left_out), left_out

    def _before(self, commit: str) -> str | None:
        return self._repository.kept(f"{commit}^1")

    def _without(self, commit: str, left_out: list[str]) -> str:
        """The same commit with these paths as they were before it; made alike each time."""
        if not left_out:
            return commit
        repository, before = self._repository, self._before(commit)
        with tempfile.TemporaryDirectory(prefix="salvage-", dir=repository.home) as folder:
            index = os.path.join(folder, "index")
            repository("read-tree", commit, index=index)
            changes = [one for one in repository.changes(before, commit) if readable(one.path) in set(left_out)]
            lines = []
            for one in changes:
                was = (one.old_mode, one.old) if one.status != "A" else ("0", repository.none)
                lines.append(b"%s %s\t%s\0" % (was[0].encode(), was[1].encode(), one.path))
            repository("update-index", "-z", "--index-info", index=index, stdin=b"".join(lines))
            tree = repository("write-tree", index=index).out.decode().strip()
        said = repository("show", "--no-patch", "--format=%ct%n%B", commit).out.decode("utf-8", "replace")
        date, _, words = said.partition("\n")
        return repository.commit(tree, [before] if before else [], words, date=f"{date} +0000")

    def bring_back(self, run: str, branch: str | None = None) -> str:
        """Make a branch of the user's out of a run's work; its name is given back. No branch is ever overwritten.

        Without what `left_out` names.
        """
        repository = self._repository
        name = branch or f"moot/salvage/{run}"
        user = repository.user.common
        if (
            name.startswith("-")
            or repository.git("check-ref-format", f"refs/heads/{name}", git_dir=user, check=False).code
        ):
            raise Invalid("bad_branch", "{name!r} cannot be the name of a branch.", "Choose another name.", name)
        commit = self._commit_of(run)
        if commit is None:
            raise Invalid("no_such_work", "Nothing is kept of run {run!r}.", "`<salvage>` lists what there is.", run)
        commit = self._without(commit, self.left_out(run))
        ref = f"refs/heads/{name}"
        held = repository.git("rev-parse", "--verify", "--quiet", ref, git_dir=user, check=False).out.decode().strip()
        if held == commit:
            return name
        if held:
            words = "There is a branch {name} already."
            raise Refused("branch_exists", words, "Choose another name with <.branch>.", name)
        repository.give(commit)
        made = repository.git(
            "update-ref", "-m", f"moot: salvaged {run}", ref, commit, repository.none, git_dir=user, check=False
        )
        if made.code:
            words = "The branch {name} cannot be made: {why}"
            raise Refused("branch_exists", words, "Choose another name.", name, made.words)
        return name
