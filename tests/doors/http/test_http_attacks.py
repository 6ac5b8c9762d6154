"""What others try at the server: with a run's token, with an observer's, with what a browser lets slip."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from tests.doors.http.served import SECONDS, Served, served


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as server:
        yield server


@pytest.mark.attack(
    "doors",
    "an agent's server, on another port of this machine, gets the cookie of the user's browser, and uses it itself",
    "it may look, and changes nothing: for that a page shows a key that no browser sends by itself",
)
def test_a_cookie_that_another_port_gets_answers_for_nobody(server: Served) -> None:
    got: list[str] = []

    class Preview(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            got.append(self.headers["Cookie"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, *words: object) -> None:
            pass

    browser = build_opener(HTTPCookieProcessor())
    browser.open(f"http://{server.host}{server.post('login_code').json['path']}", timeout=SECONDS).close()
    with HTTPServer(("127.0.0.1", 0), Preview) as preview:
        thread = threading.Thread(target=preview.handle_request)
        thread.start()
        browser.open(f"http://127.0.0.1:{preview.server_port}/", timeout=SECONDS).close()
        thread.join(SECONDS)
    stolen = {"Cookie": got[0], "Origin": f"http://{server.host}"}
    assert server.get("board", None, stolen).status == 200, "it is the browser's cookie"
    for call, fields in (
        ("make_token", {"name": "thief", "role": "owner"}),
        ("add", {"title": "x"}),
        ("login_code", {}),
    ):
        assert server.post(call, None, stolen, **fields).code == "not_for_role"
        assert server.post(call, None, {**stolen, "Moot-Page": "moot"}, **fields).code == "not_for_role"
    assert server.get("tokens", None, stolen).code == "not_for_role"
