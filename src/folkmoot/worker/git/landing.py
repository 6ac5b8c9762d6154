"""Moving the user's branch: by compare-and-swap, never by force. A clean tree of the user's comes along."""

from collections.abc import Callable

from msgspec import Struct, field

from folkmoot.errors import Refused, Unavailable
from folkmoot.worker.git.checkout import Checkout
from folkmoot.worker.git.places import checked_out
from folkmoot.worker.git.repository import Repository


class Moved(Struct, frozen=True):
    """Where a commit landed."""

    branch: str
    note: str = ""  # for the user: what is not as usual, and what to do
    left: list[str] = field(default_factory=list)  # files of a checked-out tree that could not be brought along


class Stale(Refused):
    """The branch is not where the caller saw it. Merge again with its tip; nothing was changed."""


class Landing:
    """`pause` waits a number of seconds; it is handed in, like every clock."""

    def __init__(self, repository: Repository, pause: Callable[[float], object]) -> None:
        self._repository = repository
        self._pause = pause

    def move(self, target: str, old: str | None, new: str, why: str = "moot: landed") -> Moved:
        """Move the target branch from the tip that was merged with to the commit that came of it.

        Where it is checked out in a tree that is not clean, `moot/<target>` moves instead.
        """
        repository, aside = self._repository, f"moot/{target}"
        theirs = repository.fetched(target)
        if repository.tip_of(target, theirs) != old or (old and not repository.contains(new, old)):
            raise Stale("stale_target", f"{target} has moved on since it was merged with.", "Merge with its tip again.")
        repository.give(new)
        trees = self._trees(target)
        words = in_the_way(trees, theirs.get(target), new)
        if not words:
            return self._move(target, theirs.get(target), new, trees, why)
        held, also = theirs.get(aside), self._trees(aside)
        where = f"{target} is checked out in {trees[0].path} and {words}"
        if held and not repository.contains(new, held):
            hint = f"Merge {aside} into {target} by hand, or commit your changes there."
            raise Refused("aside_in_conflict", f"{where}, and {aside} does not go together with it.", hint)
        if blocked := in_the_way(also, held, new):
            hint = "Commit your changes, or check out another branch."
            raise Refused("trees_not_clean", f"{where}; {aside} is checked out too and {blocked}.", hint)
        moved = self._move(aside, held, new, also, why)
        note = f"{where}. The work is on {aside} instead."
        note += f" To take it in: commit or stash your changes, then `git merge {aside}`."
        return Moved(aside, " ".join(filter(None, [note, moved.note])), moved.left)

    def finish_checkout(self, target: str, old: str | None, new: str) -> list[str]:
        """Bring the user's tree along after a crash between the move of its branch and its files.

        Only while the branch is still where it was moved to. Gives back the paths that were left as they are.
        """
        left: list[str] = []
        theirs = self._repository.fetched(target)
        for branch in (target, f"moot/{target}"):
            if theirs.get(branch) == new:
                # Where work stood aside before, the branch came from further back than the tip that was merged with.
                was = self._repository.kept(landing_ref(branch)) or old
                for tree in self._trees(branch):
                    left += tree.finish(was, new)
        return left

    def _trees(self, branch: str) -> list[Checkout]:
        found = checked_out(self._repository.git, self._repository.user.common, branch)
        return [Checkout(self._repository, tree, self._pause) for tree in found]

    def _move(self, branch: str, old: str | None, new: str, trees: list[Checkout], why: str) -> Moved:
        if old == new:
            return Moved(branch)
        if trees and old:
            self._repository.keep(landing_ref(branch), old)
        self._swap(branch, old, new, why)
        self._repository.saw(branch, new)
        left = [path for tree in trees for path in tree.forward(old, new)]
        if not left:
            return Moved(branch)
        names = ", ".join(left[:5]) + (" and more" if len(left) > 5 else "")
        note = (
            f"{branch} moved, but somebody was changing files that are checked out: {names}. `git status` shows them."
        )
        return Moved(branch, note, left)

    def _swap(self, branch: str, old: str | None, new: str, why: str) -> None:
        repository, ref = self._repository, f"refs/heads/{branch}"
        ran = repository.git(
            "update-ref", "-m", why, ref, new, old or repository.none, git_dir=repository.user.common, check=False
        )
        if ran.code == 0:
            return
        words = ran.err.decode("utf-8", "replace").strip()
        said = repository.git(
            "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", git_dir=repository.user.common, check=False
        )
        if (said.out.decode().strip() or None) != old:
            raise Stale("stale_target", f"{branch} moved while it was landed on.", "Merge with its tip again.")
        raise Unavailable("branch_stuck", f"{branch} cannot be moved: {words}", "Remove what stands in git's way.")


def in_the_way(trees: list[Checkout], old: str | None, new: str) -> str:
    return next(filter(None, (tree.in_the_way(old, new) for tree in trees)), "")


def landing_ref(branch: str) -> str:
    """Keeps where a branch came from while it is being moved."""
    return f"refs/moot/landing/{branch}"
