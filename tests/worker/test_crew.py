"""Slots, questions to the board, and when a worker is over: tables, and a machine that tries everything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.worker.crew import LOOK_AGAIN, PATIENCE, Crew

INF = float("inf")


@pytest.mark.ledger("R-23")
def test_a_free_slot_is_asked_for_until_all_are_filled() -> None:
    crew = Crew(2)
    assert crew.wants(0.0)
    crew.claimed("r1")
    assert crew.wants(0.0)
    crew.claimed("r2")
    assert not crew.wants(1e9) and crew.next_at() == INF
    crew.ended("r1")
    assert crew.wants(0.0), "at once, not at the next tick"


WAITS = [
    ("nobody knows", None, LOOK_AGAIN),
    ("long", 3600.0, LOOK_AGAIN),
    ("soon", 1.5, 1.5),
    ("now, and yet nothing was ready", 0.0, 0.02),
]


@pytest.mark.parametrize("name, wait, asked_after", WAITS, ids=[case[0] for case in WAITS])
def test_when_nothing_is_ready_it_is_asked_again(name: str, wait: float | None, asked_after: float) -> None:
    crew = Crew(1)
    crew.asks()
    crew.nothing(100.0, wait)
    assert crew.next_at() == 100.0 + asked_after
    assert not crew.wants(100.0 + asked_after - 0.01)
    assert crew.wants(100.0 + asked_after)


@pytest.mark.ledger("R-23")
def test_whoever_is_woken_asks_at_once() -> None:
    crew = Crew(1)
    crew.asks()
    crew.nothing(100.0, None)
    crew.woken()
    assert crew.wants(100.0) and crew.next_at() <= 100.0


@pytest.mark.ledger("R-23")
def test_a_wake_up_in_the_middle_of_asking_is_not_lost() -> None:
    """The board was read before the item was added; the answer comes after."""
    crew = Crew(1, until_idle=True)
    crew.asks()
    crew.woken()
    crew.nothing(100.0, None)
    assert crew.wants(100.0)
    assert not crew.is_over(), "the last answer was old"
    crew.asks()
    crew.nothing(100.1, None)
    assert not crew.wants(100.2) and crew.is_over()


OVER = [
    ("nothing will come", None, True),
    ("something rests, but for too long", PATIENCE + 1, True),
    ("something rests", PATIENCE, False),
    ("something is about to be ready", 0.0, False),
]


@pytest.mark.parametrize("name, wait, over", OVER, ids=[case[0] for case in OVER])
def test_until_idle(name: str, wait: float | None, over: bool) -> None:
    crew = Crew(2, until_idle=True)
    assert not crew.is_over(), "nobody has been asked yet"
    crew.asks()
    crew.claimed("r1")
    crew.asks()
    crew.nothing(0.0, wait)
    assert not crew.is_over(), "a run may bring forth more"
    crew.ended("r1")
    assert not crew.is_over(), "what came of the run is not known yet"
    crew.asks()
    crew.nothing(1.0, wait)
    assert crew.is_over() == over
    others = Crew(2)
    others.asks()
    others.nothing(0.0, wait)
    assert not others.is_over(), "without the wish it goes on"


def test_interrupted_once_it_takes_nothing_more_and_ends_with_its_last_run() -> None:
    crew = Crew(3)
    crew.claimed("r1")
    assert crew.interrupted() == 1
    crew.woken()
    assert not crew.wants(1e9) and not crew.is_over() and crew.next_at() == INF
    assert crew.interrupted() == 2
    assert not crew.is_over()
    crew.ended("r1")
    assert crew.is_over() and not crew.wants(1e9)


acts = st.sampled_from(["ask", "ask", "ask", "end", "woken", "woken while asking", "wait", "interrupt"])


@given(
    slots=st.integers(1, 4),
    until_idle=st.booleans(),
    steps=st.lists(st.tuples(acts, st.booleans(), st.floats(0.0, 6.0)), max_size=60),
)
def test_a_crew_keeps_its_word(slots: int, until_idle: bool, steps: list[tuple[str, bool, float]]) -> None:
    """Never too many; never asleep for longer than it may be; over only with nothing in its hands."""
    crew, now, made = Crew(slots, until_idle=until_idle), 0.0, 0
    for act, found, wait in steps:
        ended = act == "end" and bool(crew.runs)
        if act == "wait":
            now += wait
        elif act == "interrupt":
            crew.interrupted()
        elif act == "woken":
            crew.woken()
        elif ended:
            crew.ended(sorted(crew.runs)[0])
        elif act.endswith(("ask", "asking")) and crew.wants(now):
            crew.asks()
            if act != "ask":
                crew.woken()
            if found:
                made += 1
                crew.claimed(f"r{made}")
            else:
                crew.nothing(now, wait if wait < 5 else None)
                assert crew.wants(now) == (act != "ask")
        free = len(crew.runs) < slots and not crew.stopping
        assert len(crew.runs) <= slots
        assert crew.wants(now) == (free and crew.next_at() <= now), "who sleeps until then misses nothing"
        assert crew.next_at() <= now + LOOK_AGAIN if free else crew.next_at() == INF
        if free and (act == "woken" or ended):
            assert crew.wants(now), "at once"
        if crew.is_over():
            assert not crew.runs and (crew.stopping or until_idle)
