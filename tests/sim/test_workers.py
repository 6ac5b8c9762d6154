"""Lives of a board with workers that die, stand still and are cut off; and defects that must be seen. Forty lives of
a hundred are lived in every run."""

from collections.abc import Callable

import pytest

from folkmoot.core.commands import RenewRun
from folkmoot.sim.orders import Order
from folkmoot.sim.world import Script
from folkmoot.worker import run_timers
from folkmoot.worker.run_timers import Act, RunTimers
from folkmoot.worker.slot_scheduler import SlotScheduler
from tests.sim.workers.life import simulate_workers
from tests.sim.workers.run import SimRun
from tests.sim.workers.worker import SimWorker
from tests.some import some

BATCH = 10
FIRST_SEEDS, MORE_SEEDS = range(0, 100, BATCH), range(10_000, 15_000, 50)
SEEDS_FOR_DEFECTS = range(40)
Patch = pytest.MonkeyPatch


@pytest.mark.ledger("R-02", "R-23", "R-29", "R-03")
@pytest.mark.parametrize("first", some(FIRST_SEEDS, [0, 10]))
def test_nothing_goes_wrong_whatever_happens_to_workers(first: int) -> None:
    # Every other life is followed until all is done.
    outcomes = [simulate_workers(seed, to_the_end=seed % 2 == 0) for seed in range(first, first + BATCH)]
    assert [outcome.line() for outcome in outcomes if outcome.red] == []
    # A world in which nothing happened would show nothing.
    assert sum(outcome.claims for outcome in outcomes) > 10 * BATCH


@pytest.mark.slow
@pytest.mark.ledger("R-02", "R-23", "R-29", "R-03")
@pytest.mark.parametrize("first", MORE_SEEDS)
def test_nothing_goes_wrong_in_five_thousand_lives(first: int) -> None:
    outcomes = [simulate_workers(seed, steps=200, items=10) for seed in range(first, first + 50)]
    assert [outcome.line() for outcome in outcomes if outcome.red] == []


@pytest.mark.parametrize("seed", some([1, 2, 3], [1]))
def test_the_same_seed_gives_the_same_life(seed: int) -> None:
    lives = [simulate_workers(seed, steps=60) for _ in range(2)]
    assert lives[0] == lives[1]
    assert lives[0].trace != simulate_workers(seed + 100, steps=60).trace


# Planted defects: one way to break each promise, and the words under which the judge must see it.


def never_gives_up(patch: Patch) -> None:
    """Whoever cannot renew goes on as if nothing were the matter."""
    patch.setattr(run_timers, "FENCE_AT", 1000.0)


def gives_up_too_late(patch: Patch) -> None:
    patch.setattr(run_timers, "FENCE_AT", 1.3)


def renews_too_late(patch: Patch) -> None:
    patch.setattr(run_timers, "RENEW_AT", 0.9)


def never_renews(patch: Patch) -> None:
    due = RunTimers.due

    def wrong(self: RunTimers, now: float) -> Act | None:
        act = due(self, now)
        return act if act is None or act.do != "renew" else None

    patch.setattr(RunTimers, "due", wrong)


def renews_only_while_processes_run(patch: Patch) -> None:
    """Then whatever is told to the board late is refused."""
    due = RunTimers.due

    def wrong(self: RunTimers, now: float) -> Act | None:
        act = due(self, now)
        return act if act is None or act.do != "renew" or self.started is not None else None

    patch.setattr(RunTimers, "due", wrong)
    patch.setattr(SimRun, "_tell", slowly(SimRun._tell))


def slowly(tell: Callable[..., Script]) -> Callable[[SimRun], Script]:
    def wrong(self: SimRun) -> Script:
        yield self.lease * 1.5
        self.check_alive()
        yield from tell(self)

    return wrong


def ignores_slots(patch: Patch) -> None:
    patch.setattr(SlotScheduler, "wants", lambda self, now: not self.stopping and now >= self._ask_at)


def does_not_look_again(patch: Patch) -> None:
    """It waits to be woken; and a wake-up is only a hint, that may be lost."""
    nothing = SlotScheduler.nothing

    def wrong(self: SlotScheduler, now: float, wait: float | None) -> None:
        nothing(self, now, wait)
        self._ask_at = float("inf") if self._ask_at > now else self._ask_at

    patch.setattr(SlotScheduler, "nothing", wrong)


def takes_in_too_much(patch: Patch) -> None:
    """A run that ended is never forgotten, so its slot is never free again."""
    patch.setattr(SlotScheduler, "ended", lambda self, run: None)


def speaks_after_the_end(patch: Patch) -> None:
    """A run that was given up says its word all the same, while its lease lasts."""
    patch.setattr(SimRun, "check_alive", lambda self: None)
    patch.setattr(run_timers, "FENCE_AT", 0.4)  # long before the board would refuse it


def forgets_to_report(patch: Patch) -> None:
    def wrong(self: SimRun) -> Script:
        yield 0.1

    patch.setattr(SimRun, "_tell", wrong)


def lets_processes_be(patch: Patch) -> None:
    """Ending is asked for, and nobody is told."""

    def wrong(self: SimRun, act: Act) -> None:
        self._stopped = self._stopped or act.why in ("lost", "stopped")

    patch.setattr(SimRun, "end", wrong)


def looks_at_nothing_while_it_renews(patch: Patch) -> None:
    """All that is due is renewed in one go, and each renewal may have to wait for the store."""
    patch.setattr(SimWorker, "_delay", lambda self, faults: self.world.flow.limits.lease / 4.5 if faults else 0.01)

    def wrong(self: SimWorker) -> Script:
        runs = [run for run in list(self.runs.values()) if not run.timers.done and self.now >= run.timers.renew_at]
        for run in runs:
            sent = self.now
            run.timers.renewing(sent)
            answer = yield from self.call(Order(run.actor, RenewRun()), run)
            if answer is not None and answer.view is not None:
                run.timers.renewed(sent)
        self._look_after()

    patch.setattr(SimWorker, "_watch", wrong)


def waits_for_who_has_reported(patch: Patch) -> None:
    """A process that said all is left to its limits like any other."""
    patch.setattr(RunTimers, "_farewell", lambda self: None)


DEFECTS: list[tuple[Callable[[Patch], None], str]] = [
    (never_gives_up, "go on after its lease"),
    (gives_up_too_late, "go on after its lease"),
    (renews_too_late, "had no trouble, and lost run"),
    (never_renews, "had no trouble, and lost run"),
    (renews_only_while_processes_run, "had no trouble, and lost run"),
    (ignores_slots, "slots"),
    (does_not_look_again, "nobody takes it"),
    (takes_in_too_much, "nobody takes it"),
    (speaks_after_the_end, "was given up, yet its"),
    (forgets_to_report, "without a word"),
    (lets_processes_be, "go on after its lease"),
    (waits_for_who_has_reported, "had reported, and was ended by"),
    (looks_at_nothing_while_it_renews, "go on after its lease"),
]


@pytest.mark.parametrize("plant, words", DEFECTS, ids=[plant.__name__ for plant, _ in DEFECTS])
def test_a_planted_defect_is_seen(plant: Callable[[Patch], None], words: str) -> None:
    heard = []
    for seed in SEEDS_FOR_DEFECTS:
        with pytest.MonkeyPatch.context() as patch:
            plant(patch)
            outcome = simulate_workers(seed, to_the_end=False)
        heard += outcome.red[:1]
        if any(words in one for one in outcome.red):
            return
    pytest.fail(f"it was not seen in {len(SEEDS_FOR_DEFECTS)} worlds; seen: {heard}")
