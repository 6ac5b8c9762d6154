"""A receiver of notices on loopback that answers as it is told, and a board with a clock of its own to send from."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from folkmoot.core.notices.targets import Target
from folkmoot.wiring.notifying.courier import Courier, Send, Times
from folkmoot.wiring.notifying.cursor import Cursor, id_of
from folkmoot.wiring.notifying.sending import Sender
from tests.worker.yard import Yard

FLOW = """
flow: yard
start: dev
limits: {slots: 4, lease: 60s, timeout: 30s, silence: 20s, executions: 1, own_attempts: 1}
columns:
  dev: {agents: [dev], next: done}
  sign: {human: true, next: done}
agents:
  dev: {run: {command: ACTOR}}
sandbox: never
"""
PATIENCE = 120.0


class Request:
    def __init__(self, path: str, headers: dict[str, str], body: bytes) -> None:
        self.path, self.headers, self.body = path, headers, body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Receiver:
    """Answers each request by the next of `answers` (a status, or `hang`), and by 204 when there are none left."""

    def __init__(self, *answers: int | str, headers: dict[str, str] | None = None) -> None:
        self.answers, self.headers = list(answers), headers or {}
        self.got: list[Request] = []
        self.came = threading.Semaphore(0)
        self.let_go = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.got.append(Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                answer = outer.answers.pop(0) if outer.answers else 204
                outer.came.release()
                if answer == "hang":
                    outer.let_go.wait(PATIENCE)
                    return
                self.send_response(int(answer))
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/hook/of-mine"

    def wait(self) -> Request:
        assert self.came.acquire(timeout=PATIENCE), "nothing was sent"
        return self.got[-1]

    def __enter__(self) -> "Receiver":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.let_go.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Hand:
    """Clocks that a test sets."""

    def __init__(self) -> None:
        self.seconds, self.minute = 1_000.0, 12 * 60
        self.times = Times(lambda: self.seconds, lambda: round(self.seconds * 1000), lambda: self.minute)


class Desk:
    """A board, and couriers of it that are called by hand."""

    def __init__(self, folder: Path, flow: str = FLOW) -> None:
        self.yard = Yard(folder, flow=flow)
        self.home = str(folder / ".moot")
        self.hand = Hand()
        self.faults: list[str] = []

    def asks(self, title: str = "one") -> str:
        """An item that waits for a person."""
        item = self.yard.add(title, "report done")
        self.yard.board.move(item, "sign")
        return item

    def courier(
        self,
        target: Target,
        send: Send | None = None,
        environ: dict[str, str] | None = None,
        before: list[Target] | None = None,
    ) -> Courier:
        application = self.yard.board._application
        send = send or Sender(_never, list, lambda program: None, environ or {}, lambda: None).to(target)
        cursor = Cursor(self.home, id_of(target, before or []))
        return Courier(application, target, cursor, send, self.faults.append, self.hand.times)


def _never(argv: list[str], told: bytes) -> Any:
    raise AssertionError("no command is run here")


def all_sent(courier: Courier) -> float | None:
    """Steps until it wants to wait; gives for how long."""
    while (wait := courier.step()) == 0.0:
        pass
    return wait
