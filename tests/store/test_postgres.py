"""What is the PostgreSQL store's own: its address, what it refuses, lost connections, wake-ups, one clock for all."""

import random
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.pq import Conninfo

from bench.board import fill
from folkmoot.core.commands import Actor, AddItem, LockPaths
from folkmoot.core.events import Event
from folkmoot.core.input_limits import checked_key, checked_name
from folkmoot.core.report import Remark, Report
from folkmoot.doors.python import Board
from folkmoot.engine.application import Application
from folkmoot.engine.engine import Engine
from folkmoot.errors import Invalid, Refused, Unavailable
from folkmoot.store.port import Transaction
from folkmoot.store.postgres import place as places
from folkmoot.store.postgres import schema
from folkmoot.store.postgres.address import read_address
from folkmoot.store.postgres.listening import ServerSignal
from folkmoot.store.postgres.session import QUERIES
from folkmoot.store.postgres.store import PostgresStore
from folkmoot.store.postgres.wire import Lost
from folkmoot.store.sql.group_commit import COMMIT
from folkmoot.store.sql.migrations import checksum
from folkmoot.store.sqlite.session import QUERIES as EMBEDDED
from folkmoot.system.clock import SystemIds
from folkmoot.testing import store_contract
from tests.postgres import Server

PERSON = Actor("ann")
PATIENCE = 60.0
ROUND_TRIPS_MAX = 10


@pytest.fixture
def address(postgres: Server) -> str:
    return postgres.board()


@pytest.fixture
def store(address: str) -> Iterator[PostgresStore]:
    store = PostgresStore.open(address)
    yield store
    store.close()


def engine_on(store: PostgresStore) -> Engine:
    return Engine(store, store.clock, SystemIds())


def add_one(tx: Transaction) -> None:
    store_contract.save_item(tx, 1, is_new=True)


def pid_of(store: PostgresStore) -> int:
    return int(store._place.wire().ask(("SELECT pg_backend_pid()", ()))[0].get)


@pytest.mark.attack(
    "limits",
    "on PostgreSQL a run names a path, or a key, in so many letters of four bytes that no index has room for it",
    "it is refused by its bytes, on every store: else no claim could hold it, and nobody would work",
)
def test_whatever_name_key_and_path_are_taken_have_room_in_the_indexes(store: PostgresStore) -> None:
    fill(store, 0)
    engine, letters = engine_on(store), random.Random(3)

    def word(size: int) -> str:
        """That nothing makes shorter."""
        return "".join(chr(letters.randrange(0x20000, 0x2A000)) for _ in range(size))

    name, key, path = word(250), word(250), "/".join(word(60) for _ in range(6)) + "/" + word(13)
    engine.lock(Actor(name), LockPaths(paths=[path], seconds=60.0), key=key)
    assert [hold.path for hold in store.read(lambda reading: reading.holds(0.0))] == [path]
    with pytest.raises(Invalid) as told:
        checked_name(name + "a")
    assert told.value.code == "bad_name"
    with pytest.raises(Invalid) as told:
        checked_key(key + "a")
    assert told.value.code == "bad_key"
    with pytest.raises(Invalid) as told:
        engine.lock(PERSON, LockPaths(paths=[path + word(20)], seconds=60.0))
    assert told.value.code == "bad_path"


def test_an_address_is_told_without_its_password() -> None:
    found = read_address("postgresql://ann:s%3Acret@db.example:6000/team?sslmode=require&password=other&schema=two")
    assert found.shown == "postgresql://ann@db.example:6000/team?sslmode=require&schema=two"
    assert found.has_password and found.schema == "two"
    assert "cret" in found.connect and "schema" not in found.connect


def test_no_parameter_is_told_that_libpq_holds_secret() -> None:
    """By the word of the libpq that is installed, and those that it takes for its own inner use alone."""
    known = {one.keyword.decode(): one.dispchar for one in Conninfo.get_defaults()}
    secret = {name for name, shown in known.items() if shown == b"*"} | {"scram_client_key", "scram_server_key"}
    assert {"password", "sslpassword"} <= secret
    for name in secret:
        found = read_address(f"postgresql://ann@host/team?{name}=hidden&sslmode=require")
        assert found.shown == "postgresql://ann@host/team?sslmode=require" and found.has_password
    kept = {"sslkey", "sslcert", "options", "requirepeer", "require_auth", "krbsrvname", "target_session_attrs"}
    for name in kept:
        assert f"{name}=x" in read_address(f"postgresql://ann@host/team?{name}=x").shown


@pytest.mark.parametrize(
    "wrong", ["schema=Two", "schema=a;b", "schema=", "schema=pg_x", "durable=maybe", "p%61ssword=x"]
)
def test_an_address_that_means_nothing_is_asked_back(wrong: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_address(f"postgresql://ann:secret@host/team?{wrong}")
    assert refused.value.code == "bad_board_address" and "secret" not in str(refused.value)


@pytest.mark.parametrize("wrong", ["nonsense=secret", "sslmode=%secret"])
def test_a_parameter_that_libpq_does_not_know_is_asked_back(wrong: str) -> None:
    with pytest.raises(Invalid) as refused:
        PostgresStore.open(f"postgresql://ann:secret@127.0.0.1:1/team?{wrong}")
    assert refused.value.code == "bad_board_address" and "secret" not in str(refused.value)


def test_a_password_is_in_no_error(postgres: Server) -> None:
    for place in (f"127.0.0.1:{postgres.port}/none", "127.0.0.1:1/none"):
        with pytest.raises(Unavailable) as refused:
            PostgresStore.open(f"postgresql://nobody:secret@{place}")
        assert "secret" not in str(refused.value) + repr(refused.value.details) + refused.value.remedy


def test_a_server_that_does_not_write_through_is_refused(address: str) -> None:
    with pytest.raises(Unavailable, match="fsync and full_page_writes and synchronous_commit off") as refused:
        PostgresStore.open(address.replace("durable=no", "durable=yes"))
    assert refused.value.code == "store_unfit"


def test_a_user_who_may_not_wait_for_the_disk_is_refused(address: str, postgres: Server) -> None:
    database = address.partition("?")[0].rpartition("/")[2]
    function = "FUNCTION pg_logical_emit_message(boolean, text, text)"
    postgres.execute("CREATE ROLE hasty LOGIN", database)
    postgres.execute(f"REVOKE EXECUTE ON {function} FROM public", database)
    with pytest.raises(Unavailable) as told:
        PostgresStore.open(address.replace("postgres@", "hasty@"))
    assert told.value.code == "store_unfit" and "pg_logical_emit_message" in told.value.hint


def test_a_database_without_a_board_is_told_so_and_one_with_a_board_gets_no_second(postgres: Server) -> None:
    address = postgres.database()
    with pytest.raises(Unavailable) as missing:
        PostgresStore.open(address)
    assert missing.value.code == "store_missing"
    PostgresStore.create(address).close()
    with pytest.raises(Refused) as twice:
        PostgresStore.create(address)
    assert twice.value.code == "board_exists"


def test_a_database_may_have_several_boards(address: str, store: PostgresStore) -> None:
    store.transact(add_one)
    other = PostgresStore.create(f"{address}&schema=other")
    assert other.read(lambda reading: reading.items()) == []
    other.transact(add_one)
    assert other.read(lambda reading: reading.head().seq) == 1
    other.close()


def test_a_newer_board_is_refused_also_while_it_is_open(
    address: str, store: PostgresStore, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = schema.known_migrations()
    text = "CREATE TABLE later (id integer);\n"
    with monkeypatch.context() as patch:
        patch.setattr(schema, "known_migrations", lambda: {**known, 2: ("0002_later", text)})
        PostgresStore.open(address).close()
    for attempt in (lambda: store.transact(add_one), lambda: PostgresStore.open(address)):
        with pytest.raises(Unavailable) as refused:
            attempt()
        assert refused.value.code == "store_newer"
    database = address.partition("?")[0].rpartition("/")[2]
    kept = postgres.execute("SELECT checksum FROM moot.migrations WHERE number = 2", database)
    assert kept == [(checksum(text),)]


def test_the_two_dialects_have_the_same_verbs() -> None:
    """What only one of them has is how its transactions begin."""
    own = {"begin_read", "begin_write", "lock", "settings", "opening", "on_disk", "notify", "item_of_run"}
    assert QUERIES.keys() - EMBEDDED.keys() == own - {"begin_read", "begin_write"}
    assert EMBEDDED.keys() - QUERIES.keys() == {"schema"}


def test_a_claim_and_its_report_take_few_round_trips(store: PostgresStore) -> None:
    fill(store, 5)
    board = Board(Application(engine_on(store), "trial", []))
    report = Report(outcome="done", summary="done", comments=[Remark(content="a note")])
    board.claim("dev-agent").report(report)  # the first of each statement is prepared
    before = store.round_trips
    board.claim("dev-agent").report(report)
    assert store.round_trips - before <= ROUND_TRIPS_MAX


def test_a_connection_that_is_lost_inside_a_work_is_made_again(store: PostgresStore, postgres: Server) -> None:
    pids: list[int] = []

    def work(tx: Transaction) -> None:
        pids.append(pid_of(store))
        if len(pids) == 1:
            postgres.execute(f"SELECT pg_terminate_backend({pids[0]})")
        tx.items()
        add_one(tx)

    store.transact(work)
    assert len(set(pids)) == 2
    assert store.read(lambda reading: reading.head().seq) == 1


@pytest.mark.parametrize("carried_out", [True, False])
def test_a_connection_that_is_lost_at_the_commit_is_resolved_by_the_log(
    store: PostgresStore, postgres: Server, monkeypatch: pytest.MonkeyPatch, carried_out: bool
) -> None:
    """Whether the server made the commit or not, the change is there once."""
    done: list[int] = []
    wire = store._place.wire()
    ask = wire.ask

    def cut(*asked: Any, **more: Any) -> Any:
        if asked == ((COMMIT, ()),):
            if carried_out:
                ask(*asked, **more)
            wire.close()
            raise Lost("cut off")
        return ask(*asked, **more)

    monkeypatch.setattr(wire, "ask", cut)

    def work(tx: Transaction) -> None:
        done.append(1)
        add_one(tx)

    store.transact(work)
    assert len(done) == (1 if carried_out else 2)
    assert store.read(lambda reading: [event.seq for event in reading.events(0)]) == [1]
    assert store.broken_links() == []


def test_an_outcome_that_nobody_can_tell_is_named(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    wire = store._place.wire()
    ask = wire.ask

    def cut(*asked: Any, **more: Any) -> Any:
        if asked == ((COMMIT, ()),):
            wire.close()
            monkeypatch.setattr(store._place, "reconnect", away)
            raise Lost("cut off")
        return ask(*asked, **more)

    def away() -> None:
        raise Lost("nobody answers")

    monkeypatch.setattr(wire, "ask", cut)
    with pytest.raises(Unavailable) as unknown:
        store.transact(add_one)
    assert unknown.value.code == "outcome_unknown"


def test_who_waits_too_long_for_the_others_is_told(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "LOCK", "100ms")
    store, other = PostgresStore.open(address), PostgresStore.open(address)

    def hold(tx: Transaction) -> None:
        with pytest.raises(Unavailable) as busy:
            other.transact(add_one)
        assert busy.value.code == "store_busy"
        with pytest.raises(Unavailable):
            other.try_write(0.1)

    store.transact(hold)
    other.transact(add_one)
    store.close()
    other.close()


def test_a_pooler_that_forgets_what_was_prepared_does_no_harm(store: PostgresStore) -> None:
    """In transaction mode the next transaction may run on another server connection."""
    store.transact(add_one)
    store._place.wire().ask(("DEALLOCATE ALL", ()))
    store.transact(lambda tx: store_contract.save_item(tx, 2, is_new=False))
    assert store.read(lambda reading: reading.head().seq) == 2
    assert not store._place.prepares


def test_nothing_of_a_transaction_stays_in_the_connection(store: PostgresStore) -> None:
    store.transact(add_one)
    show = "SELECT current_setting('search_path'), current_setting('lock_timeout')"
    assert store._place.wire().ask((show, ()))[0].get == ('"$user", public', "0")
    locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
    assert store._place.wire().ask((locks, ()))[0].get == 0


def test_works_of_many_threads_share_commits_and_one_that_fails_takes_none_with_it(store: PostgresStore) -> None:
    fill(store, 0)
    engine, kept = engine_on(store), []

    def adds(number: int) -> None:
        for step in range(6):
            if step % 3 == 2:
                with pytest.raises(Refused):
                    store.transact(twice)
            else:
                kept.append(engine.add(PERSON, AddItem(title=f"{number} {step}")).id)

    def twice(tx: Transaction) -> None:
        """Its statement is refused by the server, behind others in the same commit."""
        event = Event(name="item_added", item="1", version=1)
        tx.save([event], [], {})
        tx.items()

    engine.add(PERSON, AddItem(title="the first"))
    threads = [threading.Thread(target=adds, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    found = store.read(lambda reading: [item.id for item in reading.items() if item.id != "1"])
    assert sorted(found) == sorted(kept) and len(set(kept)) == 24
    assert store.broken_links() == []


def test_what_one_machine_writes_wakes_those_who_wait_on_another(address: str) -> None:
    store, other = PostgresStore.open(address), PostgresStore.open(address)
    heard = threading.Event()
    signal = ServerSignal(read_address(address), heard.set)
    signal.listen()
    assert heard.wait(PATIENCE)  # it rings when it begins, for it may have missed something
    seen = signal.count
    heard.clear()
    other.transact(add_one)
    assert heard.wait(PATIENCE) and signal.wait(seen, PATIENCE) > seen
    signal.close()
    store.close()
    other.close()


def test_a_listener_that_was_cut_off_listens_again(address: str, postgres: Server) -> None:
    store = PostgresStore.open(address)
    heard = threading.Event()
    signal = ServerSignal(read_address(address), heard.set)
    signal.listen()
    assert heard.wait(PATIENCE)
    heard.clear()
    postgres.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    assert heard.wait(PATIENCE)
    heard.clear()
    store.transact(add_one)
    assert heard.wait(PATIENCE)
    signal.close()
    store.close()


def test_all_machines_go_by_the_servers_clock(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One whose own clock is an hour wrong counts as the others do."""
    store, other = PostgresStore.open(address), PostgresStore.open(address)
    other.clock._ahead += 3600.0
    for one in (store, other):
        one.read(lambda reading: reading.head())
    assert abs(store.clock.boot()[1] - other.clock.boot()[1]) < PATIENCE
    store.close()
    other.close()


def test_what_agents_print_may_hold_any_character(store: PostgresStore) -> None:
    text = 'a\0b "c" \\ \U0001f600\n'
    store.transact(lambda tx: tx.keep_output("r", 1, text, 5))
    assert store.read(lambda reading: reading.output("r")) == [(1, text)]
    assert store.read(lambda reading: reading.last_output("r", 9, 1)) == [(text, 5)]


def test_every_statement_can_be_prepared_and_says_why(address: str) -> None:
    from folkmoot.store.postgres import session

    text = (session.__file__.rpartition("/")[0]) + "/queries.sql"
    with open(text, encoding="utf-8") as file:
        parts = file.read().split("-- name: ")[1:]
    assert all(part.split("\n", 2)[1].startswith("-- ") for part in parts)
    place = read_address(address)
    with psycopg.connect(place.connect, autocommit=True) as connection:
        connection.execute("SET search_path = moot")
        for name, statement in QUERIES.items():
            if not statement.startswith("BEGIN"):
                connection.execute(f"PREPARE q_{name} AS {statement}".encode())
