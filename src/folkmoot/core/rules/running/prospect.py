"""Would an item's work land now, as it is? And if not: the one thing that stands first between it and its branch.

It asks what a landing asks (see `landing`): whether it is seen, proved, mended, and held by no other. The order is that
in which a person would have to see to it.
"""

from collections.abc import Iterable

from msgspec import Struct

from folkmoot.core.enums import ASKING, ENDED, Prospects
from folkmoot.core.flow import END, LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import stage
from folkmoot.core.records import Question
from folkmoot.core.rules.judging.required import last_words, unproved, way
from folkmoot.core.rules.running.landing import is_marked
from folkmoot.core.rules.sharing.choice import Ground, landing_obstacle
from folkmoot.core.rules.sharing.findings import to_change
from folkmoot.core.rules.sharing.holds import branch_of


class Prospect(Struct, frozen=True):
    """What stands in its way, or that nothing does; in words; and who or what must act: a gate, a stage, an item."""

    stands: Prospects
    why: str
    by: str | None = None


def prospect(flow: Flow, item: Item, questions: Iterable[Question], ground: Ground) -> Prospect:
    if item.status in ENDED:
        return _ended(item)
    asked = [one for one in questions if one.state == "open" and one.blocking]
    if item.status in ASKING or asked:
        return Prospect("asks", "it waits for your answer", asked[0].id if asked else None)
    if item.waits_for:
        return Prospect("waits", f"it waits for {_items(item.waits_for)}", item.waits_for[0])
    if is_marked(item):
        return Prospect("red", "the conflicts that a landing has marked were not mended")
    return _of_work(flow, item, ground)


def _ended(item: Item) -> Prospect:
    if item.landed is not None:
        return Prospect("over", f"it has landed on {item.landed_on or 'its branch'}")
    if item.status == "done":
        return Prospect("over", "it is done, and changed nothing that has to land")
    return Prospect("over", f"it has ended: {item.status}")


def _of_work(flow: Flow, item: Item, ground: Ground) -> Prospect:
    """Of one that nobody has to be asked about."""
    last = last_words(flow, item, item.head)
    missing = unproved(flow, item, item.asker is None)
    red = next((gate for gate in missing if gate in last), None)
    if red is not None:
        return Prospect("red", f"{red} is red", red)
    found = to_change(item.findings)
    if found:
        return Prospect("red", f"{len(found)} {'finding is' if len(found) == 1 else 'findings are'} open", item.column)
    ahead = _ahead(flow, item)
    if ahead:
        return Prospect("waits", f"{ahead[0]} has yet to do its work", ahead[0])
    if item.head is None:
        return Prospect("waits", "nothing has been changed yet")
    if missing:
        return Prospect("waits", f"{missing[0]} has not run on it as it is now", missing[0])
    if item.proposal is not None and item.is_proposed and flow.proposes:
        return Prospect("waits", f"people are asked to merge {item.proposal.url}")
    held = landing_obstacle(item, ground)
    if held is not None:
        return Prospect("waits", held.words)
    return Prospect("clear", f"nothing stands between it and {branch_of(flow, item)}", LANDING)


def _ahead(flow: Flow, item: Item) -> list[str]:
    """The stages from where the item is to the end of its way; none where its own gates or its landing are next."""
    if item.column == END or item.proving is not None or item.column not in flow.columns:
        return []
    here, stages = stage(flow, item), way(flow, item)
    return stages[stages.index(here) :] if here in stages else [item.column, *stages]


def _items(ids: list[str]) -> str:
    return f"item {ids[0]}" if len(ids) == 1 else f"items {', '.join(ids)}"
