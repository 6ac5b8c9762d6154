"""Git LFS: the repository holds a pointer to each such file. A clone here has the pointers, and not the contents."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from folkmoot.worker.git.harvest.blobs import contents

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Change, Repository
    from folkmoot.worker.ports import Git

POINTER = b"version https://git-lfs.github.com/spec/"
RULES = ("-e", "filter=lfs")
FILES = (".gitattributes", "*/.gitattributes")


def has_lfs(git: "Git", git_dir: str, commit: str) -> bool:
    """Do the attributes of a commit name files that LFS keeps?"""
    flags = ("grep", "-q", "-I", "-F", *RULES, commit, "--", *FILES)
    return git(*flags, git_dir=git_dir, check=False, env={"GIT_LITERAL_PATHSPECS": "0"}).code == 0


def without_pointer(repository: "Repository", commit: str, changes: Sequence["Change"]) -> set[bytes]:
    """Of a change those files that LFS would keep, by the user's own attributes, and that are no pointers: a commit of
    them would hold what the repository is not to hold."""
    came = [one for one in changes if one.status != "D" and one.mode.startswith("100")]
    if not came or not has_lfs(repository.git, repository.git_dir, commit):
        return set()
    asked = b"".join(one.path + b"\0" for one in came)
    said = repository.git(
        "check-attr", "--cached", "-z", "--stdin", "filter", git_dir=repository.user.git_dir, stdin=asked
    ).out.split(b"\0")
    kept = {path for path, value in zip(said[::3], said[2::3], strict=False) if value == b"lfs"}
    texts = dict(contents(repository, [one.new for one in came if one.path in kept]))
    return {one.path for one in came if one.path in kept and not texts.get(one.new, b"").startswith(POINTER)}
