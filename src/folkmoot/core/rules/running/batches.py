"""Several items land together: which may, how many of them are proved next, and whose work it is where a gate is red.

They stand in the order in which they would land one by one, and only the first so many of them are ever proved: so what
lands is always what was proved, and who goes back was proved as the first, on the branch as it was then (R-19, R-22).
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.rules.judging.required import required, unsigned
from folkmoot.core.rules.running.looking import unseen_by


class Line(Struct, frozen=True):
    """Items that wait to land, in their order."""

    count: int
    red: int = 0  # so many of the first are known to be red together; 0: nothing is known
    doubts: int = 0  # how many went back lately: after the first all are tried again, then half, then a quarter


def most_together(flow: Flow) -> int:
    """How many items may land on a branch by one move."""
    return 1 if flow.proposes else flow.land.batch


def size(line: Line) -> int:
    """How many of the first to prove together next. Of those that are red together it is half; the last one that is
    left is proved once more by itself, so that nobody goes back for what only others have shown."""
    if line.red:
        return max(1, line.red // 2)
    return max(1, line.count >> max(0, line.doubts - 1))


def after(line: Line, proved: int, green: bool) -> Line:
    """What is known once the first so many were proved. Green, they have landed; red, one alone has gone back."""
    if green and line.red:
        # What is left of those that were red together makes the very tree that was red.
        return replace(line, count=line.count - proved, red=line.red - proved)
    if green:
        return replace(line, count=line.count - proved, doubts=max(0, line.doubts - 1))
    if proved > 1:
        return replace(line, red=proved)
    return Line(line.count - 1, doubts=line.doubts + 1)


def known_red(trees: Sequence[str], red: Iterable[str]) -> int:
    """The fewest of the first whose tree is among those that were red. `trees`: of the first, of the first two, …"""
    shown = set(red)
    return next((number for number, tree in enumerate(trees, 1) if tree in shown), 0)


def may_join(flow: Flow, first: Item, other: Item) -> bool:
    """May its work land together with that of the first? Only where the same gates prove both on the target branch, and
    nobody has to be asked, to look or to mend before: what is not as usual goes its own way."""
    if first.asker or other.asker or other.id == first.id or other.head is None or other.marked is not None:
        return False
    if not set(other.needs) <= set(first.needs):
        return False  # the worker that lands the first need not have the labels of the other
    gates = _commands(flow, first)
    return (
        bool(gates) and gates == _commands(flow, other) and not unsigned(flow, other, True) and not _unseen(flow, other)
    )


def _commands(flow: Flow, item: Item) -> set[str]:
    return {gate for gate in required(flow, item, True) if flow.gates[gate].run}


def _unseen(flow: Flow, item: Item) -> bool:
    return unseen_by(flow, item) is not None
