"""A contract that nothing can break holds nobody to anything: each of these stores gets one thing wrong."""

import random
from collections.abc import Iterable

import pytest

from folkmoot.store.sqlite import group_commit, reading, writing
from folkmoot.store.sqlite.reading import QUERIES
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing import store_contract

# Which statement, what stands there, and what stands there in the wrong store.
DEFECTS = [
    ("update_hold", "doc = ?", "doc = coalesce(doc, ?)"),
    ("update_hold", "until = ?", "until = coalesce(until, ?)"),
    ("update_hold", "SET held", "SET rowid = (SELECT max(rowid) + 1 FROM holds), held"),
    ("hold_place", "rowid, held", "rowid, 0"),
    ("hold_place", "rowid, held", "-rowid, held"),
    ("holds", "until > ?", "until > ? + 5"),
    ("holds", "until IS NULL", "until < 0"),
    (
        "holds",
        "SELECT rowid, doc FROM holds INDEXED BY holds_until WHERE held = 1 AND until >",
        "SELECT -rowid, doc FROM holds WHERE held = 1 AND until >",
    ),
    ("all_starved", "ORDER BY ready_at, number", "ORDER BY number"),
    ("all_starved", "wake_at <= ?2", "wake_at IS NOT ?2"),
    ("all_ready", "ready_at > ?3", "ready_at IS NOT ?3"),
    ("all_ready", "ORDER BY priority, rank, number", "ORDER BY number"),
    ("all_ready", "LIMIT ?5", "LIMIT ?5 + 1"),
    ("starved_files", "INDEXED BY items_filed WHERE queue IS NOT NULL AND filed = 1", "WHERE queue IS NOT NULL"),
    ("starved_files", "INDEXED BY items_filed WHERE queue IS NOT NULL AND filed = 1", "WHERE filed = 1"),
    ("starved_files", "ORDER BY ready_at, number", "ORDER BY number"),
    ("next_ready", "INDEXED BY items_next WHERE queue = ?1 AND bar IS NULL", "WHERE queue = ?1"),
    ("all_ready", "INDEXED BY items_next WHERE queue = ?1 AND bar IS NULL", "WHERE queue = ?1"),
    ("barred_ready", "bar = ?6", "bar >= ?6"),
    ("barred_ready", "ORDER BY priority, rank, number", "ORDER BY number"),
    ("barred_starved", "ORDER BY ready_at, number", "ORDER BY number"),
    ("barred_starved", "wake_at <= ?2", "wake_at IS NOT ?2"),
    ("bars", "queue = ?1 AND bar > each.bar", "bar > each.bar"),
    ("queued", "AND bar IS NOT NULL LIMIT ?2", "AND bar IS NOT NULL LIMIT 1"),
    ("awaited", "AND bar IS NOT NULL", ""),
    ("awaited", "edges.item = reach.number", "edges.item = reach.number AND edges.why = 'after'"),
    ("awaited", "items.status != 'running'", "1"),
    ("awaited", "wake_at <= ?3", "wake_at IS NOT ?3"),
    ("keep_out", "bar = ?", "bar = coalesce(bar, ?)"),
    ("let_in", "queue = ? AND bar = ?", "? IS NOT NULL AND bar = ?"),
    ("let_all_in", "bar IS NOT NULL", "bar < ''"),
    ("move_item", ", bar = NULL", ""),
    ("update_item", ", bar = NULL", ""),
    ("move_item", "filed = ?", "filed = iif(?, filed, filed)"),
    ("waiters", "edges.needs = reach.number", "edges.needs = reach.number AND edges.why = 'after'"),
    ("waiters", "edges.needs = reach.number", "edges.needs = reach.number AND edges.why = 'child'"),
    ("waiters", "edges.needs = reach.number", "edges.needs = ?1 AND reach.number = ?1"),
    ("waiters", "WHERE number != ?1", ""),
    ("waiters", "LIMIT ?2 + 1", "LIMIT ?2"),
    ("child_items", "ORDER BY edges.needs", "ORDER BY edges.needs DESC"),
    ("child_items", "edges.why = 'child'", "edges.why IN ('child', 'after')"),
    ("messages_all", "number > ?", "number >= ?"),
    ("messages_of_item", "?4 IS NULL OR", "1 OR ?4 IS NULL OR"),
    ("messages_to", "?4 IS NULL OR", "1 OR ?4 IS NULL OR"),
    ("messages_with_status", "AND number > ?1", "AND ?1 IS NOT NULL"),
    ("messages_loose", "?2 IS NULL OR", "1 OR ?2 IS NULL OR"),
    ("update_message", "status = ?", "status = iif(? IS NULL, '', status)"),
    ("update_message", "item = ?", "item = iif(? IS NULL, item, item)"),
    ("lessons", "DESC", ""),
    ("set_head", "messages = ?", "messages = 0 * ?"),
    ("set_head", "lessons = ?", "lessons = 0 * ?"),
    ("set_head", "filed = ?", "filed = 0 * ?"),
    ("set_head", "held = ?", "held = 0 * ?"),
]


@pytest.mark.parametrize(("name", "right", "wrong"), DEFECTS)
def test_a_wrong_store_is_seen(name: str, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = QUERIES[name]
    assert before.count(right) == 1, before
    after = before.replace(right, wrong)
    monkeypatch.setitem(QUERIES, name, after)
    for module in (reading, writing, group_commit):
        for constant, value in list(vars(module).items()):
            if value is before:
                monkeypatch.setattr(module, constant, after)
            elif isinstance(value, tuple) and before in value:
                monkeypatch.setattr(module, constant, tuple(after if one is before else one for one in value))
    with pytest.raises(AssertionError):
        live(range(12))


def live(seeds: Iterable[int]) -> None:
    for seed in seeds:
        store = SqliteStore.create(":memory:")
        try:
            store_contract.answers_as_the_model(store, random.Random(seed), steps=40)
        finally:
            store.close()
