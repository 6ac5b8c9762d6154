"""Moving the user's branch: by compare-and-swap, never by force. A clean tree of the user's comes along."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct, field

from folkmoot.core.rules.running.rights import danger
from folkmoot.errors import Refused, Unavailable
from folkmoot.worker.git.harvest.settings import unclear_hooks
from folkmoot.worker.git.places import NONE_KNOWN, Tree, checked_out, own_trees
from folkmoot.worker.git.refs import (
    BESIDE,
    BESIDE_NEXT,
    BESIDE_OVER,
    FROM,
    TO,
    drop,
    holds,
    keep_all,
    listed,
    where,
)
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.git.swap import NotMoved, Stale, Swap, TreeChanged
from folkmoot.worker.git.trees.checkout import UNKNOWN, Checkout
from folkmoot.worker.git.trees.holding import notes, settle

ALONE_SECONDS = 10.0
TRIES = 5

# Waits for the lock of all landings in a repository, for so many seconds; gives whether it was got, for the block.
Alone = Callable[[float], contextlib.AbstractContextManager[bool]]

# The trees that a branch is checked out in, now; with the folders of those that are known, by their git folders.
Trees = Callable[[str, Mapping[str, str]], list[Checkout]]


class StaysBehind(Refused):
    """The user's own branch does not follow the remote's."""


class Moved(Struct, frozen=True):
    """Where a commit landed."""

    branch: str
    note: str = ""  # for the user: what is not as usual, and what to do
    left: list[str] = field(default_factory=list)  # files of a checked-out tree that could not be brought along


class Move:
    """A move that is ready to be made: first `ready`, then `make`, then `bring_along`; `drop` in any case.

    From just before the branch moves until index and files are along, the trees have git's own lock: a commit of the
    user's in between would take back what has landed, and a checkout would carry it to another branch.
    """

    def __init__(
        self,
        repository: Repository,
        swap: Swap,
        trees: list[Checkout],
        now: Trees,
        note: str,
        *,
        beside: bool = False,
    ) -> None:
        self._repository = repository
        self._swap = swap
        self._held = trees if swap.old != swap.new else []
        self._is_held = False
        self._now = now
        self.branch = swap.branch
        self._beside = swap.branch.removeprefix("moot/") if beside else ""
        self.note = note

    def ready(self) -> None:
        """Write down where the trees come from and go to, so that a crash can be mended, and have git wait."""
        swap = self._swap
        if not swap.made:
            if not swap.old:
                drop(self._repository, FROM + swap.branch)
            came = {FROM + swap.branch: swap.old} if swap.old else {}
            beside = {BESIDE_NEXT + self._beside: swap.new} if self._beside else {}
            keep_all(self._repository, {**came, TO + swap.branch: swap.new, **beside})
            try:
                for tree in self._held:
                    tree.prepare(swap.old, swap.new)
            except OSError as error:
                words = "what comes to {branch} cannot be written: {why}"
                raise Unavailable("tree_not_ready", words, "", swap.branch, str(error)) from error
        swap.ready()

    def make(self, commit: str) -> None:
        """Inside the transaction that takes in the landing; raises NotMoved, and then `look` tells what is so."""
        if not self._is_held and not self._swap.made:
            self._hold()
        self._swap.make(commit)

    def _hold(self) -> None:
        wanted = {tree.git_dir: tree.path for tree in self._held}
        try:
            if (
                all(tree.hold() for tree in self._held)
                and {one.git_dir for one in self._now(self.branch, wanted)} == wanted.keys()
            ):
                self._is_held = True
                return
        except OSError as error:
            words = "git's lock cannot be taken where {branch} is checked out: {why}"
            hint = "See whether that disk has hard links."
            raise Unavailable("tree_not_ready", words, hint, self.branch, str(error)) from error
        self._let_go()
        words = f"git was at work where {self.branch} is checked out"
        raise TreeChanged("tree_changed", words, "Look at it again.")

    def look(self) -> None:
        self._swap.look()

    def drop(self) -> None:
        """Let git go, and the trees. Where the branch has moved all the same, they come along even now."""
        self._swap.drop()
        try:
            if self._is_held and self._has_moved():
                self.bring_along()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        self._is_held = False
        for tree in self._held:
            tree.let_go()

    def _has_moved(self) -> bool:
        swap = self._swap
        return swap.made or where(self._repository, f"refs/heads/{swap.branch}") == swap.new

    def bring_along(self) -> Moved:
        """After the branch has moved: the trees that are held, and those it is checked out in by now."""
        swap = self._swap
        swap.drop()
        left: list[str] = []
        if self._beside:
            self._repository.keep(BESIDE + self._beside, swap.new)
            drop(self._repository, BESIDE_NEXT + self._beside, BESIDE_OVER + self._beside)
        if swap.old != swap.new:
            if self._is_held:
                left = [path for tree in self._held for path in tree.forward(swap.old, swap.new)]
            if where(self._repository, f"refs/heads/{swap.branch}") == swap.new:
                seen = {tree.git_dir: tree.path for tree in self._held} if self._is_held else {}
                late = [tree for tree in self._now(swap.branch, seen) if tree.git_dir not in seen]
                left += [path for tree in late for path in tree.finish(swap.old, swap.new)]
                self._repository.saw(swap.branch, swap.new, TO + swap.branch, FROM + swap.branch)
            self._is_held = False
        words = told_of(swap.branch, left)
        return Moved(swap.branch, " ".join(filter(None, [self.note, words])), left)


class Landing:
    """`pause` waits a number of seconds; it is handed in, like every clock."""

    def __init__(self, repository: Repository, pause: Callable[[float], object], alone: Alone | None = None) -> None:
        self._repository = repository
        self._pause = pause
        self._alone: Alone = alone or (lambda seconds: contextlib.nullcontext(True))

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """One landing after the other brings the user's trees along; what an earlier one left undone is done first.

        It is for order, not for safety: who stands still with it is not waited for longer than a while.
        """
        with self._alone(ALONE_SECONDS) as got:
            if got:
                self._finish_all()
            yield

    def move(self, target: str, old: str | None, new: str, why: str = "moot: landed") -> Moved:
        """All of it at once, where no board is to be told."""
        return self._carried(target, new, lambda: self.plan(target, old, new, why))

    def follow(self, target: str, new: str) -> Moved:
        """After a remote has moved to a commit: let the user's own branch of that name, and its files, come along; not
        where anything of the user's is in the way. It decides nothing: what landed is on the remote."""
        repository = self._repository
        main = repository.fetched(target).get(target)
        if main is None or repository.contains(main, new):
            return Moved(target)
        try:
            return self._carried(target, new, lambda: self._follows(target, main, new))
        except StaysBehind as stays:
            return Moved(target, f"your own {target} stays where it is, since {stays}: `git pull` brings it along.")

    def _follows(self, target: str, main: str, new: str) -> Move:
        repository = self._repository
        if not repository.contains(new, main):
            raise StaysBehind("branch_behind", "it has commits that the remote does not have")
        repository.give(new)
        trees = self._trees(target)
        words = _to_be_looked_at(repository, main, new) or in_the_way(trees, main, new) or unclear_hooks(repository)
        if words:
            raise StaysBehind("branch_behind", "{why}", "", words)
        swap = Swap(repository, target, main, new, "moot: landed on the remote")
        return Move(repository, swap, trees, self._trees, "")

    def _carried(self, target: str, new: str, plan: Callable[[], Move]) -> Moved:
        for _ in range(TRIES):
            move = plan()
            try:
                move.ready()
                try:
                    move.make(new)
                except TreeChanged:
                    continue
                except NotMoved:
                    move.look()
                return move.bring_along()
            finally:
                move.drop()
        words = "{target} is checked out where git kept being at work"
        raise Unavailable("branch_unsteady", words, "Try again.", target)

    def plan(self, target: str, old: str | None, new: str, why: str = "moot: landed") -> Move:
        """Look at how the target branch moves from the tip that was merged with to the commit that came of it.

        Where it is checked out in a tree that is not clean, `moot/<target>` moves instead; and so it does while
        earlier work waits there, and where a hook of the user's may run whatever comes.
        """
        repository, aside = self._repository, f"moot/{target}"
        theirs = repository.fetched(target)
        if repository.tip_of(target, theirs) != old or (old and not repository.contains(new, old)):
            words = "{target} has moved on since it was merged with."
            raise Stale("stale_target", words, "Merge with its tip again.", target)
        repository.give(new)
        trees = self._trees(target)
        words = in_the_way(trees, theirs.get(target), new)
        unclear = unclear_hooks(repository)
        waits = self._waits(target, theirs, new)
        if not words and not waits and not unclear:
            others = self._others(target, theirs)
            return Move(repository, Swap(repository, target, theirs.get(target), new, why), trees, self._trees, others)
        held, also = where(repository, f"refs/heads/{aside}"), self._trees(aside)
        place = f"{target} is checked out in {trees[0].path} and {words}" if words else waits or unclear
        if held and held != theirs.get(aside) and not holds(repository, new, held):
            words = "{place}, and {aside} holds what is not moot's."
            hint = "Commit your changes, or give that branch another name: `git branch -m {aside} NAME`."
            raise Refused("aside_in_conflict", words, hint, place, aside)
        if held and not holds(repository, new, held):
            words = "{place}, and {aside} does not go together with it."
            hint = "Merge {aside} into {target} by hand, or commit your changes there."
            raise Refused("aside_in_conflict", words, hint, place, aside, target)
        if blocked := in_the_way(also, held, new) or (unclear if also else ""):
            words = "{place}; {aside} is checked out too and {blocked}."
            hint = "Commit your changes, or check out another branch."
            raise Refused("trees_not_clean", words, hint, place, aside, blocked)
        note = f"{place}. The work is on {aside} instead, and all later work goes there too while this holds."
        # Git takes ignored files for worthless: a merge by hand would overwrite the very file that was spared here.
        first = "move that file away" if UNKNOWN in words else "commit or stash your changes" if words else "look at it"
        note += f" To take all of it in: {first}, then `git merge {aside}`."
        return Move(repository, Swap(repository, aside, held, new, why), also, self._trees, note, beside=True)

    def _waits(self, target: str, theirs: Mapping[str, str], new: str) -> str:
        """Would earlier work come along that waits on `moot/<target>`? Its gates have not seen it together with what is
        on the target by now, and somebody may have locked its files or taken it back since: the user merges it."""
        repository, aside = self._repository, f"moot/{target}"
        main, beside = theirs.get(target), theirs.get(aside)
        if main is None or beside is None or repository.contains(main, beside) or not repository.contains(new, beside):
            return ""
        return f"earlier work waits on {aside} for you to merge it"

    def _others(self, target: str, theirs: Mapping[str, str]) -> str:
        """A branch with the name of ours, and other work on it, is the user's: it is left alone, and that is said."""
        aside = f"moot/{target}"
        there = where(self._repository, f"refs/heads/{aside}") if aside not in theirs else None
        main = theirs.get(target)
        if there is None or (main is not None and holds(self._repository, main, there)):
            return ""
        return f"{aside} was left out: {target} has held it before, or it is a branch of your own."

    def finish_checkout(self, target: str, old: str | None, new: str) -> list[str]:
        """Bring the user's tree along after a crash between the move of its branch and its files.

        Only while the branch is still where it was moved to. Gives back the paths that were left as they are.
        """
        left: list[str] = []
        theirs = self._repository.fetched(target)
        for branch in (target, f"moot/{target}"):
            if theirs.get(branch) == new:
                # Where work stood aside before, the branch came from further back than the tip that was merged with.
                left += self._finish(branch, self._repository.kept(FROM + branch) or old, new)
        return left

    def finish_left(self) -> dict[str, list[str]]:
        """Bring trees along whose landing died after its branch had moved. Gives the paths that were left, by branch.

        Not while another landing is at it: that one sees to its own.
        """
        with self._alone(0.0) as got:
            return self._finish_all() if got else {}

    def _finish_all(self) -> dict[str, list[str]]:
        found = self._mend_all()
        for branch, new in listed(self._repository, TO).items():
            if self._repository.fetched(branch).get(branch) == new:
                trees = self._trees(branch)
                old = self._repository.kept(FROM + branch)
                left = [path for tree in trees for path in tree.finish(old, new)]
                found |= {branch: left} if left else {}
                if any(tree.is_locked for tree in trees):
                    continue  # somebody's git is at work: whoever comes next tries again
            drop(self._repository, TO + branch, FROM + branch)
        return found

    def _mend_all(self) -> dict[str, list[str]]:
        """Moves whose process was killed with the lock: it is ours, and nobody else can take it away."""
        found: dict[str, list[str]] = {}
        for note in notes(self._repository.git_dir, own_trees(self._repository.user)):
            if not note.is_left:
                continue
            if not note.is_locked:
                settle(note, forward=False)  # before it was taken, or somebody has removed it by hand
                continue
            tree = Tree(note.path, note.git_dir, note.branch, is_found=os.path.isdir(note.path))
            try:
                left = Checkout(self._repository, tree, self._pause).mend(note)
            except OSError as error:
                left = [f"{note.path} ({error.strerror or error})"]  # one tree holds up no landing
            found |= {note.branch: [*found.get(note.branch, []), *left]} if left else {}
        return found

    def _finish(self, branch: str, old: str | None, new: str) -> list[str]:
        return [path for tree in self._trees(branch) for path in tree.finish(old, new)]

    def _trees(self, branch: str, known: Mapping[str, str] = NONE_KNOWN) -> list[Checkout]:
        found = checked_out(self._repository.git, self._repository.user, branch, known)
        return [Checkout(self._repository, tree, self._pause) for tree in found]


def in_the_way(trees: list[Checkout], old: str | None, new: str) -> str:
    return next(filter(None, (tree.in_the_way(old, new) for tree in trees)), "")


def _to_be_looked_at(repository: Repository, main: str, new: str) -> str:
    """What comes with a branch of the remote and no run here may change, in words. It was judged, if at all, on another
    machine, whose git runs other things by other settings than this one's."""
    found = ((one.path, danger(one)) for one in repository.touched(main, new))
    path, why = next(((path, why) for path, why in found if why), ("", ""))
    return f"you should look first at {path}, which comes with it and {(why or '').partition(': ')[0]}" if path else ""


def told_of(branch: str, left: list[str]) -> str:
    """Files of the user's that were not brought along, in words; nothing if there are none."""
    if not left:
        return ""
    names = ", ".join(left[:5]) + (" and more" if len(left) > 5 else "")
    return f"{branch} moved, but somebody was changing files that are checked out: {names}. `git status` shows them."
