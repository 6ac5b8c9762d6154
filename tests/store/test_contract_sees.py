"""A contract that nothing can break holds nobody to anything: each of these stores gets one thing wrong."""

import random
from collections.abc import Iterable

import pytest

from folkmoot.store.sqlite.session import QUERIES
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing import store_contract
from tests.some import one_of_each, some

# Which statement, what stands there, what stands there in the wrong store, and the seed with which it was seen soonest:
# there the search begins.
DEFECTS = [
    ("update_hold", "doc = ?", "doc = coalesce(doc, ?)", 3),
    ("update_hold", "until = ?", "until = coalesce(until, ?)", 3),
    ("update_hold", "SET held", "SET rowid = (SELECT max(rowid) + 1 FROM holds), held", 3),
    ("hold_place", "rowid, held", "rowid, 0", 3),
    ("hold_place", "rowid, held", "-rowid, held", 3),
    ("holds", "until > ?", "until > ? + 5", 14),
    ("holds", "until IS NULL", "until < 0", 0),
    (
        "holds",
        "SELECT rowid, doc FROM holds INDEXED BY holds_until WHERE held = 1 AND until >",
        "SELECT -rowid, doc FROM holds WHERE held = 1 AND until >",
        2,
    ),
    ("all_starved", "ORDER BY ready_at, number", "ORDER BY number", 0),
    ("all_starved", "wake_at <= ?2", "wake_at IS NOT ?2", 0),
    ("all_ready", "ready_at > ?3", "ready_at IS NOT ?3", 0),
    ("all_ready", "ORDER BY priority, rank, number", "ORDER BY number", 0),
    ("all_ready", "LIMIT ?5", "LIMIT ?5 + 1", 0),
    ("starved_files", "INDEXED BY items_filed WHERE queue IS NOT NULL AND filed = 1", "WHERE queue IS NOT NULL", 0),
    ("starved_files", "INDEXED BY items_filed WHERE queue IS NOT NULL AND filed = 1", "WHERE filed = 1", 1),
    ("starved_files", "ORDER BY ready_at, number", "ORDER BY number", 9),
    ("next_ready", "INDEXED BY items_next WHERE queue = ?1 AND bar IS NULL", "WHERE queue = ?1", 0),
    ("all_ready", "INDEXED BY items_next WHERE queue = ?1 AND bar IS NULL", "WHERE queue = ?1", 0),
    ("barred_ready", "bar = ?6", "bar >= ?6", 0),
    ("barred_ready", "ORDER BY priority, rank, number", "ORDER BY number", 0),
    ("barred_starved", "ORDER BY ready_at, number", "ORDER BY number", 0),
    ("barred_starved", "wake_at <= ?2", "wake_at IS NOT ?2", 0),
    ("bars", "queue = ?1 AND bar > each.bar", "bar > each.bar", 1),
    ("queued", "AND bar IS NOT NULL LIMIT ?2", "AND bar IS NOT NULL LIMIT 1", 0),
    ("awaited", "AND bar IS NOT NULL", "", 0),
    ("awaited", "edges.item = reach.number", "edges.item = reach.number AND edges.why = 'after'", 0),
    ("awaited", "items.status != 'running'", "1", 0),
    ("awaited", "wake_at <= ?3", "wake_at IS NOT ?3", 0),
    ("keep_out", "bar = ?", "bar = coalesce(bar, ?)", 1),
    ("let_in", "queue = ? AND bar = ?", "? IS NOT NULL AND bar = ?", 0),
    ("let_all_in", "bar IS NOT NULL", "bar < ''", 12),
    ("move_item", ", bar = NULL", "", 1),
    ("update_item", ", bar = NULL", "", 0),
    ("move_item", "filed = ?", "filed = iif(?, filed, filed)", 9),
    ("awaited", "edges.item = reach.number", "edges.item = reach.number AND edges.why != 'whole'", 1),
    ("runs_ended", "ended_at >= ?", "ended_at > ?", 0),
    ("runs_ended", "ORDER BY ended_at, rowid", "ORDER BY rowid DESC", 0),
    ("waiters", "needs = ?", "needs = ? AND why != 'after'", 0),
    ("waiters", "needs = ?", "needs = ? AND why != 'child'", 0),
    ("waiters", "needs = ?", "needs = ? AND why != 'whole'", 0),
    ("dependents", " AND why != 'whole'", "", 0),
    ("upstream", "AND edges.why != 'whole'", "", 6),
    ("upstream", "AND why != 'whole'", "", 0),
    ("delete_whole", "why = 'whole'", "why = 'whole' AND needs < 0", 0),
    ("child_items", "ORDER BY edges.needs", "ORDER BY edges.needs DESC", 8),
    ("child_items", "edges.why = 'child'", "edges.why IN ('child', 'after')", 0),
    ("messages_all", "number > ?", "number >= ?", 1),
    ("messages_of_item", "?4 IS NULL OR", "1 OR ?4 IS NULL OR", 1),
    ("messages_to", "?4 IS NULL OR", "1 OR ?4 IS NULL OR", 1),
    ("messages_with_status", "AND number > ?1", "AND ?1 IS NOT NULL", 1),
    ("messages_loose", "?2 IS NULL OR", "1 OR ?2 IS NULL OR", 1),
    ("update_message", "status = ?", "status = iif(? IS NULL, '', status)", 1),
    ("update_message", "item = ?", "item = iif(? IS NULL, item, item)", 1),
    ("lessons", "DESC", "", 4),
    ("set_head", "messages = ?", "messages = 0 * ?", 1),
    ("set_head", "lessons = ?", "lessons = 0 * ?", 2),
    ("set_head", "filed = ?", "filed = 0 * ?", 0),
    ("set_head", "held = ?", "held = 0 * ?", 0),
]


@pytest.mark.parametrize(
    ("name", "right", "wrong", "first"), some(DEFECTS, one_of_each(DEFECTS, lambda defect: defect[0])[::3])
)
def test_a_wrong_store_is_seen(name: str, right: str, wrong: str, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = QUERIES[name]
    assert before.count(right) == 1, before
    monkeypatch.setitem(QUERIES, name, before.replace(right, wrong))
    with pytest.raises(AssertionError):
        live(sorted(range(20), key=lambda seed: seed != first))


def live(seeds: Iterable[int]) -> None:
    for seed in seeds:
        store = SqliteStore.create(":memory:")
        try:
            store_contract.answers_as_the_model(store, random.Random(seed), steps=40)
        finally:
            store.close()
