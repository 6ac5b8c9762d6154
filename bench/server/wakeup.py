"""How soon a host that waits for an item has claimed what another host added, beside a bare NOTIFY between the two.

The hosts are network namespaces, and the server is on a third: nothing but the network is between them. Where there can
be no such hosts they are processes that meet on the loopback, and the table says so.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import psycopg

from bench.wakeup import CLAIMER, HERE, ROUNDS, Process, claims_at_once, milliseconds, shown
from folkmoot import Board
from folkmoot.wiring.boards import FileBoards

CHANNEL = "bare"


class BareListener(Process):
    """Hears a NOTIFY and nothing else."""

    def __init__(self, connect: str) -> None:
        command = [sys.executable, "-m", "bench.server.wakeup", connect]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE)
        assert self.process.stdout is not None
        self._said = self.process.stdout


@contextmanager
def places() -> Iterator[tuple[Any, list[Any]]]:
    """A server, and two hosts beside it; no hosts where none can be made."""
    from tests.networks import Network, NoNetworks
    from tests.postgres import Server

    try:
        net = Network()
    except NoNetworks:
        server = Server(durable=True)
        try:
            yield server, []
        finally:
            server.remove()
        return
    try:
        server = Server(durable=True, on=net.host())
        try:
            yield server, [net.host(), net.host()]
        finally:
            server.remove()
    finally:
        net.close()


def inside(hosts: list[Any], number: int) -> AbstractContextManager[None]:
    place: AbstractContextManager[None] = hosts[number].inside() if hosts else nullcontext()
    return place


def run() -> dict[str, object]:
    with places() as (server, hosts), tempfile.TemporaryDirectory(prefix="moot-bench-") as name:
        host = server.on.address if hosts else "127.0.0.1"
        database = server.database().partition("?")[0].rpartition("/")[2]
        address, connect = server.address(database, host), server.connect(database, host)
        folders = [Path(name) / one for one in ("adds", "claims")]
        for number, folder in enumerate(folders):
            folder.mkdir()
            with inside(hosts, number):
                FileBoards().create(str(folder), "kanban", None, address).close()
        with inside(hosts, 1):
            waiter, bare = Process(CLAIMER, str(folders[1])), BareListener(connect)
        with inside(hosts, 0):
            with psycopg.connect(connect, autocommit=True) as teller:
                heard = milliseconds(bare, lambda: tell(teller))
            with Board.open(str(folders[0])) as board:
                woken = milliseconds(waiter, lambda: add(board))
                alone = claims_at_once(board)
        for process in (waiter.process, bare.process):
            process.wait(60)
    where = "between hosts" if hosts else "between processes on the loopback (no hosts could be made)"
    return {
        f"{where}, add committed → claim committed, p50 / p99 ms (goal p99 ≤ 10)": shown(woken),
        f"{where}, a bare NOTIFY, p50 / p99 ms": shown(heard),
        "a claim where nobody need wait, p50 / p99 ms": shown(alone),
    }


def add(board: Board) -> None:
    board.add("one", column="dev")


def tell(connection: "psycopg.Connection[Any]") -> None:
    connection.execute(f"NOTIFY {CHANNEL}")


def listen(connect: str) -> None:
    with psycopg.connect(connect, autocommit=True) as connection:
        connection.execute(f"LISTEN {CHANNEL}")
        for _ in range(ROUNDS):
            print("waits", flush=True)
            next(connection.notifies(stop_after=1))
            print(time.monotonic_ns(), flush=True)


if __name__ == "__main__":
    if sys.argv[1:]:
        listen(sys.argv[1])
    else:
        for what, value in run().items():
            print(f"{what:<90} {value}")
