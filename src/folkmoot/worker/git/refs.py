"""Refs of ours in the engine's repository, and where a ref of the user's is."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Repository

OURS = "refs/moot/"
INTENTS = "refs/moot/intents/"  # items whose landing was about to move a branch; kept until it is known what came of it
FROM, TO = "refs/moot/landing/", "refs/moot/landing-to/"  # a branch that moves: where it came from, where it goes


def where(repository: "Repository", ref: str) -> str | None:
    """The commit of a ref of the user's, now."""
    words = ("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    return repository.git(*words, git_dir=repository.user.common, check=False).out.decode().strip() or None


def listed(repository: "Repository", below: str) -> dict[str, str]:
    """The refs of ours below a name: what follows that name, and the commit."""
    said = repository("for-each-ref", "--format=%(objectname) %(refname)", below).out
    lines = [line.split(" ", 1) for line in said.decode("utf-8", "surrogateescape").splitlines()]
    return {ref.removeprefix(below): commit for commit, ref in lines}


def drop(repository: "Repository", *refs: str) -> None:
    """Keep nothing under these refs any more; those that are not there are not missed."""
    if any(not ref.startswith(OURS) for ref in refs):
        raise ValueError(f"not refs of ours: {refs}")
    for ref in refs:
        repository("update-ref", "--no-deref", "-d", ref, check=False)
