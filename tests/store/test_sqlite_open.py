"""What is no board, not whole, or not ours to write is refused by name, and its bytes stay as they are."""

import os
import random
import shutil
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from folkmoot.errors import Unavailable
from folkmoot.store.port import Transaction
from folkmoot.store.sqlite import create, faults, preflight
from folkmoot.store.sqlite.migrate import known_migrations, migrate
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing import store_contract
from folkmoot.testing.scribe import Scribe


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """A board with a short history, closed."""
    path = tmp_path / "board.db"
    store = SqliteStore.create(path, durable=False)
    scribe = Scribe(store, random.Random(1))
    for _ in range(30):
        scribe.step()
    store.close()
    return path


def refusal(path: Path, **how: Any) -> Unavailable:
    """Open it, be refused, and see that nothing has changed."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(Unavailable) as found:
        SqliteStore.open(path, **how)
    after = path.read_bytes() if path.is_file() else None
    assert before == after
    assert str(path) in found.value.message and found.value.hint
    return found.value


def edit(path: Path, statement: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(statement).fetchall()
    connection.close()


def test_a_missing_file(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.db").code == "store_missing"
    assert refusal(tmp_path / "none" / "none.db").code == "store_missing"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("content", [b"", b"x", b"hello, this is a text\n" * 50, b"SQLite format 3\0"])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "board.db").write_bytes(content)
    assert refusal(tmp_path / "board.db").code == "not_a_board"
    assert os.listdir(tmp_path) == ["board.db"]


def test_a_directory(tmp_path: Path) -> None:
    assert refusal(tmp_path).code == "not_a_board"


def test_the_database_of_another_program(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE t (x)")
    other.commit()
    other.close()
    assert refusal(tmp_path / "other.db").code == "not_a_board"
    assert os.listdir(tmp_path) == ["other.db"]


def test_a_newer_schema(board: Path) -> None:
    edit(board, "INSERT INTO migrations VALUES (9999, '9999_later', 'abc')")
    assert refusal(board).code == "store_newer"


def test_another_history(board: Path) -> None:
    edit(board, "UPDATE migrations SET checksum = 'abc'")
    assert refusal(board).code == "store_differs"


def test_a_damaged_page(board: Path) -> None:
    content = bytearray(board.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    board.write_bytes(content)
    assert refusal(board).code == "store_damaged"


def test_a_file_cut_short(board: Path) -> None:
    content = board.read_bytes()
    board.write_bytes(content[: len(content) // 3])
    assert refusal(board).code == "store_damaged"


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE board SET seq = seq + 1",
        "UPDATE board SET chain = x'00'",
        "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)",
        "UPDATE events SET name = 'other' WHERE seq = (SELECT max(seq) FROM events)",
    ],
)
def test_a_head_and_a_log_that_do_not_fit(board: Path, harm: str) -> None:
    edit(board, harm)
    assert refusal(board).code == "store_damaged"
    doctored = SqliteStore.open(board, verify=False)
    assert doctored.broken_links()
    doctored.close()


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ("DELETE FROM events WHERE seq = 5", "event 5 is missing"),
        ("UPDATE events SET time = time + 1 WHERE seq = 5", "event 5 is not what was written"),
        ("UPDATE events SET body = '{}' WHERE seq = 5", "event 5 is not what was written"),
        ("UPDATE events SET agent = CAST(x'ff' AS TEXT) WHERE seq = 5", "event 5 cannot be read"),
        ("UPDATE board SET time = time + 1", "the head's time"),
    ],
)
def test_the_whole_log_is_proven(board: Path, harm: str, words: str) -> None:
    edit(board, harm)
    store = SqliteStore.open(board, verify=False)
    found = store.broken_links()
    assert words in found[0], found
    store.close()


def everything_read(path: Path) -> object:
    """What a reader of the log gets, or why it gets nothing."""
    try:
        store = SqliteStore.open(path, durable=False, verify=False)
    except Unavailable as error:
        return error.code
    try:
        return store.read(lambda reading: (reading.head(), reading.events(0, limit=100_000)))
    except Unavailable as error:
        return error.code
    finally:
        store.close()


def test_flipped_bits_are_found(board: Path, tmp_path: Path) -> None:
    """SQLite's own check finds few of them; what changes the log must break the chain."""
    whole = everything_read(board)
    content = board.read_bytes()
    chance = random.Random(7)
    pages = event_pages(board)
    copy = tmp_path / "copy.db"
    changed = 0
    for _ in range(300):
        flipped = bytearray(content)
        place = chance.choice(pages) * 4096 + chance.randrange(4096)
        flipped[place] ^= 1 << chance.randrange(8)
        copy.write_bytes(flipped)
        if everything_read(copy) == whole:
            continue
        changed += 1
        assert broken(copy), f"a flipped bit at {place} was read and not found"
    assert changed > 30


def event_pages(path: Path) -> list[int]:
    connection = apsw.Connection(str(path))
    found: Any = connection.execute("SELECT pageno FROM dbstat WHERE name = 'events'").fetchall()
    connection.close()
    return [number - 1 for (number,) in found]


def broken(path: Path) -> bool:
    try:
        store = SqliteStore.open(path, durable=False, verify=False)
    except Unavailable as error:
        return error.code == "store_damaged"
    found = store.broken_links()
    store.close()
    return bool(found)


def test_a_new_board_is_whole_and_private(tmp_path: Path) -> None:
    store = SqliteStore.create(tmp_path / "board.db")
    store.transact(lambda tx: store_contract.save_item(tx, 1, is_new=True))
    for name in os.listdir(tmp_path):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600, name
    assert sorted(os.listdir(tmp_path)) == ["board.db", "board.db-gate", "board.db-shm", "board.db-wal"]
    settings = {name: store._connection.pragma(name) for name in ("journal_mode", "synchronous", "trusted_schema")}
    assert settings == {"journal_mode": "wal", "synchronous": 2, "trusted_schema": 0}
    store.close()
    store.close()
    with pytest.raises(Unavailable, match="was closed"):
        store.read(lambda reading: reading.head())


def test_create_never_replaces(board: Path, tmp_path: Path) -> None:
    before = board.read_bytes()
    with pytest.raises(Unavailable) as found:
        SqliteStore.create(board)
    assert found.value.code == "store_exists" and board.read_bytes() == before
    for part in ("-wal", "-journal"):
        (tmp_path / f"new.db{part}").write_bytes(b"left behind")
        with pytest.raises(Unavailable, match=rf"new\.db{part} exists"):
            SqliteStore.create(tmp_path / "new.db")
        assert [path.name for path in tmp_path.glob("new*")] == [f"new.db{part}"]
        (tmp_path / f"new.db{part}").unlink()
    with pytest.raises(Unavailable, match="no folder"):
        SqliteStore.create(tmp_path / "none" / "board.db")


def test_what_comes_while_a_board_is_made_is_not_played_into_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = create.build

    def meanwhile(path: str) -> None:
        build(path)
        (tmp_path / "new.db-journal").write_bytes(b"left behind")

    monkeypatch.setattr(create, "build", meanwhile)
    with pytest.raises(Unavailable, match=r"new\.db-journal exists"):
        SqliteStore.create(tmp_path / "new.db")
    assert os.listdir(tmp_path) == ["new.db-journal"]


def test_a_migration_that_fails_leaves_nothing(tmp_path: Path) -> None:
    folder, here = tmp_path / "migrations", str(tmp_path / "here")
    folder.mkdir()
    (folder / "0001_a.sql").write_text("CREATE TABLE a (x) STRICT; CREATE TABLE a (x) STRICT;", "utf-8")
    connection = apsw.Connection(":memory:")
    with pytest.raises(apsw.SQLError):
        migrate(connection, here, str(folder))
    assert connection.execute("SELECT count(*) FROM sqlite_schema").get == 0
    (folder / "0001_a.sql").write_text("CREATE TABLE a (x TEXT) STRICT;", "utf-8")
    migrate(connection, here, str(folder))
    (folder / "0002_b.sql").write_text("ALTER TABLE a ADD COLUMN y TEXT;", "utf-8")
    migrate(connection, here, str(folder))
    migrate(connection, here, str(folder))
    assert connection.execute("SELECT group_concat(number || name) FROM migrations").get == "10001_a,20002_b"
    (folder / "0001_a.sql").write_text("CREATE TABLE a (x TEXT) STRICT; -- changed", "utf-8")
    with pytest.raises(Unavailable, match="another migration 1"):
        migrate(connection, here, str(folder))


def test_migrations_are_numbered_from_one() -> None:
    known = known_migrations()
    assert list(known) == list(range(1, len(known) + 1))


def test_a_forked_child_may_not_use_it(board: Path) -> None:
    store = SqliteStore.open(board)
    child = os.fork()
    if child == 0:  # nothing of pytest may run on in the child
        code = 1
        try:
            store.read(lambda reading: reading.head())
        except Unavailable as error:
            store.close()
            code = 0 if error.code == "forked" else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.read(lambda reading: reading.head()).seq > 0
    assert store.broken_links() == []
    store.close()


def test_another_program_holds_the_lock(board: Path) -> None:
    store = SqliteStore.open(board, patience=0.2)
    other = apsw.Connection(str(board))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable) as found:
        store.transact(lambda tx: tx.head())
    assert found.value.code == "store_busy"
    assert store.read(lambda reading: reading.head()).seq > 0
    other.execute("ROLLBACK")
    assert store.transact(lambda tx: tx.head()).seq > 0
    other.close()
    store.close()


def test_a_neighbour_that_is_stuck_does_not_stop_us(board: Path) -> None:
    """The gate is a courtesy: who holds it and no lock delays the others, no more."""
    store, other = SqliteStore.open(board, patience=0.2), SqliteStore.open(board, patience=0.2)
    assert other._lock is not None and other._lock.enter(0)
    assert store.transact(lambda tx: tx.head()).seq > 0
    other._lock.leave()
    assert store.transact(lambda tx: tx.head()).seq > 0
    seen = other.transact(lambda tx: _busy_code(store))
    assert seen == "store_busy"
    store.close()
    other.close()


def _busy_code(store: SqliteStore) -> str:
    with pytest.raises(Unavailable) as found:
        store.transact(lambda tx: tx.head())
    return found.value.code


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="this system does not show its locks")
def test_opening_twice_keeps_the_locks_of_the_first(board: Path) -> None:
    """Closing any file of a database drops this process's locks on it; reading the header must not."""
    first = SqliteStore.open(board)
    assert locks(board)
    preflight.check_file(str(board))
    second = SqliteStore.open(board)
    second.close()
    assert locks(board)
    first.close()
    assert not locks(board)


def locks(path: Path) -> list[str]:
    ours = (f" {os.getpid()} ", f":{path.stat().st_ino} ")
    return [line for line in Path("/proc/locks").read_text("utf-8").splitlines() if all(part in line for part in ours)]


@pytest.mark.parametrize(
    ("kind", "code"),
    [("nfs4", "network_file_system"), ("cifs", "network_file_system"), ("9p", "network_file_system"), ("ext4", None)],
)
def test_network_file_systems(kind: str, code: str | None) -> None:
    mounts = (
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        f"40 22 0:40 / /mnt/my\\040share rw,relatime shared:2 - {kind} server:/x rw\n"
        "41 22 0:41 / /mnt/my\\040shares rw - ext4 /dev/sdb rw\n"
    )
    path = "/mnt/my share/board.db"
    assert preflight.file_system(path, mounts) == kind
    if code is None:
        assert preflight.check_mount(path, mounts) == []
        return
    with pytest.raises(Unavailable, match="network file system") as found:
        preflight.check_mount(path, mounts)
    assert found.value.code == code
    assert preflight.check_mount("/mnt/my shares/board.db", mounts) == []
    assert preflight.check_mount("/elsewhere/board.db", mounts) == []


def test_an_overlay_is_only_warned_about() -> None:
    mounts = "1 0 0:1 / / rw - overlay overlay rw\n2 1 0:2 / /data rw - ext4 /dev/sda rw\n"
    assert "volume" in preflight.check_mount("/app/board.db", mounts)[0]
    assert preflight.check_mount("/data/board.db", mounts) == []
    assert preflight.check_mount("/data/board.db", "") == []


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (apsw.FullError("full"), "store_full"),
        (apsw.BusyError("busy"), "store_busy"),
        (apsw.ReadOnlyError("ro"), "store_read_only"),
        (apsw.CantOpenError("cannot"), "store_read_only"),
        (apsw.CorruptError("bad"), "store_damaged"),
        (apsw.NotADBError("bad"), "store_damaged"),
        (apsw.IOError("fsync"), "store_failed"),
        (apsw.ConstraintError("unique"), "conflict"),
    ],
)
def test_what_sqlite_says_in_our_words(fault: apsw.Error, code: str) -> None:
    error = faults.translate(fault, "here.db")
    assert error.code == code and "here.db" in error.message and error.hint


def test_after_a_failed_fsync_the_connection_is_not_used_again(board: Path) -> None:
    store = SqliteStore.open(board)
    execute = store._execute

    def failing(statement: str, *values: Any) -> Any:
        if statement == "COMMIT":
            # SQLite rolls back by itself then, so that a ROLLBACK would fail too.
            execute("ROLLBACK")
            raise apsw.IOError("IOError: disk I/O error")
        return execute(statement, *values)

    store._execute = failing
    with pytest.raises(Unavailable) as found:
        store.transact(lambda tx: tx.head())
    assert found.value.code == "store_failed"
    store._execute = execute
    with pytest.raises(Unavailable, match="failed earlier"):
        store.read(lambda reading: reading.head())
    store.close()
    again = SqliteStore.open(board)
    assert again.broken_links() == []
    again.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    if os.geteuid() != 0 or mount is None:
        pytest.skip("a full disk needs a small tmpfs, and mounting one needs root")
    made = subprocess.run([mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, text=True)
    if made.returncode != 0:
        pytest.skip(f"a full disk needs a small tmpfs: {made.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_named_and_got_over(small_disk: Path) -> None:
    store = SqliteStore.create(small_disk / "board.db")
    store.transact(lambda tx: store_contract.save_item(tx, 1, is_new=True))
    filler = small_disk / "filler"
    fill(filler)
    acknowledged = [1]

    def write() -> int:
        def work(tx: Transaction) -> int:
            store_contract.save_item(tx, store_contract.known(tx).version + 1, is_new=False)
            return tx.head().seq

        acknowledged.append(store.transact(work))
        return acknowledged[-1]

    with pytest.raises(Unavailable) as found:
        [write() for _ in range(10_000)]
    assert found.value.code == "store_full"
    seq = store.read(lambda reading: reading.head()).seq
    assert seq == acknowledged[-1], "reads go on, and what was acknowledged is there"
    filler.unlink()
    assert write() == seq + 1
    assert store.broken_links() == []
    store.close()


def test_a_disk_too_full_to_keep_a_board_before_its_migration(small_disk: Path) -> None:
    path, filler = small_disk / "board.db", small_disk / "filler"
    connection = apsw.Connection(str(path))
    connection.execute(Path(__file__).with_name("board_v1.sql").read_text("utf-8")).fetchall()
    connection.close()
    before = path.read_bytes()[100:]
    fill(filler)
    codes = []
    while filler.stat().st_size:
        try:
            SqliteStore.open(path).close()
        except Unavailable as fault:
            codes.append(fault.code)
            assert path.read_bytes()[100:] == before and not list(small_disk.glob("backups/*.moot"))
            os.truncate(filler, max(filler.stat().st_size - 32_768, 0))
        else:
            break
    assert set(codes) == {"store_full"} and len(codes) > 5
    assert len(list(small_disk.glob("backups/*.moot"))) == 1


def fill(path: Path) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    with pytest.raises(OSError, match="No space"):
        [os.write(file, b"\0" * 4096) for _ in range(10_000)]
    os.close(file)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_without_write_rights(board: Path) -> None:
    board.chmod(0o400)
    assert refusal(board).code == "store_read_only"


def test_what_a_closed_board_leaves_beside_it_is_in_nobodys_way(tmp_path: Path) -> None:
    path = tmp_path / "board.db"
    SqliteStore.create(path).close()
    path.unlink()
    assert (tmp_path / "board.db-wal").read_bytes() == b""
    store = SqliteStore.create(path)
    assert store.broken_links() == [] and store.read(lambda reading: reading.head().seq) == 0
    store.close()
