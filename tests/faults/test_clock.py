"""Clocks that jump, stand or begin again: claims are as safe as before, and nobody waits for ever (F29, F30, F31)."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from folkmoot.api.views import ClaimView
from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.engine.checking.doctor import examine
from folkmoot.engine.engine import Engine
from folkmoot.engine.unit_of_work import DUE_MAX
from folkmoot.errors import NothingToDo, Refused
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.system.clock import boot_shift
from folkmoot.testing.builders import preset_flow
from folkmoot.testing.clock import SeededIds, VirtualClock
from tests.acceptance.moot import new_board
from tests.faults import scenes, traced
from tests.faults.witness import saw

DAYS = 86_400.0
PERSON = Actor("alice")


class Clocked:
    """A real store in a file, and a clock in hand."""

    def __init__(self, path: Path) -> None:
        self.clock = VirtualClock()
        self.engine = Engine(SqliteStore.create(path, durable=False), self.clock, SeededIds(random.Random(1)))
        self.engine.adopt_flow(PERSON, preset_flow(), "")
        self.engine.add(PERSON, commands.AddItem(title="x", column="dev"))

    def claim(self) -> ClaimView:
        return self.engine.claim(PERSON, "dev-agent", lease=60)

    def run(self, claim: ClaimView) -> Actor:
        return Actor("dev-agent", claim.run, claim.token)

    def pass_(self, seconds: float) -> None:
        self.clock.move_to(self.clock.time + seconds)

    def is_stale(self, claim: ClaimView) -> bool:
        with pytest.raises(Refused) as found:
            self.engine.report(self.run(claim), Report(outcome="done"))
        return found.value.code == "stale_claim"

    def sound(self) -> bool:
        return bool(examine(self.engine).ok)


@pytest.fixture
def board(tmp_path: Path) -> Clocked:
    return Clocked(tmp_path / "board.db")


@pytest.mark.parametrize("days", [2, -2])
def test_the_date_set_wrong_changes_nothing(board: Clocked, days: int) -> None:
    claim = board.claim()
    board.clock.set_wall(days * DAYS)
    with pytest.raises(NothingToDo):
        board.claim()
    board.pass_(50)
    board.engine.handle_run(board.run(claim), commands.RenewRun())
    board.pass_(50)
    board.engine.report(board.run(claim), Report(outcome="done"))
    assert board.sound()
    saw("F29", f"the wall clock {days:+d} days", "the lease lives as long as before, doctor green")


def test_after_a_reboot_no_old_lease_holds(board: Clocked) -> None:
    claim = board.claim()
    board.pass_(5)
    board.clock.reboot()
    board.pass_(1)
    board.engine.add(PERSON, commands.AddItem(title="the first word after the reboot"))
    assert board.is_stale(claim)
    board.pass_(60)
    assert board.claim().token == 2
    assert board.sound()
    saw(
        "F31",
        "another boot id, the clock begins again",
        "old leases end at once, the old run is refused as stale_claim, doctor green",
    )


@pytest.mark.parametrize("seconds", [30.0, 10_000.0])
def test_a_clock_that_goes_back_is_not_followed(board: Clocked, seconds: float) -> None:
    """A machine that was copied and woken again: the store's own clock stands until the other one has caught up."""
    board.pass_(20_000)
    claim = board.claim()
    board.clock.turn_back(seconds)
    with pytest.raises(NothingToDo):
        board.claim()
    board.engine.handle_run(board.run(claim), commands.RenewRun())
    board.pass_(seconds + 61)
    board.engine.add(PERSON, commands.AddItem(title="later"))
    assert board.is_stale(claim)
    assert board.sound()
    saw(
        "F31",
        f"the clock goes {seconds:.0f} seconds back",
        "the store's clock never does, one holder at a time, doctor green",
    )


@pytest.mark.parametrize("rate", [2, 100])
def test_a_clock_that_runs_too_fast_ends_leases_early_and_safely(board: Clocked, rate: int) -> None:
    """Renewed at a third of its lease, a run lives at twice the rate; at a hundred times it is lost, and fenced."""
    claim = board.claim()
    answers = []
    for _ in range(6):
        board.pass_(20 * rate)
        try:
            board.engine.handle_run(board.run(claim), commands.RenewRun())
        except Refused as error:
            answers.append(error.code)
    assert answers == ([] if rate == 2 else ["stale_claim"] * 6)
    assert board.sound()
    what = "the run keeps its lease" if rate == 2 else "the run is lost and refused as stale_claim"
    saw("F30", f"the clock runs {rate} times as fast", f"{what}, doctor green")


def test_in_a_time_namespace_hours_ahead(tmp_path: Path) -> None:
    """Real processes, the kernel's own clock moved under one of them."""
    unshare = shutil.which("unshare")
    probe = [unshare or "unshare", "--time", "--monotonic", "7200", "--boottime", "7200", "true"]
    if unshare is None or subprocess.run(probe, capture_output=True).returncode != 0:
        pytest.skip("a shifted clock needs `unshare --time`, and that needs root and a kernel that has it")
    moot = new_board(tmp_path)
    moot("add", "x", "--column", "dev")
    claim = moot("claim", "dev-agent", "--lease", "10m")
    assert traced.moot(tmp_path, "claim", "dev-agent").code == 3
    ahead = traced.run([*traced.MOOT, "add", "later", "--json"], tmp_path, before=probe[:-1])
    assert ahead.code == 0, ahead.err
    report = json.dumps({"outcome": "done", "summary": "x"})
    late = traced.moot(tmp_path, "report", claim["run"], "-", "--token", str(claim["token"]), stdin=report)
    assert late.code == 0, late
    assert scenes.wrong(tmp_path) == []
    saw(
        "F31",
        "a process two hours ahead, in a time namespace",
        "its boot time is taken without the shift, the lease lives as long as before, doctor green",
    )


@pytest.mark.attack(
    "time",
    "A command comes from a machine, a namespace or an earlier state of it whose clock is days ahead.",
    "The store's clock goes on from there at once: leases and pauses of the others end when they are due.",
)
@pytest.mark.parametrize("ahead", [7200.0, 30 * DAYS])
def test_after_a_clock_far_ahead_leases_end_when_they_are_due(board: Clocked, ahead: float) -> None:
    board.pass_(5)
    board.clock.turn_back(-ahead)
    board.engine.add(PERSON, commands.AddItem(title="from far ahead"))
    board.clock.turn_back(ahead)
    claim = board.claim()
    board.pass_(59)
    board.engine.handle_run(board.run(claim), commands.RenewRun())
    board.pass_(61)
    board.engine.add(PERSON, commands.AddItem(title="later"))
    assert board.is_stale(claim)
    assert board.sound()


@pytest.mark.ledger("R-29")
def test_a_lease_that_ended_long_ago_counts_from_when_it_ended(board: Clocked) -> None:
    """The pause after it is over, and the run took as long as its lease: nobody wrote in between."""
    claim = board.claim()
    board.pass_(5 * 3600)
    assert board.claim().token == 2
    run = board.engine.store.read(lambda reading: reading.run(claim.run))
    assert run is not None and run.ended_at == run.started_at + 60_000
    assert board.sound()


@pytest.mark.ledger("R-29")
def test_after_a_reboot_a_run_has_not_ended_before_it_began(board: Clocked) -> None:
    claim = board.claim()
    board.clock.reboot()
    board.engine.add(PERSON, commands.AddItem(title="x"))
    run = board.engine.store.read(lambda reading: reading.run(claim.run))
    assert run is not None and run.ended_at is not None and run.ended_at >= run.started_at


@pytest.mark.attack(
    "time",
    "Eighty, or hundreds of, leases have ended, and nobody wrote since.",
    "Each of their items can be taken at once, by name or by order, in the first command.",
)
@pytest.mark.ledger("R-29")
@pytest.mark.parametrize("many", [80, 300])
def test_items_of_ended_leases_are_free_at_once(board: Clocked, many: int) -> None:
    items = ["1", *(board.engine.add(PERSON, commands.AddItem(title="x", column="dev")).id for _ in range(many))]
    for item in items:
        board.engine.claim(PERSON, "dev-agent", lease=60, item=item)
    board.pass_(3600)
    last = board.engine.claim(PERSON, "dev-agent", item=items[-1])
    assert last.token == 2
    got = [board.claim().brief["task"]["id"] for _ in items[1:]]
    assert sorted(got, key=int) == items[:-1]
    assert board.sound()


@pytest.mark.ledger("R-29")
def test_who_finds_nothing_ready_looks_through_all_that_is_due(board: Clocked) -> None:
    """A few hundred leases of other agents have ended before the only one that matters."""
    for _ in range(DUE_MAX + 5):
        board.engine.add(PERSON, commands.AddItem(title="x", column="review"))
        board.engine.claim(PERSON, "review-agent", lease=60)
    claim = board.engine.claim(PERSON, "dev-agent", lease=61)
    board.pass_(3600)
    assert board.claim().brief["task"]["id"] == claim.brief["task"]["id"]
    assert board.sound()


def test_the_shift_of_a_time_namespace_is_read(tmp_path: Path) -> None:
    offsets = tmp_path / "timens_offsets"
    offsets.write_text("monotonic        7200         0\nboottime         7200 500000000\n", "ascii")
    assert boot_shift(str(offsets)) == 7200.5
    assert boot_shift(str(tmp_path / "none")) == 0.0
    offsets.write_text("what is this", "ascii")
    assert boot_shift(str(offsets)) == 0.0
