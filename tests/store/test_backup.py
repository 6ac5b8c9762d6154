"""A board is kept in one file and comes back from it; from its log alone it comes back as the engine wrote it."""

import io
import json
import os
import random
import shutil
import stat
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from folkmoot.engine.rebuild import Fold
from folkmoot.errors import Invalid, MootError, Refused, Step, Unavailable
from folkmoot.sim.flows import choose_flow
from folkmoot.sim.run import chaos, live
from folkmoot.sim.world import World
from folkmoot.store.codec import decode_row
from folkmoot.store.lines import read_lines
from folkmoot.store.port import Transaction
from folkmoot.store.sqlite.backup import backup, exclusive, log
from folkmoot.store.sqlite.backup.archive import Manifest
from folkmoot.store.sqlite.backup.backup import look_into, pack, proven_copy
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing.scribe import Scribe
from folkmoot.wiring import backups

AGENTS, ITEMS = 8, 20
BESIDE = ("keys", "output", "migrations", "events")  # what no fold gives, and the log itself
TABLES = "SELECT name, sql LIKE '%WITHOUT ROWID%' FROM sqlite_schema WHERE type = 'table' ORDER BY name"
Dump = dict[str, list[Any]]


def dump(path: str) -> Dump:
    """Every column of every row that folds from the log, in the order in which a table lists its rows."""
    connection = apsw.Connection(path)
    try:
        tables: list[Any] = [row for row in connection.execute(TABLES).fetchall() if row[0] not in BESIDE]
        return {name: rows_of(connection, name, "" if bare else "ORDER BY rowid") for name, bare in tables}
    finally:
        connection.close()


def rows_of(connection: apsw.Connection, table: str, order: str) -> list[dict[str, Any]]:
    names: list[Any] = [row[1] for row in connection.execute(f"PRAGMA table_info({table})").fetchall()]
    rows = [dict(zip(names, row, strict=True)) for row in connection.execute(f"SELECT * FROM {table} {order}")]
    for row in rows:
        # By what it says: whether a value is written that is the default anyway is the encoder's business.
        row.update({"doc": decode_row(table, row["doc"])} if "doc" in row else {})
    return rows


def world_of(path: Path, seed: int, steps: int) -> dict[int, Dump]:
    """Live in a world for a while; gives the board as it was after each event that ended a step."""
    chance = random.Random(seed)
    world = World(seed, [SqliteStore.create(path, durable=False)], choose_flow(chance), chance)
    seen: dict[int, Dump] = {}

    def look(*_: object) -> None:
        seq = world.store.read(lambda reading: reading.head().seq)
        if seq not in seen:
            seen[seq] = dump(str(path))

    world.on_step = look
    try:
        chaos(world, steps, AGENTS, ITEMS)
        look()
    finally:
        world.close()
    return seen


@pytest.mark.ledger("R-31")
@pytest.mark.parametrize("seed", [1, 11])
def test_the_board_after_any_event_comes_back_as_it_was_and_work_goes_on(tmp_path: Path, seed: int) -> None:
    comes_back(tmp_path, seed, 70, 3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_boards_of_many_lives_come_back_as_they_were(tmp_path: Path, seed: int) -> None:
    comes_back(tmp_path, seed, 250, 12)


def comes_back(folder: Path, seed: int, steps: int, samples: int) -> None:
    path = folder / "board.db"
    seen = world_of(path, seed, steps)
    last, chance = max(seen), random.Random(seed)
    wanted = [*chance.sample(range(20, last), samples), last]
    for number, seq in enumerate(wanted):
        new = str(folder / f"{number}.db")
        told = backups.rebuild(str(path), new, seq, "the board", end_runs=False)
        assert told.at <= seq and told.wrong == []
        assert dump(new) == seen[told.at], f"event {told.at}, asked for {seq}"
    ended = str(folder / "ended.db")
    told = backups.rebuild(str(path), ended, wanted[0], "the board")
    connection = apsw.Connection(ended)
    connection.execute("DELETE FROM keys")  # those who work on count their keys anew
    connection.close()
    store = SqliteStore.open(ended, durable=False)
    assert told.wrong == [] and store.read(lambda reading: reading.open_runs()) == []
    flow = store.read(lambda reading: reading.flow(reading.head().flow_version)).flow
    world = World(seed, [store], flow, random.Random(f"{seed}, and on"))
    try:
        live(world, 40, AGENTS, ITEMS, to_the_end=False)
    finally:
        world.close()


def test_a_cut_never_goes_through_a_command(tmp_path: Path) -> None:
    path = tmp_path / "board.db"
    world_of(path, 3, 40)
    with log.reading(str(path)) as connection:
        rows: Any = connection.execute("SELECT seq, at || ' ' || time FROM events").fetchall()
        moments: dict[int, str] = dict(rows)
        first = max(seq for seq in moments if moments[seq] == moments[1])
        for seq in moments:
            if seq < first:
                with pytest.raises(Invalid, match=f"events 1 to {first}"):
                    log.cut(connection, seq)
                continue
            found = log.cut(connection, seq)
            whole = [one for one in range(1, seq + 1) if moments.get(one + 1) != moments[one]]
            assert found == whole[-1]
        with pytest.raises(Invalid, match=f"the log ends with {max(moments)}"):
            log.cut(connection, max(moments) + 1)


def backup_of(board: Path, target: Path) -> Manifest:
    with backup.workspace(str(board.parent), "test") as folder:
        copy, seq, chain = proven_copy(str(board), folder)
        pack(str(target), Manifest(seq=seq, chain=chain.hex()), {"board.db": copy})
    return look_into(str(target))


def left_beside(board: Path) -> list[str]:
    """What is in the folder that is no part of the store."""
    return sorted(name for name in os.listdir(board.parent) if not name.startswith(board.name))


def test_a_backup_is_private_whole_and_never_replaces_a_file(board: Path) -> None:
    target = board.with_name("kept.moot")
    manifest = backup_of(board, target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert left_beside(board) == ["kept.moot"]
    before = target.read_bytes()
    with pytest.raises(Refused) as found:
        backup_of(board, target)
    assert found.value.code == "file_exists" and target.read_bytes() == before
    with tarfile.open(target) as tar:
        listed = [(entry.name, entry.mode, entry.mtime) for entry in tar]
    assert listed == [("manifest.json", 0o600, 0), ("board.db", 0o600, 0)]
    look_into(str(target), str(board.parent / "out"))
    with log.reading(str(board.parent / "out" / "board.db")) as connection:
        assert log.prove(connection, "it") == (manifest.seq, bytes.fromhex(manifest.chain))


def printed(number: int) -> Callable[[Transaction], None]:
    return lambda tx: tx.keep_output(f"r{number}", 1, "x" * 20_000)


def test_backups_are_whole_while_others_write(board: Path) -> None:
    over = threading.Event()

    def write() -> None:
        store = SqliteStore.open(board, durable=False)
        number = 0
        while not over.is_set():
            number += 1
            store.transact(printed(number))
        store.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        counts = []
        for number in range(3):
            backup_of(board, board.with_name(f"{number}.moot"))
            folder = board.parent / f"out{number}"
            look_into(str(board.with_name(f"{number}.moot")), str(folder))
            with log.reading(str(folder / "board.db")) as connection:
                counts.append(connection.execute("SELECT count(*) FROM output").get)
    finally:
        over.set()
        writer.join()
    assert counts == sorted(counts) and counts[-1] > counts[0]


def outcome(path: Path) -> dict[str, bytes] | str:
    """What is in a backup, or the code with which it is refused."""
    try:
        return content(path)
    except MootError as error:
        return error.code


def content(path: Path) -> dict[str, bytes]:
    folder = path.with_name(f"{path.name}.out")
    try:
        look_into(str(path), str(folder))
        return {name: (folder / name).read_bytes() for name in os.listdir(folder)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_no_damage_to_a_backup_goes_unseen(board: Path) -> None:
    target, chance = board.with_name("kept.moot"), random.Random(5)
    backup_of(board, target)
    good, data = content(target), target.read_bytes()
    spoilt = board.with_name("spoilt.moot")
    refused = 0
    for at in chance.sample(range(len(data)), 60):
        changed = bytearray(data)
        changed[at] ^= 1 << chance.randrange(8)
        spoilt.write_bytes(changed)
        found = outcome(spoilt)
        assert found in (good, "backup_damaged", "not_a_backup"), f"byte {at} of {len(data)}"
        refused += found != good  # a few bytes of a gzip file mean nothing
    assert refused > 50
    for size in (0, 1, 100, len(data) // 2, len(data) - 100):
        spoilt.write_bytes(data[:size])
        assert outcome(spoilt) in ("backup_damaged", "not_a_backup")


@pytest.mark.parametrize("name", ["files/../../evil", "/evil", "files//evil", "evil", "files/a\\..\\evil", "files/"])
def test_a_backup_writes_nowhere_else(board: Path, name: str) -> None:
    text, target = board.with_name("evil.txt"), board.with_name("evil.moot")
    text.write_text("evil")
    before = sorted(os.listdir(board.parent))
    with pytest.raises(Invalid) as found:  # it is read again before it gets its name
        pack(str(target), Manifest(), {"board.db": str(board), name: str(text)})
    assert found.value.code == "not_a_backup"
    assert sorted(os.listdir(board.parent)) == before


def test_what_is_no_backup_is_refused_by_name(board: Path, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="there is no file"):
        look_into(str(tmp_path / "none.moot"))
    for data in (b"", b"hello", board.read_bytes()):
        (tmp_path / "other.moot").write_bytes(data)
        with pytest.raises(Invalid) as found:
            look_into(str(tmp_path / "other.moot"))
        assert found.value.code == "not_a_backup"
    with pytest.raises(Invalid, match="Is a directory"):
        look_into(str(tmp_path))


DAMAGES = {
    "an event": "UPDATE events SET agent = 'other' WHERE seq = 5",
    "a missing event": "DELETE FROM events WHERE seq = 5",
    "a missing end": "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)",
    "an event too many": "INSERT INTO events SELECT seq + 1, at, time, name, NULL, run, agent, version, body, chain"
    " FROM events ORDER BY seq DESC LIMIT 1",
    "the head": "UPDATE board SET chain = x'00'",
    "no head": "DELETE FROM board",
    "an index": "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage ="
    " (SELECT rootpage FROM sqlite_schema WHERE name = 'edges') WHERE name = 'items_column'",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_not_backed_up(board: Path, damage: str) -> None:
    connection = apsw.Connection(str(board))
    connection.execute(DAMAGES[damage]).fetchall()
    connection.close()
    with pytest.raises(Unavailable) as found:
        backup_of(board, board.with_name("kept.moot"))
    assert found.value.code == "store_damaged" and str(board) in found.value.message
    assert "there is no backup" in found.value.hint
    assert left_beside(board) == []


def test_the_hint_names_the_newest_backup(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(board.parent)
    folder = Path(backup.backups_beside("board.db"))
    for name in ("20250101T000000000Z-9.moot", "20260101T000000000Z-3.moot", "unfinished.new"):
        (folder / name).touch()
    connection = apsw.Connection(str(board))
    connection.execute(DAMAGES["the head"])
    connection.close()
    with pytest.raises(Unavailable) as found:
        SqliteStore.open("board.db")
    assert found.value.next == [Step("restore", {"backup": "backups/20260101T000000000Z-3.moot"})]


def test_a_file_is_had_alone_or_not_at_all(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exclusive, "PATIENCE", 50)
    other = SqliteStore.open(board)
    with pytest.raises(Refused) as found, exclusive.alone(str(board)):
        pass
    assert found.value.code == "board_in_use"
    other.close()
    with exclusive.alone(str(board)), pytest.raises(Unavailable) as busy:
        SqliteStore.open(board, patience=0.05)
    assert busy.value.code == "store_busy"
    SqliteStore.open(board).close()


def test_another_content_is_put_into_the_same_file(board: Path) -> None:
    new = board.with_name("new.db")
    store = SqliteStore.create(new)
    Scribe(store, random.Random(9)).step()
    store.close()
    expected, file = dump(str(new)), board.stat().st_ino
    with exclusive.alone(str(board)) as connection:
        exclusive.put_in_place(connection, str(new))
    assert dump(str(board)) == expected and board.stat().st_ino == file
    SqliteStore.open(board).close()


def test_a_migration_can_be_undone(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    connection = apsw.Connection(str(path))
    connection.execute(Path(__file__).with_name("board_v1.sql").read_text("utf-8")).fetchall()
    connection.close()
    before = dump(str(path))
    SqliteStore.open(path).close()
    [kept] = sorted((tmp_path / "backups").glob("*.moot"))
    assert kept.name.endswith("-24-before-migration.moot")
    look_into(str(kept), str(tmp_path / "out"))
    assert dump(str(tmp_path / "out" / "board.db")) == before
    SqliteStore.open(path).close()
    assert list((tmp_path / "backups").glob("*.moot")) == [kept]


def test_a_damaged_board_is_set_aside_before_a_migration(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    connection = apsw.Connection(str(path))
    connection.execute(Path(__file__).with_name("board_v1.sql").read_text("utf-8")).fetchall()
    connection.execute("UPDATE events SET name = 'other' WHERE seq = 3")
    connection.close()
    SqliteStore.open(path, verify=False).close()
    assert list((tmp_path / "backups").glob("*.moot")) == []
    [kept] = (tmp_path / "set-aside").glob("*/old.db")
    assert apsw.Connection(str(kept)).execute("SELECT name FROM events WHERE seq = 3").get == "other"


def test_what_was_left_unfinished_long_ago_is_removed(board: Path) -> None:
    old, young = board.parent / ".test-old", board.parent / ".test-young"
    for folder in (old, young):
        folder.mkdir()
        (folder / "part").write_text("half")
    os.utime(old, (0, 0))
    backup_of(board, board.with_name("kept.moot"))
    assert not old.exists() and young.exists()


def lines_of(path: Path) -> list[bytes]:
    return list(log.export_lines(str(path)))


def test_what_is_exported_is_proven_line_by_line(board: Path) -> None:
    lines = lines_of(board)
    header, ending = json.loads(lines[0]), json.loads(lines[-1])
    assert header["format"] == "folkmoot-log" and header["head"] == ending["hash"]
    assert header["events"] == ending["count"] == len(lines) - 2
    new = board.with_name("new.db")
    assert log.copy_log(read_lines(io.BytesIO(b"".join(lines)), "it"), str(new), lambda event: None) == len(lines) - 2
    assert lines_of(new) == lines


def swap(lines: list[bytes]) -> list[bytes]:
    return [*lines[:3], lines[4], lines[3], *lines[5:]]


SPOILT: dict[str, tuple[Callable[[list[bytes]], list[bytes]], int]] = {
    "nothing": (lambda lines: [], 1),
    "no header": (lambda lines: lines[1:], 1),
    "another format": (lambda lines: [lines[0].replace(b"folkmoot-log", b"other"), *lines[1:]], 1),
    "another version": (lambda lines: [lines[0].replace(b'"version":1', b'"version":2'), *lines[1:]], 1),
    "two swapped": (swap, 4),
    "one left out": (lambda lines: [*lines[:5], *lines[6:]], 6),
    "one changed": (lambda lines: [*lines[:5], lines[5].replace(b'"agent":', b'"agent" :', 1), *lines[6:]], 0),
    "another agent": (lambda lines: [*lines[:5], lines[5].replace(b'"version":', b'"version":1', 1), *lines[6:]], 6),
    "no JSON": (lambda lines: [*lines[:5], b"{\n", *lines[6:]], 6),
    "no UTF-8": (lambda lines: [*lines[:5], b"\xff\n", *lines[6:]], 6),
    "cut off": (lambda lines: lines[:7], 8),
    "cut in a line": (lambda lines: [*lines[:7], lines[7][:40]], 8),
    "no ending": (lambda lines: lines[:-1], -1),
    "another ending": (lambda lines: [*lines[:-1], lines[-1].replace(b'"count":', b'"count":1')], -1),
    "more": (lambda lines: [*lines, b"\n"], -2),
}


@pytest.mark.parametrize("what", SPOILT)
def test_what_is_no_exported_log_is_refused_with_its_line(board: Path, what: str) -> None:
    lines = lines_of(board)
    spoil, line = SPOILT[what]
    line = line if line >= 0 else len(lines) - 1 - line  # counted from behind: -1 is the last
    source = io.BytesIO(b"".join(spoil(lines)))
    if line == 0:  # a space between the parts means nothing
        assert len(list(read_lines(source, "it"))) == len(lines) - 2
        return
    with pytest.raises(Invalid) as found:
        list(read_lines(source, "it"))
    assert found.value.code == "bad_log" and found.value.message.startswith(f"it:{line}: "), found.value.message


def test_a_log_that_changes_what_nobody_knows_does_not_fold(board: Path) -> None:
    with log.reading(str(board)) as connection:
        rows = list(log.walk(connection, "it", 3))
    fold = Fold()
    broken = [(*row[:8], '{"changes":[["planets","1",{"name":"Mars"}]]}', row[9]) for row in rows]
    with pytest.raises(Unavailable, match="event 1 changes what is not known here"):
        log.copy_log(broken, str(board.with_name("new.db")), fold.feed)
