"""Connections that keep a place and give nothing for it: none of them keeps out who has a token."""

import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from folkmoot.api.requests import Add, AddComment
from tests.doors.http.served import ADA, SECONDS, Connection, Served, served

SERVER = "folkmoot.wiring.serving.server"
UNREAD = 100_000  # bytes of each comment


def opened(server: Served, small: bool = False) -> socket.socket:
    host, _, port = server.host.partition(":")
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if small:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    made.settimeout(SECONDS)
    made.connect((host, int(port)))
    return made


def is_ended(connection: socket.socket, seconds: float = SECONDS) -> bool:
    """Has the server ended it? Nothing is read; that it was cut off is told in any case."""
    looking = select.poll()
    looking.register(connection, select.POLLRDHUP)
    return bool(looking.poll(seconds * 1000))


def test_connections_that_say_nothing_keep_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{SERVER}.CONNECTIONS_MAX", 16)
    monkeypatch.setattr(f"{SERVER}.STRANGERS_MAX", 8, raising=False)
    with served(tmp_path) as server, ExitStack() as stack:
        known = Connection(server.host, timeout=SECONDS)
        stack.callback(known.close)
        headers = {"Authorization": f"Bearer {server.owner}"}
        known.request("GET", "/v1/status", headers=headers)
        assert known.getresponse().read()
        silent = [stack.enter_context(opened(server)) for _ in range(20)]
        assert server.get("status").status == 200
        assert all(is_ended(one) for one in silent[:12]), "the oldest go first"
        assert not any(is_ended(one, 0) for one in silent[14:])
        before = known.sock
        known.request("GET", "/v1/status", headers=headers)
        assert known.getresponse().status == 200 and known.sock is before, "who has shown a good token is no stranger"


def test_who_begins_a_request_and_drips_is_a_stranger_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also who was refused and goes on to send what it had announced."""
    monkeypatch.setattr(f"{SERVER}.STRANGERS_MAX", 4, raising=False)
    with served(tmp_path) as server, ExitStack() as stack:
        begun = stack.enter_context(opened(server))
        begun.sendall(b"GET /v1/board HTTP/1.1\r\nX-")
        refused = stack.enter_context(opened(server))
        refused.sendall(f"POST /v1/add HTTP/1.1\r\nHost: {server.host}\r\nContent-Length: 999999\r\n\r\n{{".encode())
        assert refused.recv(100).startswith(b"HTTP/1.1 401")
        for _ in range(4):
            stack.enter_context(opened(server))
        assert is_ended(begun) and is_ended(refused)
        assert server.get("status").status == 200


@contextmanager
def with_much_to_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(f"{SERVER}.UNREAD_SECONDS", 0.2, raising=False)
    with served(folder) as server:
        server.server._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)  # connections inherit it
        assert server.post("add", title="One").status == 200
        for number in range(10):
            server.board.asked_by(ADA)(AddComment(item="1", content=f"{number} " + "x" * UNREAD))
        for number in range(60):
            server.board.asked_by(ADA)(Add(title=f"{number} " + "x" * 400))
        yield server


@pytest.mark.parametrize("path", ["/v1/comments?item=1", "/v1/events?after=0"])
def test_who_never_reads_loses_the_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    with with_much_to_read(tmp_path, monkeypatch) as server, opened(server, small=True) as connection:
        connection.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {server.owner}\r\n\r\n".encode()
        )
        assert is_ended(connection)


def test_who_reads_slowly_gets_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with with_much_to_read(tmp_path, monkeypatch) as server, opened(server, small=True) as connection:
        connection.sendall(
            f"GET /v1/comments?item=1 HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {server.owner}\r\n"
            "Connection: close\r\n\r\n".encode()
        )
        total = 0
        while data := connection.recv(4_096):
            total += len(data)
        assert total > 10 * UNREAD
