"""What a worker's landings have shown. It only says what to try next: who forgets it proves more often than needed."""

from collections import deque

TREES_KEPT = 256


class Memory:
    def __init__(self) -> None:
        self._red: deque[tuple[str, str]] = deque(maxlen=TREES_KEPT)  # trees, and by which checks they were red
        self._alone: dict[str, str] = {}  # items that kept others from landing, and where their work was then
        self.doubts = 0  # see `Line`
        self._then = 0

    def was_red(self, tree: str, checks: str) -> None:
        self._red.append((tree, checks))

    def red(self, checks: str) -> list[str]:
        """The trees that were red by these checks."""
        return [tree for tree, by in self._red if by == checks]

    def expects(self, doubts: int) -> None:
        """How many doubts are left if what is proved now lands."""
        self._then = doubts

    def landed(self) -> None:
        self.doubts = self._then

    def went_back(self, is_red: bool) -> None:
        """One has gone back for a red gate."""
        self.doubts += is_red

    def goes_alone(self, item: str, head: str) -> None:
        if len(self._alone) >= TREES_KEPT:
            self._alone.pop(next(iter(self._alone)))
        self._alone[item] = head

    def is_alone(self, item: str, head: str) -> bool:
        return self._alone.get(item) == head
