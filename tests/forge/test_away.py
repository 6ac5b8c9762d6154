"""The forge is away, or wants to be asked less: who works waits, nothing is counted, nothing is forgotten."""

import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from folkmoot.core.commands import Actor, ResumeBoard
from folkmoot.system.forge.github import GitHub as Port
from folkmoot.wiring.running import tools_of, worker_name
from folkmoot.worker.forge import job as jobs_forge
from folkmoot.worker.forge.turns import Turns
from folkmoot.worker.forge.watching import ForgeWatch
from folkmoot.worker.git.remote.remote import RemoteAway
from folkmoot.worker.jobs import job as jobs
from folkmoot.worker.jobs.job import Job
from folkmoot.worker.worker import Worker
from tests.forge.github import git
from tests.forge.workshop import RESTS, Workshop

NEVER = "never"  # no step has this name


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path, lease="2s")
    yield made
    made.close()


def down_for(shop: Workshop, seconds: float) -> threading.Thread:
    """Away from now on, until so long after somebody has first asked."""
    shop.hub.is_down = True

    def up() -> None:
        until = time.monotonic() + 100.0
        while time.monotonic() < until and not is_missed(shop):
            time.sleep(0.05)
        time.sleep(seconds)
        shop.hub.is_down = False

    thread = threading.Thread(target=up)
    thread.start()
    return thread


def is_missed(shop: Workshop) -> bool:
    return 0 in [status for _, _, status in shop.hub.asked]


@pytest.mark.ledger("R-19", "R-29")
@pytest.mark.parametrize(
    ("step", "seconds"),
    [
        ("opened", 4.0),
        *(pytest.param(step, 4.0, marks=pytest.mark.slow) for step in ("merge", "pushed")),
        *(pytest.param(step, 60.0, marks=pytest.mark.slow) for step in ("merge", "pushed", "opened")),
    ],
)
def test_killed_and_then_the_forge_is_away_for_a_while(shop: Workshop, step: str, seconds: float) -> None:
    item = shop.add("One", "write one.txt made", "report done")
    assert shop.killed(step) == -9
    away = down_for(shop, seconds)
    assert shop.killed(NEVER) == 0
    away.join()
    assert is_missed(shop), "it was asked while it was away"
    row = shop.item(item)
    assert row.is_proposed and row.failures == {} and row.span.reds == {} and len(shop.hub.pulls) == 1
    assert shop.hub.head(shop.pull(item)) == row.proposal.commit  # type: ignore[union-attr]
    assert [event["event"] for event in shop.board.log(item=item)].count("work_proposed") == 1


def test_killed_when_a_red_check_was_seen_it_is_told_once(shop: Workshop) -> None:
    fix = "shell test -f one.txt && echo mended > one.txt || echo made > one.txt"
    item = shop.add("One", fix, "report done")
    shop.work()
    number = shop.pull(item)
    shop.hub.check(shop.hub.head(number), "unit", "FAILURE", "1 failed")
    assert shop.killed("seen") == -9
    assert shop.item(item).span.reds == {"done": 1}
    shop.work()
    assert shop.item(item).span.reds == {"done": 1} and shop.item(item).is_proposed
    assert git(shop.hub.repository, "show", f"{shop.hub.head(number)}:one.txt") == "mended"
    assert [event["event"] for event in shop.board.log(item=item)].count("work_proposed") == 2


def test_the_pause_at_the_limit_survives_a_worker_that_is_killed_and_begun_again(shop: Workshop) -> None:
    item = shop.add("One", "write one.txt made", "report done")
    shop.work()
    shop.hub.merge(shop.pull(item))
    shop.hub.use_up(3_600.0)
    asked = len(shop.hub.asked)
    assert shop.killed(NEVER) == 0
    assert [status for _, _, status in shop.hub.asked[asked:]] == [403], "one question, and then a rest"
    shop.hub.remaining = 5_000
    later = shop.add("Two", "write two.txt made", "report done")
    assert shop.killed("pushed") == -9, "other work goes on, up to the forge"
    assert shop.killed(RESTS) == -9
    assert len(shop.hub.asked) == asked + 1, "nobody asks, whoever began"
    assert not shop.item(later).is_proposed and shop.item(later).failures == {}
    pools = [pause.what for pause in shop.application.queries.pauses().pauses]
    assert len(pools) == 1 and pools[0].endswith("github api")
    shop.application.engine.on_board(Actor("somebody"), ResumeBoard(pool="github api"))
    shop.work()
    assert shop.item(item).status == "done" and shop.item(later).is_proposed


@pytest.mark.parametrize("many", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_however_many_are_open_the_forge_is_asked_twice_a_minute_at_most(
    shop: Workshop, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten minutes, in which every ten seconds somebody looks whether it is time, of three workers on two machines."""
    for number in range(many):
        shop.add(f"Item {number}", f"write file-{number}.txt made", "report done")
    shop.work()
    assert len(shop.hub.pulls) == many
    minutes, clock = 10, 1_000.0
    boot, up = shop.application.engine.clock.boot()
    monkeypatch.setattr(shop.application.engine.clock, "boot", lambda: (boot, up + clock))
    with tools_of(shop.application, shop.home, shop.told.append) as tools:
        forge = tools.forge_of(shop.application.queries.flow())
        assert isinstance(forge, Port)
        forge._now = lambda: clock
        machines = [Turns(shop.application.engine, "forge", name, lambda path: nullcontext(True)) for name in "aab"]
        watches = [ForgeWatch(tools, turns, time.time) for turns in machines]
        shop.hub.asked.clear()
        left, looks = shop.hub.remaining, 0
        for _ in range(minutes * 6):
            clock += 10.0
            looks += sum(watch.look() for watch in watches)
        assert looks == minutes, shop.words()
    assert len(shop.hub.asked) <= 2 * minutes, shop.hub.asked
    assert left - shop.hub.remaining <= minutes + 2, "what has not changed costs nothing"


def test_a_git_remote_that_is_away_while_it_is_pushed_to_is_waited_for_and_nothing_is_counted(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "REMOTE_PAUSE", 0.01)
    item = shop.add("One", "write one.txt made", "report done")
    place, elsewhere = shop.hub.repository, shop.hub.repository.with_name("elsewhere.git")
    missed: list[str] = []

    def begins(name: str, run: str) -> None:
        if name == "move":
            place.rename(elsewhere)

    def waits(job: Job, error: RemoteAway) -> None:
        missed.append(error.code)
        if len(missed) == 3 * jobs_forge.TRIES:
            elsewhere.rename(place)
        real(job, error)

    real = Job.wait_for_remote
    monkeypatch.setattr(Job, "wait_for_remote", waits)
    with tools_of(shop.application, shop.home, shop.told.append, begins) as tools:
        Worker(tools, worker_name(tools.workspaces.home), slots=1, until_idle=True).run()
    row = shop.item(item)
    assert row.is_proposed and row.failures == {} and len(shop.hub.pulls) == 1, shop.words()
    assert missed == ["remote_away"] * 3 * jobs_forge.TRIES
