"""A board that is really served, on loopback, and callers of each role."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from folkmoot.api.access import MakeToken, RevokeToken
from folkmoot.api.serving import ServeOptions
from folkmoot.core.commands import Actor
from folkmoot.engine.application import Application
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.serving.server import Server, serving

ADA = Actor("ada")
SECONDS = 30.0  # more than any answer takes; nothing waits for it to pass


class Connection(http.client.HTTPConnection):
    """One that sends what it has at once: head and body of a request are two writes."""

    def connect(self) -> None:
        super().connect()
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class Heard(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return str(self.json["code"])


class Served:
    def __init__(self, board: Application, server: Server, failures: list[str]) -> None:
        self.board, self.server, self.failures = board, server, failures
        self.host = server.start.address.partition("//")[2]
        self.closing = ExitStack()  # of what was opened at it
        self.owner = Path(server.start.token_file).read_text().strip()

    def token(self, name: str, role: str = "person", days: float | None = None) -> str:
        return self.board.asked_by(ADA)(MakeToken(name=name, role=role, days=days)).token

    def revoke(self, name: str) -> None:
        self.board.asked_by(ADA)(RevokeToken(name=name))

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        token: str | None = "",
        headers: dict[str, str] | None = None,
    ) -> Heard:
        """As the owner; `token` None: as nobody. A body that is no text is sent as JSON."""
        shown = {} if token is None else {"Authorization": f"Bearer {token or self.owner}"}
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = {"Content-Type": "application/json"} if data is not None else {}
        connection = Connection(self.host, timeout=SECONDS)
        try:
            connection.request(method, path, data, {**shown, **kind, **(headers or {})})
            answer = connection.getresponse()
            return Heard(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, call: str, token: str | None = "", headers: dict[str, str] | None = None, **fields: Any) -> Heard:
        query = urlencode(fields, doseq=True)
        return self.send("GET", f"/v1/{call}{f'?{query}' if query else ''}", None, token, headers)

    def post(self, call: str, token: str | None = "", headers: dict[str, str] | None = None, **fields: Any) -> Heard:
        return self.send("POST", f"/v1/{call}", fields, token, headers)


@contextmanager
def served(folder: Path, preset: str = "simple", **options: Any) -> Iterator[Served]:
    is_new = not (folder / ".moot").exists()
    board = FileBoards().create(str(folder), preset, "") if is_new else FileBoards().open(str(folder))
    failures: list[str] = []
    try:
        with serving(board, ServeOptions(**{"port": 0, "gates": False, **options}), "ada", failures.append) as server:
            thread = threading.Thread(target=server.run, name="served")
            thread.start()
            made = Served(board, server, failures)
            try:
                yield made
            finally:
                server.stop()
                thread.join(SECONDS)
                made.closing.close()
                assert not thread.is_alive()
    finally:
        board.close()
    assert not failures, failures
