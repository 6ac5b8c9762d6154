"""Real workers of three machines on PostgreSQL: one is put to sleep, clocks are wrong and jump, no wake-up comes."""

import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults.deaf import DeafLine
from tests.faults.shifted import Clocks
from tests.faults.witness import saw
from tests.postgres import Server
from tests.worker.hosts import Host, hosts_of, stand_still
from tests.worker.yard import ACTOR, git

if TYPE_CHECKING:
    import subprocess

PATIENCE = 180.0
LEASE = 4
LOOK, SLACK = 5.0, 5.0  # how often a worker looks by itself; and what a busy machine takes to start a run
HOUR, DAY = 3600, 86_400
LANDED = "each item lands exactly once, doctor green on each"


def until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.2)


def statuses(host: Host) -> list[str]:
    return [item["status"] for item in host.say("list")["items"]]


def add(host: Host, name: str, *lines: str) -> str:
    body = "\n".join((f"write {name} made", *lines, "report done"))
    return str(host.say("add", name, "--body", body, "--files", name)["id"])


@contextmanager
def at_work(hosts: list[Host], *words: tuple[str, ...]) -> Iterator[list["subprocess.Popen[bytes]"]]:
    given = words or ((),) * len(hosts)
    workers = [host.works(*own) for host, own in zip(hosts, given, strict=True)]
    try:
        until(lambda: len(hosts[0].say("workers")["workers"]) >= len(workers), "every worker is on the board")
        yield workers
    finally:
        for worker in workers:
            stand_still(worker, signal.SIGCONT)
            worker.send_signal(signal.SIGINT)
        for worker in workers:
            worker.communicate(timeout=60)


def landed_once(remote: Path, hosts: list[Host], names: list[str]) -> None:
    for name in names:
        assert git(remote, "show", f"main:{name}") == "made"
        assert len(git(remote, "log", "--format=%h", "--no-merges", "main", "--", name).split()) == 1, name
    for host in hosts:
        assert host.say("doctor")["ok"]


def runs_of(host: Host, item: str) -> list[dict[str, Any]]:
    return list(host.say("show", item)["runs"])


def events_of_first(host: Host, item: str) -> list[Any]:
    first = runs_of(host, item)[0]["run"]
    return [event for event in host.say("log", item, "--limit", "10000")["events"] if event["run"] == first]


def test_a_machine_that_sleeps_past_its_lease_and_wakes_changes_nothing(postgres: Server, tmp_path: Path) -> None:
    hosts, remote = hosts_of(postgres, tmp_path, lease=f"{LEASE}s")
    one, two, _ = hosts
    item = add(one, "first.txt", "say here", "shell sleep 5")
    with at_work([one]) as workers:
        until(lambda: bool(runs_of(two, item)) and "here" in two.say("output", item)["text"], "its agent is at work")
        stopped = stand_still(workers[0], signal.SIGSTOP)
        with at_work([two]):
            until(lambda: statuses(two) == ["done"], "another machine does its work")
        before = events_of_first(two, item)
        stand_still(workers[0], signal.SIGCONT)
        time.sleep(LEASE)
        slept, after = runs_of(two, item)[0], events_of_first(two, item)
        other = add(one, "second.txt")
        until(lambda: set(statuses(two)) == {"done"}, "and awake it goes on with other work")
    assert stopped >= 2, "the worker, and its agent"
    assert slept["end"] == "rescued" and after == before, "all that it says awake is refused"
    assert {run["worker"].rpartition("-")[2][:8] for run in runs_of(two, other)} == {
        slept["worker"].rpartition("-")[2][:8]
    }
    landed_once(remote, [one, two], ["first.txt", "second.txt"])
    saw(
        "F5",
        "a worker on PostgreSQL and its agent asleep past the lease",
        f"rescued; awake it changes nothing; {LANDED}",
        items=2,
    )


@pytest.mark.slow
def test_machines_that_sleep_again_and_again_land_every_item_once(postgres: Server, tmp_path: Path) -> None:
    chance = random.Random(3)
    hosts, remote = hosts_of(postgres, tmp_path, lease=f"{LEASE}s", executions=50)  # nobody is asked
    names = [f"file{number}.txt" for number in range(30)]
    for name in names:
        add(hosts[0], name, "shell sleep 1")
    sleeps = 0
    with at_work(hosts) as workers:
        while set(statuses(hosts[0])) != {"done"}:
            assert sleeps < 100
            asleep = workers[chance.randrange(3)]
            stand_still(asleep, signal.SIGSTOP)
            time.sleep(LEASE + chance.random() * 3)
            stand_still(asleep, signal.SIGCONT)
            sleeps += 1
            time.sleep(chance.random() * 3)
    landed_once(remote, hosts, names)
    saw("F5", "three workers on PostgreSQL, asleep in turn past the lease", LANDED, items=len(names), sleeps=sleeps)


@pytest.fixture
def clocks() -> Iterator[Clocks]:
    found = Clocks()
    yield found
    found.remove()


def seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def times_on(host: Host) -> list[float]:
    """Every time that the log tells."""
    return [seconds(event["timestamp"]) for event in host.say("log", "--limit", "10000")["events"]]


def test_machines_whose_clocks_run_apart_work_by_the_servers(postgres: Server, tmp_path: Path, clocks: Clocks) -> None:
    """Days ahead, hours behind, right: no lease is misjudged, and every time on the board is the server's."""
    wrong = [clocks.clock(name) for name in ("one", "two", "three")]
    hosts, remote = hosts_of(postgres, tmp_path, envs=(wrong[0].env, wrong[1].env, wrong[2].env))
    for clock, by in zip(wrong, (3 * DAY, -5 * HOUR, 0), strict=True):
        clock.by(by)
    began = time.time()
    names = [f"file{number}.txt" for number in range(6)]
    items = [add(hosts[number % 3], name, "shell sleep 1") for number, name in enumerate(names)]
    with at_work(hosts):
        until(lambda: set(statuses(hosts[2])) == {"done"}, "all land")
    ended = time.time()
    told = times_on(hosts[0])
    assert began - 60 < min(told) and max(told) < ended + 1, "no machine's own clock is on the board"
    assert told == sorted(told)
    assert {run["end"] for item in items for run in runs_of(hosts[1], item)} == {"reported"}, "nothing was rescued"
    landed_once(remote, hosts, names)
    saw(
        "F29",
        "three machines on PostgreSQL: 3 days ahead, 5 hours behind, right",
        f"all times are the server's; {LANDED}",
        items=6,
    )


def test_a_servers_clock_that_jumps_holds_up_nobody(
    tmp_path: Path, clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour ahead ends leases early, which fencing makes harmless; days back, they end when they are due."""
    jumps = jump(tmp_path, clocks, monkeypatch, [HOUR, -2 * DAY], 6)
    saw("F31", "the clock of PostgreSQL jumps while three machines work", LANDED, jumps=jumps)


@pytest.mark.slow
def test_a_servers_clock_that_jumps_again_and_again(
    tmp_path: Path, clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(4)
    jumps = jump(tmp_path, clocks, monkeypatch, [chance.randrange(-3 * DAY, 3 * DAY) for _ in range(20)], 40)
    saw("F31", "the clock of PostgreSQL jumps while three machines work", LANDED, jumps=jumps)


def jump(folder: Path, clocks: Clocks, monkeypatch: pytest.MonkeyPatch, jumps: list[int], items: int) -> int:
    clock = clocks.clock("server")
    with monkeypatch.context() as patch:
        for name, value in clock.env.items():
            patch.setenv(name, value)
        server = Server()
    try:
        hosts, remote = hosts_of(server, folder, executions=50)
        names = [f"file{number}.txt" for number in range(items)]
        for name in names:
            add(hosts[0], name, "shell sleep 1")
        with at_work(hosts):
            for number, by in enumerate(jumps):
                done = items * (number + 1) // (len(jumps) + 2)
                until(lambda done=done: statuses(hosts[0]).count("done") >= done, "some land")  # type: ignore[misc]
                clock.by(by)
                shown = server.execute("SELECT extract(epoch FROM clock_timestamp())::float8")[0][0]
                assert abs(shown - time.time() - by) < 60, "the server's clock has jumped"
            until(lambda: set(statuses(hosts[0])) == {"done"}, "all land")
        landed_once(remote, hosts, names)
    finally:
        server.remove()
    return len(jumps)


LOOKS: dict[str, Any] = {
    "after": "look",
    "more": "  look: {agents: [look], next: done}",
    "land": f"  look: {{run: {{command: {ACTOR}}}, write: none}}",
}


def waited(host: Host, item: str) -> list[float]:
    """Of each run of the item: how long it was there to be begun."""
    found, free = [], 0.0
    for event in host.say("log", item, "--limit", "10000")["events"]:
        if event["event"] == "agent_started":
            found.append(seconds(event["timestamp"]) - free)
        free = seconds(event["timestamp"])
    return found


def test_work_goes_on_within_a_look_though_no_wake_up_comes(postgres: Server, tmp_path: Path) -> None:
    """What one machine has done, another goes on with: no wake-up tells it so."""
    board = postgres.database()
    line = DeafLine(postgres.port)
    name = board.partition("?")[0].rpartition("/")[2]
    deaf = f"postgresql://postgres@127.0.0.1:{line.port}/{name}?durable=no&sslmode=disable&gssencmode=disable"
    hosts, remote = hosts_of(postgres, tmp_path, board=board, boards=(deaf, deaf, board), lease="60s", **LOOKS)
    try:
        with at_work(hosts[:2], ("--agent", "dev"), ("--agent", "look")):
            time.sleep(2)
            before = line.swallowed
            items = [add(hosts[2], name) for name in ("one.txt", "two.txt")]
            until(lambda: set(statuses(hosts[2])) == {"done"}, "they land")
    finally:
        line.close()
    assert line.swallowed > before, "wake-ups were sent, and swallowed"
    longest = max(wait for item in items for wait in waited(hosts[2], item))
    assert longest < LOOK + SLACK, longest
    landed_once(remote, hosts[2:], ["one.txt", "two.txt"])
    saw(
        "F19",
        "every wake-up swallowed on the way to real workers",
        "each run begins within the five-second look",
        items=2,
    )


def test_work_goes_on_though_every_listener_is_ended_again_and_again(postgres: Server, tmp_path: Path) -> None:
    board = postgres.database()
    name = board.partition("?")[0].rpartition("/")[2]
    hosts, remote = hosts_of(postgres, tmp_path, board=board, lease="60s", **LOOKS)
    ended, over = [0], threading.Event()

    def cut() -> None:
        listens = f"datname = '{name}' AND query LIKE 'LISTEN%' AND pid != pg_backend_pid()"
        while not over.is_set():
            ended[0] += len(postgres.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {listens}"))
            over.wait(0.05)

    cutter = threading.Thread(target=cut)
    try:
        with at_work(hosts[:2], ("--agent", "dev"), ("--agent", "look")):
            cutter.start()
            items = [add(hosts[2], name) for name in ("one.txt", "two.txt")]
            until(lambda: set(statuses(hosts[2])) == {"done"}, "they land")
    finally:
        over.set()
        cutter.join()
    assert ended[0] >= 4, "listeners came back, and were ended again"
    assert max(wait for item in items for wait in waited(hosts[2], item)) < LOOK + SLACK
    landed_once(remote, hosts, ["one.txt", "two.txt"])
    saw(
        "F19",
        "the listener of every real worker ended 20 times a second",
        "each run begins within the five-second look",
        items=2,
    )
