"""A run's times: renewed early enough, given up before another may have its item, ended when it takes too long."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.worker.run_timers import FENCE_AT, LINGER, RENEW_AT, RETRY_AT, TERM_GRACE, Act, RunTimers

LEASE = 60.0
RENEW = Act("renew")
LOST = Act("end", "lost", 0.0)

leases = st.floats(1.0, 3600.0)
moments = st.floats(0.0, 1e6)


def timers(now: float = 0.0, **times: Any) -> RunTimers:
    return RunTimers(now, **{"lease": LEASE, "wall": 1800.0, "silence": 600.0, **times})


def started(now: float = 0.0, **times: Any) -> RunTimers:
    one = timers(now, **{"lease": 3600.0, **times})
    one.started_at(now)
    return one


DUE: list[tuple[str, dict[str, float], float, Act | None]] = [
    ("nothing at first", {}, 0.0, None),
    ("nothing before a third", {}, 19.9, None),
    ("a renewal at a third", {}, 20.0, RENEW),
    ("given up at two thirds", {}, 40.0, LOST),
    ("given up long after", {}, 4000.0, LOST),
]


@pytest.mark.ledger("R-29")
@pytest.mark.parametrize("name, times, now, act", DUE, ids=[case[0] for case in DUE])
def test_what_is_due_on_a_lease(name: str, times: dict[str, float], now: float, act: Act | None) -> None:
    assert timers(**times).due(now) == act


TOO_LONG = [
    ("the wall", {"wall": 100.0}, 100.0, Act("end", "timeout", TERM_GRACE)),
    ("not yet the wall", {"wall": 100.0}, 99.9, None),
    ("silence", {"silence": 50.0}, 50.0, Act("end", "silence", TERM_GRACE)),
    ("the wall before silence, if both", {"wall": 50.0, "silence": 50.0}, 50.0, Act("end", "timeout", TERM_GRACE)),
]


@pytest.mark.parametrize("name, times, now, act", TOO_LONG, ids=[case[0] for case in TOO_LONG])
def test_what_takes_too_long_is_ended_once(name: str, times: dict[str, float], now: float, act: Act | None) -> None:
    one = started(**times)
    assert one.due(now) == act
    if act is not None:
        assert one.ending == act.why
        assert one.due(now) is None, "it has been told"


def test_only_processes_can_take_too_long() -> None:
    one = timers(lease=3600.0, wall=10.0, silence=10.0)
    assert one.due(500.0) is None, "it has no process yet"
    one.started_at(500.0)
    assert one.due(509.0) is None
    one.process_ended()
    assert one.due(600.0) is None
    one.started_at(600.0)
    assert one.due(609.9) is None, "each process has its own time"
    assert one.due(610.0) == Act("end", "timeout", TERM_GRACE)


def test_words_end_silence_but_not_the_wall() -> None:
    one = started(wall=100.0, silence=30.0)
    for now in range(0, 100, 25):
        one.heard(float(now))
        assert one.due(now + 24.0) is None
    assert one.due(100.0) == Act("end", "timeout", TERM_GRACE)


def test_a_client_that_said_it_is_done_may_linger_a_little() -> None:
    one = started()
    one.over(10.0)
    one.over(11.5)  # the first word counts
    assert one.next_at() == 10.0 + LINGER
    assert one.due(10.0 + LINGER - 0.1) is None
    assert one.due(10.0 + LINGER) == Act("end", "over", 0.0)


def test_a_lost_run_stays_lost_and_one_that_is_done_is_let_be() -> None:
    lost = started()
    assert lost.lost() == LOST
    assert lost.stop() == LOST, "it is not given back: it is another's"
    assert (lost.due(1e9), lost.next_at()) == (None, float("inf"))
    done = started()
    done.done = True
    assert (done.due(1e9), done.next_at()) == (None, float("inf"))


def test_a_stopped_run_is_still_renewed_until_it_has_ended() -> None:
    one = started(lease=LEASE)
    assert one.stop() == Act("end", "stopped", 0.0)
    assert one.due(20.0) == RENEW
    assert one.stop() == Act("end", "stopped", 0.0)
    one.renewed(20.0)
    assert one.due(50.0) == RENEW
    one.renewing(50.0)
    assert one.due(60.0) == LOST and one.ending == "lost", "then it cannot be given back any more"


def test_what_was_ended_for_its_length_is_not_stopped_afterwards() -> None:
    one = started(wall=10.0)
    assert one.due(10.0) == Act("end", "timeout", TERM_GRACE)
    assert one.stop() == Act("end", "timeout", 0.0), "at once now, but for the reason that came first"


def test_one_lost_renewal_is_not_the_end() -> None:
    """Several are tried between a third and two thirds of the lease."""
    one, tries = timers(), []
    now = 0.0
    while one.ending is None:
        now = one.next_at()
        if one.due(now) == RENEW:
            one.renewing(now)
            tries.append(now)
    assert tries == pytest.approx([20.0, 25.0, 30.0, 35.0])
    assert now == 40.0


@given(lease=leases, begin=moments, answers=st.lists(st.tuples(st.booleans(), st.floats(0.0, 0.4)), max_size=40))
def test_a_lease_is_never_trusted_for_too_long(lease: float, begin: float, answers: list[tuple[bool, float]]) -> None:
    """Whichever renewals are answered, and however late: it is renewed in time, or given up before the lease ends."""
    one = timers(begin, lease=lease)
    now = last_sent = begin
    for answered, delay in answers:
        wait = one.next_at() - now
        assert wait <= lease * RENEW_AT * 1.001, "it never sleeps through a renewal"
        now = max(now, one.next_at())
        act = one.due(now)
        assert act is not None, "what was announced is there"
        if act == LOST:
            break
        assert act == RENEW
        assert now - last_sent < lease * FENCE_AT
        one.renewing(now)
        sent, now = now, now + delay * lease
        if answered:
            one.renewed(sent)
            last_sent = sent
    # Whatever came before: with no more answers it is over at two thirds after the last one that was sent and heard.
    at = last_sent + lease * FENCE_AT
    assert one.ending == "lost" or one.due(max(now, at) + lease * 1e-6) == LOST
    assert one.ending == "lost"


@given(lease=leases, delay=st.floats(0.0, FENCE_AT - RENEW_AT - 0.01))
def test_a_store_that_answers_is_enough(lease: float, delay: float) -> None:
    """While every renewal is answered before the next look, however slowly, the run is never given up."""
    one, now = timers(lease=lease), 0.0
    for _ in range(30):
        now = max(now, one.next_at())
        assert one.due(now) == RENEW
        one.renewing(now)
        one.renewed(now)
        now += delay * lease


@given(lease=leases, late=st.floats(0.0, 10.0))
def test_an_answer_counts_from_when_it_was_asked_for(lease: float, late: float) -> None:
    """A claim or renewal whose answer came late: the lease began no later than it was sent."""
    one = timers(late * lease, lease=lease)  # the answer to the claim is here
    one.renewed(0.0)  # it was sent at 0
    assert one.due(late * lease) == (LOST if late >= FENCE_AT else RENEW if late >= RENEW_AT else None)


@given(
    wall=st.floats(1.0, 100.0),
    silence=st.floats(1.0, 100.0),
    words=st.lists(st.floats(0.0, 30.0), max_size=20),
    over=st.none() | st.floats(0.0, 100.0),
)
def test_no_process_outlives_its_limits(wall: float, silence: float, words: list[float], over: float | None) -> None:
    one = started(wall=wall, silence=silence)
    now = heard = 0.0
    for gap in [*words, 1e9]:
        at = one.next_at()
        if at <= now + gap:
            act = one.due(at)
            assert act is not None and act.do == "end"
            limits = {"timeout": wall, "silence": heard + silence, "over": (over or 0.0) + LINGER}
            assert at == pytest.approx(limits[act.why])
            assert at <= min(wall, heard + silence) + 1e-6
            return
        now += gap
        one.heard(now)
        heard = now
        if over is not None and now >= over and one.over_at is None:
            over = now
            one.over(now)
    pytest.fail("it was never ended")


@given(times=st.tuples(leases, leases, leases), looks=st.lists(st.floats(0.0, 500.0), min_size=1, max_size=30))
def test_next_at_tells_when_due_will_speak(times: tuple[float, float, float], looks: list[float]) -> None:
    """Whoever sleeps until `next_at` misses nothing: before it nothing is due, at it something is."""
    lease, wall, silence = times
    one = started(lease=lease, wall=wall, silence=silence)
    now = 0.0
    for gap in looks:
        now += gap
        at = one.next_at()
        act = one.due(now)
        assert (act is not None) == (now >= at) or now == pytest.approx(at)
        if act == RENEW:
            one.renewing(now)
            assert one.next_at() <= now + lease * RETRY_AT


REPORTED = Act("end", "reported", TERM_GRACE)


@pytest.mark.ledger("Q-06")
def test_who_has_reported_is_ended_after_a_grace_however_much_it_says() -> None:
    one = started(wall=1000.0, silence=900.0, after_report=30.0)
    one.reported(10.0)
    one.heard(39.0)
    assert one.next_end() == 40.0
    assert one.due(39.9) is None and one.due(40.0) == REPORTED and one.ending == "reported"


def test_a_later_report_begins_the_grace_anew() -> None:
    one = started(after_report=30.0)
    one.reported(10.0)
    one.reported(35.0)
    assert one.due(60.0) is None and one.due(65.0) == REPORTED


def test_who_wrote_its_report_to_a_file_works_as_long_as_it_speaks() -> None:
    one = started(wall=1000.0, silence=900.0, after_report=30.0)
    one.wrote(10.0)
    one.heard(35.0)
    assert one.due(64.9) is None and one.due(65.0) == REPORTED


@given(moments, moments, st.floats(1.0, 600.0), st.floats(1.0, 3600.0))
def test_a_report_never_makes_a_process_last_longer(said: float, heard: float, grace: float, wall: float) -> None:
    plain, told = (started(wall=wall, silence=1e9, lease=1e9, after_report=grace) for _ in range(2))
    for one in (plain, told):
        one.heard(heard)
    told.reported(said)
    assert told.next_end() <= plain.next_end()
