"""Another process keeps the store locked: the agents of a lease that is lost are ended in time all the same (F20)."""

import threading
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from folkmoot.worker.jobs.job import Job
from folkmoot.worker.run_timers import Act
from tests.worker.yard import Yard

LEASE = 6.0


@pytest.mark.attack(
    "time",
    "Another process holds the store's write lock for longer than a lease.",
    "The worker cannot renew, and ends each agent before its lease is over; it waits for no answer of the store.",
)
@pytest.mark.ledger("R-29")
def test_agents_of_a_lost_lease_are_ended_while_the_store_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard = Yard(tmp_path / "yard", lease=f"{LEASE:.0f}s", silence="60s", timeout="60s")
    for name in ("one", "two"):
        # A run that comes after the lost one need not wait again.
        yard.add(
            name,
            "shell test $MOOT_TOKEN -gt 1 || sleep 15",
            f"write {name}.txt x",
            "report done",
            files=[f"{name}.txt"],
        )
    ended: dict[str, tuple[str, float]] = {}
    all_ended, locked = threading.Event(), threading.Event()
    end, follow = Job.end, Job._follow
    other = apsw.Connection(str(yard.folder / ".moot" / "board.db"))
    other.set_busy_timeout(30_000)
    begun: list[str] = []

    def ending(self: Job, act: Act) -> None:
        ended.setdefault(self.run, (act.why, time.monotonic() - self.timers.acked))
        if len(ended) == 2:
            all_ended.set()
        end(self, act)

    def following(self: Job, *rest: Any) -> Any:
        begun.append(self.run)
        if len(begun) == 2:
            locked.set()
        return follow(self, *rest)

    def hold() -> None:
        assert locked.wait(60)
        other.execute("BEGIN IMMEDIATE")
        all_ended.wait(60)
        other.execute("ROLLBACK")

    monkeypatch.setattr(Job, "end", ending)
    monkeypatch.setattr(Job, "_follow", following)
    holder = threading.Thread(target=hold)
    holder.start()
    yard.run()
    holder.join()
    other.close()
    assert [why for why, _ in ended.values()][:2] == ["lost", "lost"]
    assert max(late for _, late in list(ended.values())[:2]) < LEASE
    yard.doctor()
    yard.close()
