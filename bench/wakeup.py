"""How soon whoever waits for an item has claimed it, beside the bare means of waking in the same run."""

import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from folkmoot import Board, Report
from folkmoot.system.wake import inotify_on

ROUNDS = 300
REST = 0.003  # seconds after which whoever says that it waits does so
HERE = Path(__file__).parent.parent
TOUCHED = "touched"
CLAIMER, BARE = "claimer", "bare"


class Waiter:
    """Another thread or process: says when it begins to wait, and when it had what it waited for."""

    def __init__(self, wait: Callable[[], None]) -> None:
        self._wait = wait
        self._waits, self._had = threading.Semaphore(0), threading.Semaphore(0)
        self._at = 0
        self._thread = threading.Thread(target=self._go, daemon=True)
        self._thread.start()

    def _go(self) -> None:
        for _ in range(ROUNDS):
            self._waits.release()
            self._wait()
            self._at = time.monotonic_ns()
            self._had.release()

    def begin(self) -> None:
        self._waits.acquire()

    def end(self) -> int:
        self._had.acquire()
        return self._at


class Process:
    """The same in a process of its own; the kernel's clock is one for all."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "bench.wakeup", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, cwd=HERE)
        assert self.process.stdout is not None
        self._said = self.process.stdout

    def begin(self) -> None:
        self._said.readline()

    def end(self) -> int:
        return int(self._said.readline())


def milliseconds(waiter: Waiter | Process, act: Callable[[], None]) -> tuple[float, float]:
    """From the end of the act to what it set free: the half and the hundredth-worst."""
    took = []
    for _ in range(ROUNDS):
        waiter.begin()
        time.sleep(REST)
        act()
        done = time.monotonic_ns()
        took.append(max(0, waiter.end() - done) / 1e6)
    return half_and_worst(took)


def half_and_worst(took: list[float]) -> tuple[float, float]:
    took.sort()
    return took[len(took) // 2], took[len(took) * 99 // 100]


def shown(times: tuple[float, float]) -> str:
    return f"{times[0]:.2f} / {times[1]:.2f}"


class Claims(Waiter):
    """Claims what is added; its report comes when the time was taken."""

    def __init__(self, board: Board) -> None:
        self._board = board
        super().__init__(lambda: None)

    def _go(self) -> None:
        for _ in range(ROUNDS):
            self._waits.release()
            run = self._board.claim("dev-agent", wait=60)
            self._at = time.monotonic_ns()
            run.report(Report.done("It is done."))
            self._had.release()


def bare_threads() -> tuple[float, float]:
    condition, rung = threading.Condition(), [0, 0]

    def wait() -> None:
        with condition:
            condition.wait_for(lambda: rung[0] > rung[1])
            rung[1] = rung[0]

    def ring() -> None:
        with condition:
            rung[0] += 1
            condition.notify_all()

    return milliseconds(Waiter(wait), ring)


def bare_processes(folder: Path) -> tuple[float, float]:
    (folder / TOUCHED).touch()
    return milliseconds(Process(BARE, str(folder)), lambda: os.utime(folder / TOUCHED))


def claims_at_once(board: Board) -> tuple[float, float]:
    """What a claim alone takes, its commit and the disk included, where nobody need wait."""
    took = []
    for _ in range(ROUNDS):
        board.add("one", column="dev")
        time.sleep(REST)
        began = time.monotonic_ns()
        run = board.claim("dev-agent")
        took.append((time.monotonic_ns() - began) / 1e6)
        run.report(Report.done("It is done."))
    return half_and_worst(took)


def run() -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as name:
        with Board.create(name, "kanban") as board:

            def add() -> None:
                board.add("one", column="dev")

            alone = claims_at_once(board)
            threads = milliseconds(Claims(board), add)
            processes = milliseconds(Process(CLAIMER, name), add)
        return {
            "a claim where nobody need wait, p50 / p99 ms": shown(alone),
            "between threads, add committed → claim committed, p50 / p99 ms (goal p99 ≤ 5)": shown(threads),
            "a bare condition between threads, p50 / p99 ms": shown(bare_threads()),
            "between processes, add committed → claim committed, p50 / p99 ms (goal p99 ≤ 50)": shown(processes),
            "bare inotify between processes, p50 / p99 ms": shown(bare_processes(Path(name))),
        }


def be_the_claimer(folder: str) -> None:
    with Board.open(folder) as board:
        for _ in range(ROUNDS):
            print("waits", flush=True)
            run = board.claim("dev-agent", wait=60)
            at = time.monotonic_ns()
            run.report(Report.done("It is done."))
            print(at, flush=True)


def be_bare(folder: str) -> None:
    fd = inotify_on(folder)
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    for _ in range(ROUNDS):
        print("waits", flush=True)
        poll.poll()
        at = time.monotonic_ns()
        with suppress(BlockingIOError):
            os.read(fd, 65_536)
        print(at, flush=True)


if __name__ == "__main__":
    kind, place = sys.argv[1:]
    be_the_claimer(place) if kind == CLAIMER else be_bare(place)
