"""The keeper with agents that do their worst: whatever they do, and whoever is killed, none of them stays."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from folkmoot.system.keeper_client import SystemChild, SystemKeeper
from folkmoot.worker.ports import Launch
from tests.system.wicked import GENTLE, KINDS, below, command, marked, processes, read, state_of, until

END_THEMSELVES = ("silent", "daemon")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def mark() -> Iterator[str]:
    mark = f"wicked-{os.urandom(8).hex()}"
    yield mark
    for pid in marked(mark):  # only after a failure: it must not burden the tests that follow
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def start(keeper: SystemKeeper, kind: str, mark: str) -> SystemChild:
    return keeper.start(Launch(argv=command(kind, mark), env={"MARK": mark}, cwd="/"))


def wait_until_ready(children: list[SystemChild], seconds: float) -> None:
    """Until each has done what its kind is named for. No more is read, so that who fills its pipe stays stuck."""
    end = time.monotonic() + seconds
    for child in children:
        poll = select.poll()
        poll.register(child.output, select.POLLIN)
        assert poll.poll(max(0.0, end - time.monotonic()) * 1000), "it does not begin"
        assert os.read(child.output, 6) == b"ready\n"


def still_there(seen: set[tuple[int, str]]) -> list[int]:
    """Who of them lives. The time of its begin is compared too, since numbers come again."""
    return [
        pid
        for pid, began in seen
        if read(pid, "stat").rpartition(b")")[2].split()[19:20] == [began.encode()] and state_of(pid) not in "ZX"
    ]


def my_server() -> int:
    (server,) = [
        pid
        for pid in processes()
        if b"keeper.py" in read(pid, "cmdline") and read(pid, "stat").rpartition(b")")[2].split()[1:2] == [me()]
    ]
    return server


def me() -> bytes:
    return str(os.getpid()).encode()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_ended(kind: str, mark: str) -> None:
    with closing(SystemKeeper()) as keeper, closing(start(keeper, kind, mark)) as child:
        wait_until_ready([child], 30)
        server = my_server()
        there = below(server)
        if kind not in END_THEMSELVES:
            child.end(0.2)
        assert until(lambda: child.ended() is not None), marked(mark)
        assert not marked(mark), "all is over when it is said to be over"
        assert until(lambda: not below(server)), "no warden stays"
        assert not still_there(there), "nor does anybody whom no mark shows"
        ended = child.ended()
        assert ended is not None and not ended.fault
        if kind in END_THEMSELVES:
            assert ended.code == 0
        else:
            assert ended.signal in (signal.SIGTERM, signal.SIGKILL)
        if kind in ("family", "daemon", "daemons", "naked", "frozen", "threads"):
            assert ended.killed > 0


def crowd(mark: str, count: int, seconds: float) -> None:
    """So many at once, of all kinds; then nothing of them is there, and nothing of what kept them."""
    open_before = len(os.listdir("/proc/self/fd"))
    with ExitStack() as stack:
        keeper = stack.enter_context(closing(SystemKeeper()))
        kinds = [GENTLE[number % len(GENTLE)] for number in range(count)]
        children = [stack.enter_context(closing(start(keeper, kind, mark))) for kind in kinds]
        wait_until_ready(children, seconds)
        server = my_server()
        there = below(server)
        assert len(there) > count
        for child in children:
            child.end(0.5)
        assert until(lambda: all(child.ended() for child in children), seconds), marked(mark)
        assert not marked(mark)
        assert until(lambda: not below(server)), "no warden stays"
        assert not [ended.fault for child in children if (ended := child.ended()) and ended.fault]
    assert not still_there(there)
    assert state_of(server) == "X", "nor the server, not even as a zombie"
    assert len(os.listdir("/proc/self/fd")) == open_before


def test_of_fifty_none_stays(mark: str) -> None:
    crowd(mark, 50, 60)


@pytest.mark.slow
def test_of_a_thousand_none_stays(mark: str) -> None:
    for _ in range(10):
        crowd(mark, 100, 120)


# A worker that starts one of each kind given, tells who its server is, and then does nothing more.
WORKER = """
import sys, time
from folkmoot.system.keeper_client import SystemKeeper
from tests.system.test_keeper_wicked import my_server, start, wait_until_ready
mark, *kinds = sys.stdin.readline().split()
keeper = SystemKeeper()
children = [start(keeper, kind, mark) for kind in kinds]
wait_until_ready(children, 60)
print(my_server(), flush=True)
time.sleep(600)
"""


@pytest.fixture
def worker(mark: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    with subprocess.Popen(
        [sys.executable, "-c", WORKER],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as worker:
        assert worker.stdin and worker.stdout
        worker.stdin.write(" ".join([mark, *GENTLE]) + "\n")
        worker.stdin.flush()
        server = worker.stdout.readline()
        try:
            assert server, "the worker did not begin"
            yield worker, int(server)
        finally:
            worker.kill()


def test_a_worker_that_is_killed_leaves_nobody(worker: tuple[subprocess.Popen[str], int], mark: str) -> None:
    process, server = worker
    kept = below(server)
    assert len(marked(mark)) >= len(GENTLE) - len(END_THEMSELVES), "all but those that end by themselves"
    process.kill()
    assert until(lambda: not marked(mark), 10), marked(mark)
    assert until(lambda: state_of(server) in "ZX"), "the keeper goes when there is nothing to keep"
    assert not still_there(kept)


def test_nor_does_one_that_is_killed_together_with_its_server(
    worker: tuple[subprocess.Popen[str], int], mark: str
) -> None:
    process, server = worker
    os.kill(server, signal.SIGKILL)
    process.kill()
    assert until(lambda: not marked(mark), 10), marked(mark)


def test_an_interrupt_at_the_terminal_is_not_heard_by_agents(
    worker: tuple[subprocess.Popen[str], int], mark: str
) -> None:
    process, server = worker
    (plain,) = [pid for pid, words in marked(mark).items() if " plain " in words]
    os.kill(process.pid, signal.SIGSTOP)  # so that it cannot end, and the agents with it, by being interrupted
    os.killpg(process.pid, signal.SIGINT)
    assert os.getpgid(server) != process.pid != os.getpgid(plain)
    assert not until(lambda: state_of(plain) in "ZX", 0.3)
    process.kill()
    assert until(lambda: not marked(mark), 10), marked(mark)
