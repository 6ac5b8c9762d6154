"""The boards that are measured are real ones: sound by every check, and used by as many as is said."""

from pathlib import Path

import pytest

from bench import growth, holds, peers, together
from bench.board import copy_of, engine_on, make_board
from bench.queues import blocked
from bench.together import Trial
from folkmoot.core.commands import Actor, AddItem
from folkmoot.core.item import Item
from folkmoot.engine.checking.doctor import examine
from folkmoot.store.sqlite.store import SqliteStore


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("board") / "board.db"
    make_board(path, 40)
    return path


def test_a_board_written_from_templates_is_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "BATCH", 100)
    path = tmp_path / "large.db"
    growth.fill(path, 250)
    store = SqliteStore.open(path)
    assert store.read(lambda reading: reading.head().items) == 250
    assert store.read(lambda reading: len(reading.inbox())) == growth.QUESTIONS
    assert [check for check in examine(engine_on(store)).checks if not check.ok] == []
    store.close()


def test_an_item_written_from_a_template_is_what_the_engine_would_have_added(tmp_path: Path) -> None:
    path = tmp_path / "large.db"
    growth.fill(path, 250)
    store = SqliteStore.open(path)
    same = AddItem(title="item 7", column="dev", priority="high")
    added = engine_on(store).add(Actor("bench"), same).id

    def without_times(name: str) -> dict[str, object]:
        item = store.read(lambda reading: reading.item(name))
        assert isinstance(item, Item)
        times = ("id", "ready_at", "created_at", "updated_at", "since")
        return {field: getattr(item, field) for field in item.__struct_fields__ if field not in times}

    assert without_times("7") == without_times(added)
    store.close()


def test_statements_are_cut_into_rounds_of_as_many_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "CYCLES", 2)
    one = [("BEGIN IMMEDIATE", None), ("COMMIT", None)] * 2
    assert growth.by_rounds(one * 6, 3) == [one * 2] * 3
    with pytest.raises(RuntimeError, match="two commits"):
        growth.by_rounds(one * 5, 3)


@pytest.mark.parametrize("kind", [together.claim_and_report, holds.lock_and_release])
def test_callers_share_the_cycles_and_leave_a_sound_board(board: Path, kind: together.Kind) -> None:
    store = SqliteStore.open(copy_of(board, f"{kind.__name__}.db"))
    before = store.read(lambda reading: reading.head().seq)
    found = together.work_together(store, Trial(kind, [4], 20, {}), 4)
    assert len(found.waits) == 20
    assert store.read(lambda reading: reading.head().seq) >= before + 40
    assert examine(engine_on(store)).ok
    store.close()


def test_what_one_of_the_callers_meets_is_not_kept_quiet(board: Path) -> None:
    store = SqliteStore.open(copy_of(board, "quiet.db"))
    with pytest.raises(Exception, match="no item is ready"):
        together.work_together(store, Trial(together.claim_and_report, [2], 100, {}), 2)
    store.close()


def test_raw_replays_what_one_caller_did(board: Path) -> None:
    trial = Trial(together.claim_and_report, [1], 5, {})
    statements = trial.statements(board)
    together.one_round(board, trial, 0, statements)
    for name in ("recorded.db", "round.db"):
        store = SqliteStore.open(board.with_name(name))
        assert store.read(lambda reading: len(reading.items(column="review"))) == 5
        store.close()


def test_a_slow_disk_waits_at_each_flush_and_still_flushes(board: Path) -> None:
    store = SqliteStore.open(copy_of(board, "slow.db"))
    slept: list[float] = []
    kept = together.slow_down(store._connection, 0.25, slept.append)
    flushes = []
    for number in range(3):
        engine_on(store).add(Actor("bench"), AddItem(title=f"more {number}", column="dev"))
        flushes.append(len(slept))
    # The first write to a fresh log flushes its head as well.
    assert flushes == [2, 3, 4]
    assert set(slept) == {0.25}
    store.close()
    assert kept
    again = SqliteStore.open(store.path)
    assert again.read(lambda reading: reading.head().items) == 43
    again.close()


def test_peers_that_cannot_be_installed_are_named_in_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "place" / "peers"
    for name, path in (("PLACE", place), ("STAMP", place / "stamp"), ("FAILED", place.with_name("failed"))):
        monkeypatch.setattr(peers, name, path)
    monkeypatch.setenv("PYTHON", str(tmp_path / "missing-python"))
    assert not peers.install()
    assert "NOT RUN: the peers" in capsys.readouterr().err
    told = peers.run(python=place / "bin" / "python")
    assert len(told) == 3
    assert all("NOT RUN" in what and "missing-python" in str(why) for what, why in told.items())


def test_a_claim_behind_blocked_items_gets_the_free_one() -> None:
    told = blocked.run(blocked=300, claims=20)
    assert sum("goal ≤ 1.5" in what for what in told) == 4
