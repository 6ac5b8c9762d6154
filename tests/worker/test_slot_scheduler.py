"""Slots, questions to the board, and when a worker is over: tables, and a machine that tries everything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.worker.slot_scheduler import LOOK_AGAIN, PATIENCE, SlotScheduler

INF = float("inf")


@pytest.mark.ledger("R-23")
def test_a_free_slot_is_asked_for_until_all_are_filled() -> None:
    scheduler = SlotScheduler(2)
    assert scheduler.wants(0.0)
    scheduler.claimed("r1")
    assert scheduler.wants(0.0)
    scheduler.claimed("r2")
    assert not scheduler.wants(1e9) and scheduler.next_at() == INF
    scheduler.ended("r1")
    assert scheduler.wants(0.0), "at once, not at the next tick"


WAITS = [
    ("nobody knows", None, LOOK_AGAIN),
    ("long", 3600.0, LOOK_AGAIN),
    ("soon", 1.5, 1.5),
    ("now, and yet nothing was ready", 0.0, 0.02),
]


@pytest.mark.parametrize("name, wait, asked_after", WAITS, ids=[case[0] for case in WAITS])
def test_when_nothing_is_ready_it_is_asked_again(name: str, wait: float | None, asked_after: float) -> None:
    scheduler = SlotScheduler(1)
    scheduler.asks()
    scheduler.nothing(100.0, wait)
    assert scheduler.next_at() == 100.0 + asked_after
    assert not scheduler.wants(100.0 + asked_after - 0.01)
    assert scheduler.wants(100.0 + asked_after)


@pytest.mark.ledger("R-23")
def test_whoever_is_woken_asks_at_once() -> None:
    scheduler = SlotScheduler(1)
    scheduler.asks()
    scheduler.nothing(100.0, None)
    scheduler.woken()
    assert scheduler.wants(100.0) and scheduler.next_at() <= 100.0


@pytest.mark.ledger("R-23")
def test_a_wake_up_in_the_middle_of_asking_is_not_lost() -> None:
    """The board was read before the item was added; the answer comes after."""
    scheduler = SlotScheduler(1, until_idle=True)
    scheduler.asks()
    scheduler.woken()
    scheduler.nothing(100.0, None)
    assert scheduler.wants(100.0)
    assert not scheduler.is_over(), "the last answer was old"
    scheduler.asks()
    scheduler.nothing(100.1, None)
    assert not scheduler.wants(100.2) and scheduler.is_over()


OVER = [
    ("nothing will come", None, True),
    ("something rests, but for too long", PATIENCE + 1, True),
    ("something rests", PATIENCE, False),
    ("something is about to be ready", 0.0, False),
]


@pytest.mark.parametrize("name, wait, over", OVER, ids=[case[0] for case in OVER])
def test_until_idle(name: str, wait: float | None, over: bool) -> None:
    scheduler = SlotScheduler(2, until_idle=True)
    assert not scheduler.is_over(), "nobody has been asked yet"
    scheduler.asks()
    scheduler.claimed("r1")
    scheduler.asks()
    scheduler.nothing(0.0, wait)
    assert not scheduler.is_over(), "a run may bring forth more"
    scheduler.ended("r1")
    assert not scheduler.is_over(), "what came of the run is not known yet"
    scheduler.asks()
    scheduler.nothing(1.0, wait)
    assert scheduler.is_over() == over
    others = SlotScheduler(2)
    others.asks()
    others.nothing(0.0, wait)
    assert not others.is_over(), "without the wish it goes on"


def test_interrupted_once_it_takes_nothing_more_and_ends_with_its_last_run() -> None:
    scheduler = SlotScheduler(3)
    scheduler.claimed("r1")
    assert scheduler.interrupted() == 1
    scheduler.woken()
    assert not scheduler.wants(1e9) and not scheduler.is_over() and scheduler.next_at() == INF
    assert scheduler.interrupted() == 2
    assert not scheduler.is_over()
    scheduler.ended("r1")
    assert scheduler.is_over() and not scheduler.wants(1e9)


acts = st.sampled_from(["ask", "ask", "ask", "end", "woken", "woken while asking", "wait", "interrupt"])


@given(
    slots=st.integers(1, 4),
    until_idle=st.booleans(),
    steps=st.lists(st.tuples(acts, st.booleans(), st.floats(0.0, 6.0)), max_size=60),
)
def test_a_crew_keeps_its_word(slots: int, until_idle: bool, steps: list[tuple[str, bool, float]]) -> None:
    """Never too many; never asleep for longer than it may be; over only with nothing in its hands."""
    scheduler, now, made = SlotScheduler(slots, until_idle=until_idle), 0.0, 0
    for act, found, wait in steps:
        ended = act == "end" and bool(scheduler.runs)
        if act == "wait":
            now += wait
        elif act == "interrupt":
            scheduler.interrupted()
        elif act == "woken":
            scheduler.woken()
        elif ended:
            scheduler.ended(sorted(scheduler.runs)[0])
        elif act.endswith(("ask", "asking")) and scheduler.wants(now):
            scheduler.asks()
            if act != "ask":
                scheduler.woken()
            if found:
                made += 1
                scheduler.claimed(f"r{made}")
            else:
                scheduler.nothing(now, wait if wait < 5 else None)
                assert scheduler.wants(now) == (act != "ask")
        free = len(scheduler.runs) < slots and not scheduler.stopping
        assert len(scheduler.runs) <= slots
        assert scheduler.wants(now) == (free and scheduler.next_at() <= now), "who sleeps until then misses nothing"
        assert scheduler.next_at() <= now + LOOK_AGAIN if free else scheduler.next_at() == INF
        if free and (act == "woken" or ended):
            assert scheduler.wants(now), "at once"
        if scheduler.is_over():
            assert not scheduler.runs and (scheduler.stopping or until_idle)
