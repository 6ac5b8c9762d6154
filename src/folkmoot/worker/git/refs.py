"""Refs of ours in the engine's repository, and where a ref of the user's is."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Repository

OURS = "refs/moot/"
INTENTS = "refs/moot/intents/"  # items whose landing was about to move a branch; kept until it is known what came of it
FROM, TO = "refs/moot/landing/", "refs/moot/landing-to/"  # a branch that moves: where it came from, where it goes

UNSENT = "refs/moot/unsent/"  # commits of runs that the remote does not have yet

# The branch beside a target: where we have put it, where we are about to, and where it was when the target had held it.
BESIDE, BESIDE_NEXT, BESIDE_OVER = "refs/moot/beside/", "refs/moot/beside-next/", "refs/moot/beside-over/"
REFLOG_LINES = 1_000
REFLOG_BYTES = 1_000_000
OUR_WORDS = "moot: landed"  # with which every move of ours begins, in the log of the branch


def where(repository: "Repository", ref: str) -> str | None:
    """The commit of a ref of the user's, now."""
    words = ("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    return repository.git(*words, git_dir=repository.user.common, check=False).out.decode().strip() or None


def listed(repository: "Repository", below: str) -> dict[str, str]:
    """The refs of ours below a name: what follows that name, and the commit."""
    said = repository("for-each-ref", "--format=%(objectname) %(refname)", below).out
    lines = [line.split(" ", 1) for line in said.decode("utf-8", "surrogateescape").splitlines()]
    return {ref.removeprefix(below): commit for commit, ref in lines}


def keep_all(repository: "Repository", wanted: Mapping[str, str]) -> None:
    """Keep each commit under its ref, so that nothing ever collects it: all of them, or none."""
    _only_ours(*wanted)
    lines = "".join(f"update {ref}\0{commit}\0\0" for ref, commit in wanted.items())
    if _told(repository, lines, check=False):
        for ref in wanted:
            make_way(repository, ref)
        _told(repository, lines, check=True)


def drop(repository: "Repository", *refs: str) -> None:
    """Keep nothing under these refs any more; those that are not there are not missed."""
    _only_ours(*refs)
    if _told(repository, "".join(f"delete {ref}\0\0" for ref in refs), check=False):
        for ref in refs:  # one that cannot be dropped keeps none of the others
            repository("update-ref", "--no-deref", "-d", ref, check=False)


def put_copy(repository: "Repository", branch: str, commit: str, *over: str) -> bool:
    """Keep a branch of the user's as it is now, as if it was fetched, and drop what is over, in one step. False: it
    is to be fetched, and the others are dropped."""
    _only_ours(*over)
    lines = f"update {copy_of(branch)}\0{commit}\0\0" + "".join(f"delete {ref}\0\0" for ref in over)
    if _told(repository, lines, check=False) == 0:
        return True
    drop(repository, *over)
    return False


def _told(repository: "Repository", lines: str, *, check: bool) -> int:
    words = ("update-ref", "--no-deref", "-z", "--stdin")
    return repository(*words, stdin=os.fsencode(lines), check=check).code


def _only_ours(*refs: str) -> None:
    if any(not ref.startswith(OURS) for ref in refs):
        raise ValueError(f"not refs of ours: {refs}")


def copy_of(branch: str) -> str:
    """Under which ref of ours a branch of the user's was fetched last."""
    return f"refs/moot/aside/{branch[5:]}" if branch.startswith("moot/") else f"refs/moot/target/{branch}"


def make_way(repository: "Repository", ref: str) -> None:
    """Drop refs of ours that another cannot be beside: git cannot keep `a` beside `a/b`. They are of a branch that
    is not the target any more, since the user's git cannot have both either."""
    _only_ours(ref)
    kind = "/".join(ref.split("/")[:3]) + "/"
    for name in listed(repository, kind):
        other = kind + name
        if ref.startswith(f"{other}/") or other.startswith(f"{ref}/"):
            drop(repository, other)


def put_beside(repository: "Repository", target: str, main: str | None, aside: str) -> str | None:
    """Work of ours that waits on `moot/<target>`; None where we did not put it there, or where the target has held it:
    then whoever took it out again has meant it. What the user added on top of it is not ours either."""
    kept = [repository.kept(ref + target) for ref in (BESIDE_NEXT, BESIDE)]
    ours = next((one for one in kept if one and (one == aside or holds(repository, aside, one))), None)
    if ours is None and not any(kept) and aside != repository.kept(BESIDE_OVER + target):
        log = log_of(repository.user.common, f"moot/{target}")  # of a board before these refs were kept
        ours = aside if log and log[-1][0] == aside and log[-1][1].startswith(OUR_WORDS) else None
    if ours is not None and main is not None and _has_held(repository, target, main, ours):
        repository.keep(BESIDE_OVER + target, ours)
        drop(repository, BESIDE + target, BESIDE_NEXT + target)
        return None
    return ours


def _has_held(repository: "Repository", target: str, main: str, commit: str) -> bool:
    """Was the commit ever on the target, by the log that git keeps of it?"""
    if holds(repository, main, commit):
        return True
    past = {entry for entry, _ in log_of(repository.user.common, target) if entry.strip("0")}
    words = ("rev-list", "--ignore-missing", "--max-count=1", "--stdin")
    asked = "".join([f"{commit}\n", *(f"^{entry}\n" for entry in sorted(past))]).encode()
    ran = repository.git(*words, git_dir=repository.user.common, stdin=asked, check=False)
    return bool(past) and ran.code == 0 and not ran.out.strip()


def holds(repository: "Repository", tip: str, commit: str) -> bool:
    """Is a commit in the history of another, by what the user's repository has?"""
    words = ("merge-base", "--is-ancestor", commit, tip)
    return repository.git(*words, git_dir=repository.user.common, check=False).code == 0


def log_of(common: str, branch: str) -> list[tuple[str, str]]:
    """Where a branch of the user's was, oldest first, and by which words it came there; as far as git has kept it."""
    try:
        with open(os.path.join(common, "logs", "refs", "heads", branch), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - REFLOG_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()[-REFLOG_LINES:]
    except OSError:
        return []
    parts = [line.partition("\t") for line in lines]
    return [(facts.split(" ")[1], words) for facts, _, words in parts if len(facts.split(" ")) > 2]
