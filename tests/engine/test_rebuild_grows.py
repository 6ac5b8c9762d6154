"""What a fold looks at for one item does not grow with the board."""

from collections.abc import Iterator
from typing import Any

from folkmoot.core.item import Item
from folkmoot.engine.rebuild import Fold


class Walked(dict[str, Any]):
    """Counts how often somebody walks through all of it."""

    walks = 0

    def keys(self) -> Any:
        self.walks += 1
        return super().keys()

    def __iter__(self) -> Iterator[str]:
        self.walks += 1
        return super().__iter__()


def test_each_item_is_looked_up_and_the_board_is_walked_through_once() -> None:
    items = {str(number): Item(id=str(number), title="one", column="dev", after=["1"]) for number in range(1, 50)}
    items["7"] = Item(id="7", title="one", column="dev", after=["99"], waits_for=["98"])
    fold = Fold()
    fold.tables["items"] = walked = Walked(items)
    assert fold.wrong() == ["item 7 names 98, 99, and there is no such item"]
    assert walked.walks <= 1
