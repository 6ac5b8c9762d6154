"""The branch that work lands on must be there: none is invented in a repository that has commits."""

from typing import TYPE_CHECKING

from folkmoot.errors import Refused
from folkmoot.worker.git.places import find, pointer

if TYPE_CHECKING:
    from folkmoot.worker.git.places import Place
    from folkmoot.worker.ports import Git

BRANCHES_SHOWN = 5
HEAD_BRANCH = "ref: refs/heads/"


class NoTarget(Refused):
    """The branch that work is for is not there. Nothing was changed."""


def check_target(git: "Git", root: str, target: str) -> None:
    """Refuse a target that is not in the repository of a folder; a plain folder has no branches."""
    place = find(root)
    if place is not None:
        check_branch(git, place, target)


def check_branch(git: "Git", place: "Place", target: str) -> None:
    """An empty repository is fine: its first branch begins with the first landing."""
    for name in (target, f"moot/{target}"):
        _refuse_other_name(name, _says(git, place, "symbolic-ref", "--quiet", f"refs/heads/{name}"))
    if _says(git, place, "rev-parse", "--verify", "--quiet", f"refs/heads/{target}^{{commit}}"):
        return
    heads = _says(git, place, "for-each-ref", "--format=%(refname)", "refs/heads").split()
    names = [head.removeprefix("refs/heads/") for head in heads]
    names = [name for name in names if name != f"moot/{target}"]  # where the first work had to stand aside
    head = _says(git, place, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if not (names or head or _says(git, place, "for-each-ref", "--count=1", "refs/remotes", "refs/tags")):
        return
    current = pointer(f"{place.git_dir}/HEAD", HEAD_BRANCH)
    if current and current in names:
        there, instead = f"{current} is checked out", current
    elif names:
        shown = ", ".join(names[:BRANCHES_SHOWN]) + (" and more" if len(names) > BRANCHES_SHOWN else "")
        there, instead = f"there {'is' if len(names) == 1 else 'are'} {shown}", names[0]
    else:
        there, instead = "there is no branch at all, only commits", ""
    hint = "set `target: {instead}` in .moot/flow.yaml and take it in with `moot apply`, or " if instead else ""
    words = "work is to land on {target}, and the repository has no such branch; {there}"
    hint += "make it with `git branch {target}`"
    raise NoTarget("no_target", words, hint, target, there, instead=instead)


def branches_of(git: "Git", place: "Place", target: str) -> dict[str, str]:
    """Where the target branch and `moot/<target>` are, as far as they are there."""
    refs = [f"refs/heads/{name}" for name in (target, f"moot/{target}")]
    said = git("for-each-ref", "--format=%(objectname) %(refname) %(symref)", *refs, git_dir=place.common).out
    found = {}
    for line in said.decode("utf-8", "surrogateescape").splitlines():
        commit, ref, leads_to = line.split(" ")
        if ref in refs:
            found[ref.removeprefix("refs/heads/")] = commit
            _refuse_other_name(ref.removeprefix("refs/heads/"), leads_to)
    return found


def _refuse_other_name(name: str, leads_to: str) -> None:
    """A branch that is only another name for one: which work trees stand on it, git tells by the one it leads to."""
    if leads_to:
        branch = leads_to.removeprefix("refs/heads/")
        words = "work is to land on {name}, which is only another name for {branch} (a symbolic ref)"
        hint = "set `target: {branch}` in .moot/flow.yaml and take it in with `moot apply`"
        if name.startswith("moot/"):
            hint = "remove the name with `git symbolic-ref --delete refs/heads/{name}`"
        raise NoTarget("no_target", words, hint, name, branch)


def _says(git: "Git", place: "Place", *args: str) -> str:
    return (
        git(*args, git_dir=place.common if args[-1] != "HEAD^{commit}" else place.git_dir, check=False)
        .out.decode("utf-8", "surrogateescape")
        .strip()
    )
