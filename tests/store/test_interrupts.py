"""An interrupt at every line of the code that shares commits: nobody hangs, and who is told `done` finds it done."""

import linecache
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from msgspec import Struct

from folkmoot.store.port import Transaction
from folkmoot.store.sql import base as store_module
from folkmoot.store.sql import group_commit
from folkmoot.store.sql import writer_queue as turns_module
from folkmoot.store.sqlite.store import BEGIN_WRITE, SqliteStore
from folkmoot.testing.scribe import make_flow
from tests.store.test_group_commit import PATIENCE, PERSON, Callers, add, engine_for, titles

FILES = (turns_module.__file__, group_commit.__file__, store_module.__file__)
PAUSE = 0.005  # seconds between the interrupt and the second try, in which others go on


class Interrupts:
    """Raises KeyboardInterrupt in a thread at the n-th line."""

    def __init__(self, at: int, armed: Callable[[], bool] = lambda: True) -> None:
        self._left = at
        self._armed = armed
        self.hit = ""

    def trace(self, frame: Any, event: str, argument: object) -> Any:
        return self._line if frame.f_code.co_filename in FILES else None

    def _line(self, frame: Any, event: str, argument: object) -> Any:
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        # The interpreter looks for signals at calls and in loops, not at the edges of a block.
        if event == "line" and self._armed() and not line.startswith(("with ", "try:", "finally:")):
            self._left -= 1
            if self._left == 0:
                self.hit = f"{frame.f_code.co_name}: {line}"
                sys.settrace(None)
                raise KeyboardInterrupt
        return self._line


class Way(Struct, frozen=True):
    """Who is interrupted, and on the way of what."""

    victim: str
    lines: int  # that are met at least
    fault: str = ""  # the commit finds the disk full, or the store is busy
    most: int = 64  # works in a commit


WAYS = (
    Way("first", 20),
    Way("first", 20, fault="full"),
    Way("first", 20, fault="busy"),
    Way("first", 20, most=1),  # those who waited are left to the next leaders
    Way("a", 15),
    Way("a", 20, most=1),
)


class Scene:
    """One leader, kept busy until two more callers wait behind him."""

    def __init__(self, path: Path, way: Way, at: int) -> None:
        self.way = way
        self.store = SqliteStore.create(path, durable=False)
        engine_for(self.store).adopt_flow(PERSON, make_flow(1), "small")
        self.callers = Callers(self.store)
        self._go, self._failed = threading.Event(), threading.Event()
        self._execute, self._transact = self.store._execute, self.store.transact
        self.interrupts = Interrupts(at, self._failed.is_set if way.fault else lambda: True)
        self.store._execute = self._faulty
        self.store.transact = self._traced  # type: ignore[method-assign]

    def play(self) -> None:
        first = self.callers.start("first", self._held_up)
        self.callers.until(lambda: self.store._queue._leader is not None or not first.is_alive())
        others = [self.callers.start(other, add(other)) for other in "ab"]
        waiting = self.store._queue._waiting
        self.callers.until(lambda: not first.is_alive() or len(waiting) == sum(other.is_alive() for other in others))
        self._go.set()
        for thread in [first, *others, self.callers.start("last", add("last"))]:
            thread.join(PATIENCE)
            assert not thread.is_alive(), f"{self.interrupts.hit}: somebody hangs"
        self.store._execute = self._execute

    def _held_up(self, tx: Transaction) -> str:
        self._go.wait(PATIENCE)
        return add("first")(tx)

    def _faulty(self, statement: str, *values: Any) -> Any:
        if self.way.fault == "full" and statement == group_commit.COMMIT and not self._failed.is_set():
            self._failed.set()
            self._execute("ROLLBACK")
            raise apsw.FullError("planted")
        if self.way.fault == "busy" and statement == BEGIN_WRITE and not self._failed.is_set():
            self._go.wait(PATIENCE)
            self._failed.set()
            raise apsw.BusyError("planted")
        return self._execute(statement, *values)

    def _traced(self, work: Callable[[Transaction], Any], *, alone: bool = False) -> Any:
        if threading.current_thread().name == self.way.victim:
            sys.settrace(self.interrupts.trace)
        try:
            return self._transact(work, alone=alone)
        finally:
            sys.settrace(None)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_an_interrupt_at_any_line_loses_nothing_and_hangs_nobody(
    tmp_path: Path, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    surely = store_module.surely

    def later(end: Callable[[], None]) -> None:
        threading.Event().wait(PAUSE)
        surely(end)

    monkeypatch.setattr(store_module, "surely", later)
    monkeypatch.setattr(group_commit, "TOGETHER_MAX", way.most)
    at, hit = 0, "none yet"
    while hit:
        at += 1
        scene = Scene(tmp_path / f"{at}.db", way, at)
        scene.play()
        hit = scene.interrupts.hit
        there = titles(scene.store)
        for who, answer in scene.callers.answers.items():
            done = there.count(who) == 1 if isinstance(answer, str) else who == way.victim or way.fault
            assert done, (hit, who, answer, there)
        assert max(map(there.count, there), default=0) <= 1
        assert isinstance(scene.store.read(lambda reading: reading.head().seq), int)
        scene.store.close()
    assert at > way.lines, "the lines on the way were met"
