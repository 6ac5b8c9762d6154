"""What runs made that never landed: listed, and brought back as a branch of the user's."""

from msgspec import Struct, field

from folkmoot.errors import Invalid, Refused
from folkmoot.worker.git.repository import Repository, readable

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

    def unlanded(self, target: str | None = None) -> list[Unlanded]:
        """Every run's work that neither the target branch nor `moot/<target>` holds, youngest first."""
        repository = self._repository
        theirs = repository.fetched(target or repository.target)
        flags = [f"--no-merged={commit}" for commit in sorted(set(theirs.values()))]
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

    def bring_back(self, run: str, branch: str | None = None) -> str:
        """Make a branch of the user's out of a run's work; its name is given back. No branch is ever overwritten."""
        repository = self._repository
        name = branch or f"moot/salvage/{run}"
        user = repository.user.common
        if (
            name.startswith("-")
            or repository.git("check-ref-format", f"refs/heads/{name}", git_dir=user, check=False).code
        ):
            raise Invalid("bad_branch", f"{name!r} cannot be the name of a branch.", "Choose another name.")
        commit = repository.kept(repository.run_ref(run))
        if commit is None:
            raise Invalid("no_such_work", f"Nothing is kept of run {run!r}.", "`moot salvage` lists what there is.")
        ref = f"refs/heads/{name}"
        held = repository.git("rev-parse", "--verify", "--quiet", ref, git_dir=user, check=False).out.decode().strip()
        if held == commit:
            return name
        if held:
            raise Refused("branch_exists", f"There is a branch {name} already.", "Choose another name with --branch.")
        repository.give(commit)
        made = repository.git(
            "update-ref", "-m", f"moot: salvaged {run}", ref, commit, repository.none, git_dir=user, check=False
        )
        if made.code:
            words = made.err.decode("utf-8", "replace").strip()
            raise Refused("branch_exists", f"The branch {name} cannot be made: {words}", "Choose another name.")
        return name
