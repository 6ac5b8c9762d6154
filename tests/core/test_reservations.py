"""What has waited too long reserves its paths, and yet nobody waits for ever (R-03, R-23)."""

import pytest

from folkmoot.core.item import Item
from folkmoot.core.records import Hold
from folkmoot.core.rules.sharing.choice import Ground, obstacle


def item(number: int, *files: str) -> Item:
    """The lower the number, the longer it has waited."""
    return Item(id=str(number), title="x", column="dev", files=list(files), ready_at=float(number))


@pytest.mark.ledger("R-03", "R-23")
def test_items_that_starve_do_not_keep_out_what_one_of_them_needs() -> None:
    """5 waits for docs, which 9 holds; 9 waits for 8; 8 must not wait for 7, which waits for 5."""
    oldest, older, needed = item(5, "docs/x.md", "src/"), item(7, "src/a.py"), item(8, "src/")
    holds = [Hold(id="item:9:docs/x.md", path="docs/x.md", owner="d", item="9")]
    ground = Ground(holds, [oldest, older], lambda one: {"9"} if one == "8" else set())
    assert obstacle(oldest, ground) is not None and obstacle(older, ground) is not None
    assert obstacle(needed, ground) is None


@pytest.mark.ledger("R-23")
def test_a_newcomer_that_nobody_needs_is_kept_out() -> None:
    ground = Ground([], [item(5, "src/")], lambda one: set())
    assert obstacle(item(8, "src/a.py"), ground) == "item 5 has waited longest for src/a.py"
