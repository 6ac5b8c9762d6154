"""Claim and report over HTTP by eight clients, beside one caller in this process; and events to many subscribers."""

import http.client
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.board import make_board
from folkmoot import Board
from folkmoot.core.report import Report

CLIENTS = 8
CYCLES = 60  # of each client
SUBSCRIBERS = 100
EVENTS = 200
ROUNDS = 3
AGENT = "dev-agent"


class Connection(http.client.HTTPConnection):
    def connect(self) -> None:
        super().connect()
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class Client:
    """One connection that is kept, as any client of HTTP has."""

    def __init__(self, host: str, token: str) -> None:
        self._connection, self._token = Connection(host, timeout=60), token

    def post(self, call: str, body: object, token: str | None = None) -> dict[str, object]:
        headers = {"Authorization": f"Bearer {token or self._token}", "Content-Type": "application/json"}
        self._connection.request("POST", f"/v1/{call}", json.dumps(body), headers)
        answer = self._connection.getresponse()
        data = answer.read()
        assert answer.status == 200, data
        told: dict[str, object] = json.loads(data)
        return told

    def cycles(self, count: int) -> None:
        for _ in range(count):
            claim = self.post("claim", {"agent": AGENT, "lease": 60, "show": False})
            self.post("report", {"report": {"outcome": "done", "summary": "done"}}, str(claim["bearer"]))

    def close(self) -> None:
        self._connection.close()


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """Where it listens, and the owner's token, whose rate is never reached here."""
    moot = str(Path(sys.executable).with_name("moot"))
    command = [moot, "serve", "--port", "0", "--json", "--no-gates"]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        told = json.loads(server.stdout.readline())
        yield told["address"].partition("//")[2], Path(told["token_file"]).read_text().strip()
    finally:
        server.terminate()
        server.wait()


@contextmanager
def _board(items: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        place = Path(folder)
        (place / ".moot").mkdir(mode=0o700)
        make_board(place / ".moot" / "board.db", items)
        yield place


def in_process(folder: Path, count: int) -> float:
    """Cycles in a second of one caller."""
    with Board.open(str(folder)) as board:
        report = Report.done("done")
        began = time.perf_counter()
        for _ in range(count):
            board.claim(AGENT, lease=60).report(report)
        return count / (time.perf_counter() - began)


def over_http(host: str, token: str) -> float:
    clients = [Client(host, token) for _ in range(CLIENTS)]
    threads = [threading.Thread(target=client.cycles, args=(CYCLES,)) for client in clients]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall = time.perf_counter() - began
    for client in clients:
        client.close()
    return CLIENTS * CYCLES / wall


class Subscriber:
    """Notes when each event came. One thread has them all: what is measured is the server."""

    def __init__(self, host: str, token: str) -> None:
        name, _, port = host.partition(":")
        self.socket = socket.create_connection((name, int(port)))
        self.socket.sendall(
            f"GET /v1/events HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
        )
        self._left = b""
        while b"retry" not in self._left:
            self._left += self.socket.recv(4096)
        self._left = self._left.partition(b"retry")[2]
        self.came: dict[int, float] = {}

    def read(self) -> None:
        data = self._left + self.socket.recv(65536)
        now = time.perf_counter()
        *lines, self._left = data.split(b"\n")
        for line in lines:
            if line.startswith(b"data: ") and b'"title":"Event ' in line:
                number = line.partition(b'"title":"Event ')[2].partition(b'"')[0]
                self.came[int(number)] = now


def delays(host: str, token: str) -> list[float]:
    """From the request for a write until each subscriber has its event, in milliseconds: the commit is a part of it."""
    import selectors

    subscribers = [Subscriber(host, token) for _ in range(SUBSCRIBERS)]
    selector = selectors.DefaultSelector()
    for one in subscribers:
        selector.register(one.socket, selectors.EVENT_READ, one)
    over = threading.Event()

    def listen() -> None:
        while not over.is_set():
            for key, _ in selector.select(0.05):
                key.data.read()

    thread = threading.Thread(target=listen)
    thread.start()
    client = Client(host, token)
    sent: list[float] = []
    for number in range(EVENTS):
        sent.append(time.perf_counter())
        client.post("add", {"title": f"Event {number}"})
        time.sleep(0.01)
    until = time.perf_counter() + 10
    while any(len(one.came) < EVENTS for one in subscribers) and time.perf_counter() < until:
        time.sleep(0.02)
    over.set()
    thread.join()
    for one in subscribers:
        one.socket.close()
    client.close()
    assert all(len(one.came) == EVENTS for one in subscribers), "each has had every event"
    return [(came - sent[number]) * 1000 for one in subscribers for number, came in one.came.items()]


def run() -> dict[str, float | str]:
    ratios, rates = [], []
    with _board(ROUNDS * CYCLES * (CLIENTS + 2) + 100) as folder, served(folder) as (host, token):
        for _ in range(ROUNDS):
            own = in_process(folder, CYCLES * 2)
            rate = over_http(host, token)
            ratios.append(rate / own)
            rates.append(rate)
        waited = sorted(delays(host, token))
    return {
        f"{CLIENTS} clients over HTTP: cycles/s beside one caller in the process": round(statistics.median(ratios), 2),
        "cycles/s over HTTP": round(statistics.median(rates)),
        f"from a write to its event at {SUBSCRIBERS} subscribers, commit included: p50, ms": round(
            waited[len(waited) // 2], 1
        ),
        f"from a write to its event at {SUBSCRIBERS} subscribers, commit included: p99, ms": round(
            waited[int(len(waited) * 0.99)], 1
        ),
    }


if __name__ == "__main__":
    print(run())
