"""Eight writers, a server that crashes, and a reader by cursor: no event is missed, doubled or out of order (F12)."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from folkmoot.errors import Unavailable
from folkmoot.store.postgres.store import PostgresStore
from tests.faults.witness import saw
from tests.postgres import Server

POURER = Path(__file__).with_name("pourer.py")
WRITERS, PAGE = 8, 5000
PATIENCE = 3600.0


class Reader:
    """Takes the log page by page, and proves each event before it takes the next."""

    def __init__(self, address: str) -> None:
        self.seq = 0
        self.next_of: Counter[str] = Counter()
        self._store = PostgresStore.open(address)

    def take(self) -> int:
        with suppress(Unavailable):
            page = self._store.read(lambda reading: reading.events(self.seq, limit=PAGE))
            for event in page:
                who = event.context["by"]
                assert event.seq == self.seq + 1, "in order, and without a gap"
                assert event.context["n"] == self.next_of[who], f"of {who} each once, and in order"
                self.seq = event.seq
                self.next_of[who] += 1
            return len(page)
        return 0

    def close(self) -> None:
        assert self._store.broken_links() == []
        self._store.close()


def pour(batches: int, each: int, crashes: int) -> dict[str, int]:
    try:
        server = Server(durable=True, settings=("max_wal_size=2GB",))
    except (OSError, RuntimeError, KeyError, subprocess.CalledProcessError) as fault:
        pytest.skip(f"no PostgreSQL server can be started here: {str(fault)[:200]}")
    writers: list[subprocess.Popen[bytes]] = []
    try:
        address = server.database()
        PostgresStore.create(address).close()
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        for name in range(WRITERS):
            command = [sys.executable, str(POURER), address, f"w{name}", str(batches), str(each)]
            writers.append(subprocess.Popen(command, env=env))
        reader, total = Reader(address), WRITERS * batches * each
        until, left = time.monotonic() + PATIENCE, crashes
        while reader.seq < total and time.monotonic() < until:
            if not reader.take():
                time.sleep(0.005)
            if left and reader.seq >= total * (crashes - left + 1) // (crashes + 1):
                server.kill() if left % 2 else server.stop(signal.SIGQUIT)
                server.start()
                left -= 1
        assert [writer.wait(60) for writer in writers] == [0] * WRITERS
        assert not reader.take() and reader.seq == total and left == 0
        reader.close()
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
        server.remove()
    return {"events": total, "crashes": crashes}


WHOLE = "0 events missed, doubled or out of order for a reader by cursor"


def test_a_reader_misses_no_event_of_eight_writers() -> None:
    saw("F12", "eight writers", WHOLE, **pour(4, 250, 1))


@pytest.mark.slow
def test_a_reader_misses_none_of_a_million_events() -> None:
    saw("F12", "eight writers", WHOLE, **pour(500, 250, 12))
