"""All that an item has changed: from where its work began to where it is, or to what landed of it."""

from collections.abc import Sequence

from msgspec import Struct

from folkmoot.worker.git.repository import DIFF, Repository
from folkmoot.worker.git.words import CUT_HERE, readable

DIFF_MAX = 16 * 1024 * 1024  # bytes


class Span(Struct, frozen=True):
    base: str | None
    commit: str


def span(
    repository: Repository, *, landed: str | None, head: str | None, onto: str | None, runs: Sequence[str]
) -> Span | None:
    """Between which commits an item's work lies. `onto` is where the branch is that it is for; `runs` are the commits
    of its runs, in their order. None: it has no work."""
    if landed is not None and (commit := repository.kept(landed)) is not None:
        return Span(repository.kept(f"{commit}^1"), commit)
    commit = repository.kept(head) if head is not None else _last(repository, runs)
    if commit is None:
        return None
    base = repository.fork(onto, commit)
    if base == commit or base is None:  # that branch has all of it already: then from where the first run began
        base = next((repository.kept(f"{run}^1") for run in runs if repository.kept(run)), None)
    return Span(base, commit)


def _last(repository: Repository, runs: Sequence[str]) -> str | None:
    """Of runs whose work was not taken: the last one's is kept under its own ref."""
    return next((found for run in reversed(runs) if (found := repository.kept(run)) is not None), None)


def is_cut(diff: str) -> bool:
    """Every line of a file begins with a sign in it: only what says that it was cut begins so."""
    return diff.rstrip("\n").rpartition("\n")[2].startswith(CUT_HERE)


def lines(repository: Repository, between: Span) -> dict[str, tuple[int | None, int | None]]:
    """For each path how many lines came and went; None where it is not text."""
    old = between.base or repository.empty_tree()
    said = repository("-c", "core.bigFileThreshold=1m", *DIFF, "--numstat", "-z", old, between.commit).out
    found: dict[str, tuple[int | None, int | None]] = {}
    for row in filter(None, said.split(b"\0")):
        added, removed, path = row.split(b"\t", 2)
        is_text = added != b"-"
        found[readable(path)] = (int(added), int(removed)) if is_text else (None, None)
    return found
