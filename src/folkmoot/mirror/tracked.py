"""What git tracks is nobody's word: it came by a commit, which may be an agent's, not by the hand of whom it names. Nor
is what stood in a folder before it showed the board: until then no agent was kept from writing there."""

from collections.abc import Callable, Collection, Sequence

from folkmoot.errors import Refused
from folkmoot.mirror.folder import Folder, Seen

Ask = Callable[[Sequence[str]], Collection[str]]  # of paths in the folder, those that git tracks

STOOD_BEFORE = Refused(
    "stood_before",
    "it was here before this folder showed the board, so it is not known whose word it is",
    "if it is yours, write it again",
)


def nothing(paths: Sequence[str]) -> Collection[str]:
    return ()


class Tracked:
    """Git is asked once for all files of a pass. A landing puts a file in place after its branch has moved: so whatever
    was there before the question is answered by it, and of what came later it is asked again."""

    def __init__(self, folder: Folder, ask: Ask) -> None:
        self._folder = folder
        self._ask = ask
        self._stood: dict[str, Seen | None] = {}
        self._known: Collection[str] | None = None
        self._told: dict[str, Seen] = {}
        self._before: dict[str, Seen | None] = {}

    def begin(self, paths: Sequence[str], before: Sequence[str] = ()) -> None:
        """`before` is what stood there when the folder began to show the board."""
        self._stood = {path: self._folder.look(path) for path in paths}
        self._before |= {path: self._folder.look(path) for path in before}
        self._known = None

    def stood_before(self, path: str, seen: Seen) -> bool:
        return self._before.get(path) == seen

    def has(self, path: str, seen: Seen | None) -> bool:
        """Is a file tracked that was read, and listed like this?"""
        if seen is None or self._stood.get(path) != seen:
            return path in self._ask([path])
        if self._known is None:
            self._known = self._ask(list(self._stood))
        return path in self._known

    def is_new(self, path: str, seen: Seen) -> bool:
        """Has nothing been said of it yet?"""
        before, self._told[path] = self._told.get(path), seen
        return before != seen

    def refusal(self, path: str) -> Refused:
        shown = f"{self._folder.name}/{path}" if self._folder.name else path
        words = "git tracks {shown}, so it is not taken in: what a commit brings is no word of whom it names"
        return Refused("tracked_by_git", words, "if it is yours, `git rm --cached {shown}`, and write it again", shown)
