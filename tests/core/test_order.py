"""Which ready item is next: one total order, in which nothing starves (R-23's part for single items, R-03)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core import commands
from folkmoot.core.enums import PRIORITIES, Status
from folkmoot.core.item import Item
from folkmoot.core.order import order_key, queue_position
from folkmoot.testing.builders import TrialBoard, limited, preset_flow

KANBAN = preset_flow()
STARVE = 100.0


@st.composite
def items(draw: st.DrawFn) -> list[Item]:
    """Ready items of one queue."""
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from(PRIORITIES), st.integers(0, 16), st.integers(0, 300)), min_size=1, max_size=12
        )
    )
    return [
        Item(id=str(number), title="x", column="dev", priority=priority, rank=rank, ready_at=float(ready_at))
        for number, (priority, rank, ready_at) in enumerate(rows, start=1)
    ]


@pytest.mark.ledger("R-03")
@given(items(), st.integers(0, 400))
def test_the_order_is_total(found: list[Item], now: int) -> None:
    keys = [order_key(item, now, STARVE) for item in found]
    assert len(set(keys)) == len(keys), "two items never stand in one place"


@pytest.mark.ledger("R-03")
@given(items(), st.integers(0, 400))
def test_the_starved_come_first_the_longest_waiting_before_the_others(found: list[Item], now: int) -> None:
    order = sorted(found, key=lambda item: order_key(item, now, STARVE))
    starved = [item for item in order if item.ready_at <= now - STARVE]
    assert order[: len(starved)] == starved
    assert [item.ready_at for item in starved] == sorted(item.ready_at for item in starved)


@pytest.mark.ledger("R-03")
@given(items())
def test_otherwise_priority_then_the_longer_chain_then_age(found: list[Item]) -> None:
    order = sorted(found, key=lambda item: order_key(item, 0.0, STARVE))
    ranks = [(PRIORITIES.index(item.priority), -item.rank, item.number) for item in order]
    assert ranks == sorted(ranks)


@pytest.mark.ledger("K-02", "R-03")
@pytest.mark.parametrize("status", ["running", "waiting", "awaiting-divine-guidance", "parked", "done", "cancelled"])
def test_only_what_is_ready_stands_in_a_queue(status: Status) -> None:
    ready = Item(id="1", title="x", column="dev")
    assert queue_position(KANBAN, ready).queue == "dev-agent"
    assert queue_position(KANBAN, Item(id="1", title="x", column="dev", status=status)).queue is None


@pytest.mark.ledger("R-03")
@settings(max_examples=20)
@given(
    st.lists(st.tuples(st.sampled_from(PRIORITIES), st.integers(0, 60), st.booleans()), min_size=1, max_size=6),
    st.sampled_from([0.0, 50.0, 150.0, 1000.0]),
)
def test_claims_follow_the_order_to_the_end(rows: list[tuple[str, int, bool]], rest: float) -> None:
    with TrialBoard(limited(KANBAN, starve=STARVE)) as board:
        for priority, pause, awaited in rows:
            board.sleep(pause)
            item = board.add(column="dev", priority=priority)
            if awaited:
                board.add("waits for it", column="qa", after=[item])
        board.sleep(rest)
        left = {item.id: item for item in board.engine.store.read(lambda reading: reading.items(column="dev"))}
        now = board.engine.store.read(lambda reading: reading.head().time) + rest
        while left:
            first = min(left.values(), key=lambda item: order_key(item, now, STARVE))
            claimed = board.engine.claim(board_person(), "dev-agent", lease=3600)["item"]["id"]
            assert claimed == first.id
            del left[claimed]


def board_person() -> commands.Actor:
    return commands.Actor("alice")


@pytest.mark.ledger("R-03")
def test_a_low_item_is_not_starved_by_a_stream_of_critical_ones() -> None:
    with TrialBoard(limited(KANBAN, starve=STARVE)) as board:
        low = board.add("low", column="dev", priority="low")
        taken = []
        for _ in range(12):
            board.add("critical", column="dev", priority="critical")
            board.sleep(10)
            claim = board.engine.claim(board_person(), "dev-agent")
            taken.append(claim["item"]["id"])
            board.report(commands.Actor("dev-agent", claim["run"], claim["token"]), "done")
        assert low in taken and taken.index(low) >= 5, "critical ones go first until the low one starves"


@pytest.mark.ledger("R-03")
def test_the_item_that_keeps_most_others_waiting_goes_first() -> None:
    with TrialBoard() as board:
        board.add("older", column="dev")
        first = board.add("first of a chain", column="dev")
        second = board.add("second", column="dev", after=[first])
        board.add("third", column="dev", after=[second])
        assert board.engine.claim(board_person(), "dev-agent")["item"]["id"] == first
