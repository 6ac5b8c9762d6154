"""The gate: first come, first served, and nobody waits for ever."""

import threading
import time
from pathlib import Path

import pytest

from folkmoot.store.sqlite.fair_lock import FairFileLock, StandIn


def enter_later(gate: FairFileLock, order: list[str], name: str) -> threading.Thread:
    def work() -> None:
        if gate.enter(5.0):
            order.append(name)
            gate.leave()

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.05)  # so that the next one comes later
    return thread


def test_first_come_first_served(tmp_path: Path) -> None:
    gates = [FairFileLock(str(tmp_path / "gate")) for _ in range(5)]
    order: list[str] = []
    for _ in range(2):  # the second time the stand-ins are there already
        assert gates[0].enter(1.0)
        threads = [enter_later(gate, order, str(number)) for number, gate in enumerate(gates[1:], start=1)]
        gates[0].leave()
        for thread in threads:
            thread.join()
    assert order == ["1", "2", "3", "4"] * 2
    for gate in gates:
        gate.close()


def test_a_turn_that_does_not_come_is_given_up_and_goes_to_the_next(tmp_path: Path) -> None:
    first, second, third = (FairFileLock(str(tmp_path / "gate")) for _ in range(3))
    assert first.enter(0.0)
    assert not second.enter(0.05)
    assert not second.enter(0.05)
    first.leave()
    time.sleep(0.1)  # the two turns that were given up come now, and are let go at once
    assert third.enter(2.0)
    third.leave()
    assert second.enter(2.0)
    assert not first.enter(0.05)
    second.leave()
    for gate in (first, second, third):
        gate.close()


def test_who_is_interrupted_leaves_nothing_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = FairFileLock(str(tmp_path / "gate")), FairFileLock(str(tmp_path / "gate"))

    class Interrupted:
        def acquire(self, timeout: float) -> bool:
            raise KeyboardInterrupt

        def release(self) -> None: ...

    def interrupted(self: StandIn, file: int) -> None:
        whole(self, file)
        self._came = Interrupted()  # type: ignore[assignment]

    whole = StandIn.__init__
    assert first.enter(0.0)
    monkeypatch.setattr(StandIn, "__init__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        second.enter(1.0)
    monkeypatch.undo()
    first.leave()
    assert second.enter(2.0)
    second.leave()
    assert first.enter(2.0)
    first.leave()
    first.close()
    second.close()


def test_a_gate_that_is_closed_lets_the_others_in(tmp_path: Path) -> None:
    first, second = FairFileLock(str(tmp_path / "gate")), FairFileLock(str(tmp_path / "gate"))
    assert first.enter(0.0)
    first.close()
    assert second.enter(0.0)
    second.close()
