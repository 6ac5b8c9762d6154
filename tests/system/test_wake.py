"""Wake-ups: between threads by the bell, between processes by the kernel's word about the board's log file."""

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from folkmoot.store.change_signal import ChangeSignal
from folkmoot.system import wake
from folkmoot.system.wake import ATTRIB, EVENT, MODIFY, OVERFLOW, FileWatch

PATIENCE = 60.0  # seconds after which something that should be woken never will be
ENDLESS = 1e9
SEED = 20260117


class Race:
    """Two threads hand a number to and fro; each sleeps until the other has rung, and would sleep for ever."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.there, self.back = ChangeSignal(), ChangeSignal()
        self.sent = self.got = 0

    def follow(self, chance: random.Random) -> None:
        seen = self.there.count
        for wanted in range(1, self.rounds + 1):
            while self.sent < wanted:
                dawdle(chance)
                seen = self.there.wait(seen, ENDLESS)
            self.got = wanted
            self.back.notify()

    def lead(self, chance: random.Random) -> None:
        seen = self.back.count
        for number in range(1, self.rounds + 1):
            self.sent = number
            self.there.notify()
            while self.got < number:
                dawdle(chance)
                seen = self.back.wait(seen, ENDLESS)


def dawdle(chance: random.Random) -> None:
    """Between the look and the sleep: here is where a wake-up could be lost."""
    for _ in range(chance.choice((0, 0, 3, 40, 400))):
        pass


@pytest.fixture
def busy() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("busy")
def test_no_wake_up_is_lost_in_a_race() -> None:
    race = Race(4000)
    sides = [(race.follow, random.Random(SEED)), (race.lead, random.Random(SEED + 1))]
    threads = [threading.Thread(target=side, args=(chance,), daemon=True) for side, chance in sides]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert race.got == race.rounds, f"a wake-up was lost after {race.got} rounds"
    assert race.there.count == race.back.count == race.rounds


def test_who_comes_late_does_not_sleep() -> None:
    change_signal = ChangeSignal()
    seen = change_signal.count
    change_signal.notify()
    late = threading.Thread(target=change_signal.wait, args=(seen, ENDLESS), daemon=True)
    late.start()
    late.join(PATIENCE)
    assert not late.is_alive()


def test_rings_of_many_threads_are_all_counted() -> None:
    change_signal = ChangeSignal()

    def notify() -> None:
        for _ in range(2000):
            change_signal.notify()

    threads = [threading.Thread(target=notify) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert change_signal.count == 8000


def test_one_ring_wakes_all_who_wait() -> None:
    change_signal, woken = ChangeSignal(), []
    threads = [threading.Thread(target=lambda: woken.append(change_signal.wait(0, PATIENCE))) for _ in range(8)]
    for thread in threads:
        thread.start()
    while len(change_signal._sleepers) < 8:
        assert all(thread.is_alive() for thread in threads)
    change_signal.notify()
    for thread in threads:
        thread.join()
    assert woken == [1] * 8 and not change_signal._sleepers


def test_a_wait_that_is_over_leaves_nothing_behind() -> None:
    change_signal = ChangeSignal()
    assert change_signal.wait(0, 0.01) == 0 and not change_signal._sleepers
    assert change_signal.wait(0, 0.0) == 0 and change_signal.wait(0, -1.0) == 0
    assert change_signal.wait(-1, PATIENCE) == 0, "a count that it never had is another one"
    change_signal.close()
    assert change_signal.wait(0, PATIENCE) == 1, "who waits is let go"


class Ear:
    def __init__(self, folder: Path, prefix: str = "board.db-wal") -> None:
        self.change_signal = ChangeSignal()
        self.watch = FileWatch(str(folder), prefix, self.change_signal.notify)

    def hears(self, seconds: float = PATIENCE) -> bool:
        return self.change_signal.wait(0, seconds) > 0


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "board.db-wal").write_bytes(b"")
    return tmp_path / "board.db-wal"


def test_a_touched_file_wakes_and_another_does_not(log: Path) -> None:
    ear = Ear(log.parent)
    (log.parent / "flow.yaml").write_text("flow: x")
    (log.parent / "flow.yaml").touch()
    assert not ear.hears(0.1)
    log.touch()
    assert ear.hears()
    ear.watch.close()
    ear.watch.close()


def test_a_file_that_was_only_written_wakes_a_moment_later(log: Path) -> None:
    ear = Ear(log.parent)
    with log.open("ab", buffering=0) as file:
        file.write(b"x")
    assert ear.hears()
    ear.watch.close()


def test_what_was_written_before_the_touch_wakes_once() -> None:
    name = b"board.db-wal\0\0\0\0"

    def heard(*masks: int) -> tuple[bool, bool]:
        data = b"".join(EVENT.pack(1, mask, 0, len(name)) + name for mask in masks)
        return wake.heard(data, b"board")

    assert heard(MODIFY) == (False, True)
    assert heard(MODIFY, ATTRIB) == (True, False)
    assert heard(MODIFY, ATTRIB, MODIFY) == (True, True), "the second write is another commit's"
    assert wake.heard(EVENT.pack(-1, OVERFLOW, 0, 0), b"board") == (True, False), "some of it was not told"
    assert wake.heard(EVENT.pack(1, ATTRIB, 0, 0), b"board") == (False, False), "the folder itself"


def test_where_the_kernel_tells_nothing_nobody_is_woken(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wake, "inotify_on", lambda folder: -1)
    ear = Ear(log.parent)
    log.touch()
    assert not ear.hears(0.05)
    ear.watch.close()


FORKS = """
import os, sys, threading
from pathlib import Path
from folkmoot.system.wake import FileWatch
woken = threading.Event()
log = Path(sys.argv[1])
watch = FileWatch(str(log.parent), log.name, woken.set)
child = os.fork()
if child == 0:
    watch.close()
    os._exit(0)
os.waitpid(child, 0)
log.touch()
print(woken.wait(60))
watch.close()
"""


def test_a_forked_child_that_closes_it_leaves_its_parents_alone(log: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKS, str(log)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "True", done.stderr
