"""The work of several items as one row of merges: the first so many of them are always a commit of their own."""

from collections.abc import Sequence

from msgspec import Struct

from folkmoot.core.work import Touched
from folkmoot.engine.landing.together import Mate
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.workspaces import author_of


class Link(Struct, frozen=True, kw_only=True):
    """An item's work on top of that of those before it."""

    mate: Mate
    before: str | None  # the commit that it was merged with
    commit: str
    tree: str

    def touched(self, repository: Repository) -> list[Touched]:
        return repository.touched(self.before, self.commit)


def chain(repository: Repository, tip: str | None, mates: Sequence[Mate]) -> list[Link]:
    """Who conflicts with those before it is left out, and lands by itself later. Empty: that is so for the first."""
    links: list[Link] = []
    at = tip
    for mate in mates:
        merged = repository.merge(at, mate.head, f"Item {mate.item}: {mate.title}", author_of("folkmoot"))
        if merged.commit is None or merged.tree is None:
            if not links:
                return []
            continue
        links.append(Link(mate=mate, before=at, commit=merged.commit, tree=merged.tree))
        at = merged.commit
    return links
