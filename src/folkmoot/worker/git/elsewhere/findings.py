"""What of a repository a clone does not have, said before a run meets it: what holds, and the one thing to do."""

import os
from typing import TYPE_CHECKING

from msgspec import Struct

from folkmoot.core.work import SUBMODULE
from folkmoot.errors import Unavailable
from folkmoot.worker.git.elsewhere.lfs import has_lfs
from folkmoot.worker.git.places import Place, find

if TYPE_CHECKING:
    from folkmoot.worker.ports import Git

MISSING_SECONDS = 120.0
NAMES_TOLD = 3


class Finding(Struct, frozen=True):
    kind: str  # submodule, lfs, sparse, partial
    works: bool  # False: no run can begin
    what: str
    do: str


def findings(git: "Git", root: str, target: str) -> list[Finding]:
    """Of the repository of a folder, for work on a target branch. A plain folder has none."""
    place = find(root)
    branch = f"refs/heads/{target}"
    if place is None or git("rev-parse", "-q", "--verify", branch, git_dir=place.common, check=False).code:
        return []
    if partial := _partial(git, place, target):
        return partial  # the others would have to read what is not here
    return [*_submodules(git, place, target), *_lfs(git, place, target), *_sparse(git, place, target)]


def check_parts(git: "Git", root: str, target: str) -> None:
    """Refuse what no run could begin in."""
    place = find(root)
    for bad in _partial(git, place, target) if place is not None else []:
        raise Unavailable("partial_clone", "{what}", bad.do, bad.what)


def _partial(git: "Git", place: Place, target: str) -> list[Finding]:
    flags = ("config", "--get-regexp", r"^(remote\..*\.promisor|extensions\.partialclone)$")
    if git(*flags, git_dir=place.common, check=False).code:
        return []
    asked = ("rev-list", "--objects", "--missing=print", "--no-object-names", f"refs/heads/{target}")
    said = git(*asked, git_dir=place.common, timeout=MISSING_SECONDS, check=False).out  # there may be no such branch
    missing = sum(line.startswith(b"?") for line in said.splitlines())
    if not missing:
        return []
    what = f"{missing:,} objects of {target} are not here (a partial clone), and clones of runs need all of them"
    return [Finding("partial", False, what, "git fetch --refetch --no-filter")]


def _submodules(git: "Git", place: Place, target: str) -> list[Finding]:
    said = git("ls-tree", "-r", "-z", f"refs/heads/{target}", git_dir=place.common).out
    links = [line.partition(b"\t") for line in said.split(b"\0") if line.startswith(SUBMODULE.encode())]
    paths = [os.fsdecode(path) for _, _, path in links]
    absent = [path for path in paths if not module_of(place, path)]
    if not absent:
        return []
    are = "is a submodule" if len(absent) == 1 else "are submodules"
    what = f"{_named(absent)} {are}, and not in your tree: in clones the folder is empty"
    return [Finding("submodule", True, what, "git submodule update --init")]


def module_of(place: Place, path: str) -> str:
    """The git folder of a submodule that is checked out in the user's tree; empty where it is not."""
    folder = os.path.join(place.work_tree or "", path)
    if place.work_tree is None or os.path.realpath(folder) != os.path.join(os.path.realpath(place.work_tree), path):
        return ""  # a link leads elsewhere
    if not os.path.lexists(os.path.join(folder, ".git")):
        return ""
    found = find(folder)
    return found.common if found is not None and found.work_tree == os.path.realpath(folder) else ""


def _lfs(git: "Git", place: Place, target: str) -> list[Finding]:
    if not has_lfs(git, place.common, f"refs/heads/{target}"):
        return []
    what = "files are kept in Git LFS: clones have their pointers, and a change to one is refused"
    return [Finding("lfs", True, what, "let agents work on other files, or make what tests need in `setup`")]


def _sparse(git: "Git", place: Place, target: str) -> list[Finding]:
    ran = git("config", "--type=bool", "--get", "core.sparseCheckout", git_dir=place.git_dir, check=False)
    if ran.out.strip() != b"true":
        return []
    what = "only a part of your tree is checked out (sparse): clones have all of it, and work lands on "
    what += f"moot/{target} where {target} is checked out so"
    return [Finding("sparse", True, what, f"git sparse-checkout disable, or git merge moot/{target}")]


def _named(paths: list[str]) -> str:
    more = f" and {len(paths) - NAMES_TOLD} more" if len(paths) > NAMES_TOLD else ""
    return ", ".join(paths[:NAMES_TOLD]) + more
