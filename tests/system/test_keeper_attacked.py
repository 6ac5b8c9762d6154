"""The keeper against an agent without a sandbox: it is the same user, and stops and kills who keeps it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from folkmoot.system.keeper_client import LOST, SystemChild, SystemKeeper
from folkmoot.system.processes import guarding
from folkmoot.worker.ports import Launch
from tests.system.test_keeper import PATH, hear, parent, py, run, sh, wait
from tests.system.wicked import marked, state_of, until

ROOT = Path(__file__).parents[2]
FAMILY = "setsid sh -c 'trap \"\" TERM; sleep 600 & sleep 600' & echo here; sleep 600"
# Stops whoever started it, again and again, and leaves somebody behind that ignores TERM.
STOPPER = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
warden = os.getppid()
print("here", flush=True)
while True:
    os.kill(warden, signal.SIGSTOP)
    time.sleep(0.01)
"""


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemKeeper]:
    monkeypatch.setattr(guarding, "LOOK", 0.1)
    made = SystemKeeper()
    yield made
    made.close()


def started(keeper: SystemKeeper, launch: Launch) -> tuple[SystemChild, int]:
    child = keeper.start(launch)
    hear(child, b"here")
    assert child.warden is not None and child.pid is not None and parent(child.pid) == child.warden
    return child, child.warden


def a_mark() -> str:
    return f"mark-{os.urandom(8).hex()}"


def test_a_killed_warden_means_that_nothing_is_left(keeper: SystemKeeper) -> None:
    mark = a_mark()
    child, warden = started(keeper, sh(FAMILY, MARK=mark))
    assert until(lambda: len(marked(mark)) >= 4)
    os.kill(warden, signal.SIGKILL)
    assert "killed" in wait(child).fault
    assert not marked(mark), "it was said to have ended while some of it lived"
    child.close()


@pytest.mark.attack(
    "keeper", "an unsandboxed agent stops its warden", "the worker kills the warden and all of the tree"
)
def test_a_warden_that_is_stopped_again_and_again_costs_the_run(keeper: SystemKeeper) -> None:
    mark = a_mark()
    other, _ = started(keeper, sh("echo here; sleep 600"))
    child, _ = started(keeper, Launch(argv=py(STOPPER).argv, env={**PATH, "MARK": mark}, cwd="/"))
    assert wait(child).signal == signal.SIGKILL
    assert not marked(mark)
    assert other.ended() is None
    for each in (child, other):
        each.close()


def test_a_warden_that_was_stopped_once_goes_on(keeper: SystemKeeper) -> None:
    """All of us may have been stopped together, as by whoever pauses a machine."""
    child, warden = started(keeper, sh("echo here; sleep 600"))
    os.kill(warden, signal.SIGSTOP)
    assert until(lambda: state_of(warden) not in "Tt")
    assert child.ended() is None
    child.end(0.0)
    assert wait(child).signal == signal.SIGTERM
    child.close()


def test_a_server_that_is_stopped_again_and_again_is_killed_and_its_trees_go_on(keeper: SystemKeeper) -> None:
    child, warden = started(keeper, sh("echo here; sleep 600"))
    server = parent(warden)

    def stop() -> bool:
        if state_of(server) not in "ZX":
            os.kill(server, signal.SIGSTOP)
        return state_of(server) in "ZX"

    assert until(stop)
    assert run(keeper, sh("exit 3"))[0].code == 3
    assert child.ended() is None
    child.close()


WORKER = """
import sys, time
from folkmoot.system.keeper_client import SystemKeeper
from folkmoot.system.processes import guarding, own
from folkmoot.worker.ports import Launch
from tests.system.test_keeper import hear, parent, sh, wait
guarding.LOOK, guarding.BEAT, guarding.MISSED = 0.1, 0.2, int(sys.argv[3])
helper = own.start(["sleep", "600"])
keeper = SystemKeeper(adopts=True)
child = keeper.start(sh(sys.argv[2], MARK=sys.argv[1] + "-own"))
hear(child, b"here")
other = keeper.start(sh("echo here; sleep 600", MARK=sys.argv[1] + "-other"))
hear(other, b"here")
print(child.warden, parent(child.warden), flush=True)
print(wait(child, 60).fault, helper.poll(), other.ended(), flush=True)
helper.kill()
keeper.close()
"""


@pytest.fixture
def worker(request: pytest.FixtureRequest) -> Iterator[tuple[subprocess.Popen[str], str, int, int]]:
    """A worker that adopts, its mark, and its agent's warden and server."""
    mark = a_mark()
    words = [sys.executable, "-c", WORKER, mark, FAMILY, str(getattr(request, "param", 1000))]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout
            warden, server = map(int, process.stdout.readline().split())
            assert until(lambda: len(marked(mark)) >= 5)
            yield process, mark, warden, server
        finally:
            process.kill()


@pytest.mark.attack("keeper", "an unsandboxed agent kills its warden and the server", "the worker kills what they left")
@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_with_warden_and_server_gone_the_worker_ends_the_tree(
    worker: tuple[subprocess.Popen[str], str, int, int], how: str
) -> None:
    process, mark, warden, server = worker
    assert process.stdout
    stop = signal.SIGKILL if how == "killed" else signal.SIGSTOP
    os.kill(server, stop)
    if how == "killed":
        assert until(lambda: parent(warden) == process.pid), "the worker is the last who adopts"
    os.kill(warden, signal.SIGKILL)
    assert process.stdout.readline() == f"{LOST} None None\n", "what the worker started itself goes on, and the others"
    assert until(lambda: not marked(f"{mark}-own")), marked(mark)


@pytest.mark.attack("keeper", "an unsandboxed agent stops the worker", "its warden ends the tree when nobody is heard")
@pytest.mark.parametrize("worker", [10], indirect=True)
def test_a_worker_that_is_stopped_has_no_agents_for_long(
    worker: tuple[subprocess.Popen[str], str, int, int],
) -> None:
    process, mark, _, _ = worker
    os.kill(process.pid, signal.SIGSTOP)
    assert until(lambda: not marked(f"{mark}-o"), 60), marked(mark)
    process.kill()


# Sends open files that nobody receives, as many as the kernel lets it.
FLOOD = """
import os, resource, socket, time
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
null, kept = os.open("/dev/null", os.O_RDONLY), []
try:
    while True:
        kept.append(socket.socketpair())
        kept[-1][0].setblocking(False)
        try:
            while True:
                socket.send_fds(kept[-1][0], [b"x"], [null] * 250)
        except BlockingIOError:
            pass
except OSError as error:
    print("here", error, flush=True)
time.sleep(600)
"""
FLOODED = """
import resource, sys
from folkmoot.system.keeper_client import SystemKeeper
from tests.system.test_keeper import hear, py, sh, wait
from msgspec.structs import replace
resource.setrlimit(resource.RLIMIT_NOFILE, (512, 4096))
keeper = SystemKeeper()
flood = keeper.start(replace(py(sys.stdin.read()), bounds={"open_files": 65536}))
hear(flood, b"here")
print(wait(keeper.start(sh("exit 7"))).code, resource.getrlimit(resource.RLIMIT_NOFILE))
keeper.close()
"""


@pytest.mark.attack(
    "keeper",
    "an agent sends itself open files that it never takes: those of a user, all in all, are counted against each",
    "other runs begin as ever: an agent may have fewer than the worker, who may have more while it starts one",
)
def test_files_on_their_way_keep_nobody_from_starting() -> None:
    # Root may send more than others, by these rights.
    weak = ["setpriv", "--bounding-set", "-sys_resource,-sys_admin"] if os.geteuid() == 0 else []
    argv = [*weak, sys.executable, "-c", FLOODED]
    ran = subprocess.run(argv, input=FLOOD, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ran.stdout == "7 (512, 4096)\n", ran.stderr[-2000:]
