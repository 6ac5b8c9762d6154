"""What others try at the server: with a run's token, with an observer's, with what a browser lets slip."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from msgspec.structs import replace

from folkmoot.api.pages import BoardStatus
from folkmoot.core.access import allowance
from folkmoot.core.access.allowance import SECONDS_BURST
from folkmoot.core.flow import Client, Land
from folkmoot.doors.http import guard, shares
from tests.doors.http.served import ADA, SECONDS, Connection, Served, served


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


def claimed(server: Served, title: str) -> str:
    item = server.post("add", title=title).json["id"]
    return str(server.post("claim", item=item).json["bearer"])


@pytest.mark.attack(
    "limits",
    "a run asks the server for the whole board again and again, many times at once, so that others wait",
    "it has four questions at once, and a fifth of the board's time, as at its socket; others are answered",
)
def test_a_run_takes_no_more_of_the_server_than_of_its_socket(server: Served) -> None:
    run, other = claimed(server, "greedy"), claimed(server, "honest")
    inside, go = threading.Semaphore(0), threading.Event()
    board = server.board.queries
    slow, answers = board.status, list[int]()

    def status() -> BoardStatus:
        inside.release()
        assert go.wait(SECONDS)
        return slow()

    board.status = status  # type: ignore[method-assign]
    threads = [threading.Thread(target=lambda: answers.append(server.get("status", run).status)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert inside.acquire(timeout=SECONDS)
    assert server.get("list", run).code == "too_fast", "it has four already"
    assert server.get("list", other).status == 200 and server.get("list").status == 200
    go.set()
    for thread in threads:
        thread.join(SECONDS)
    assert answers == [200] * 4


def test_the_time_that_the_questions_of_a_run_take_is_counted(server: Served) -> None:
    run, now = claimed(server, "slow"), server.board.now
    ahead = [0.0]
    slow = server.board.queries.status

    def status() -> BoardStatus:
        ahead[0] += SECONDS_BURST + 1
        return slow()

    server.board.now = lambda: now() + ahead[0]  # type: ignore[method-assign]
    server.board.queries.status = status  # type: ignore[method-assign]
    assert server.get("status", run).status == 200
    assert server.get("list", run).code == "too_fast"
    assert server.get("list").status == 200, "it is that run's time alone"


@pytest.mark.attack(
    "limits",
    "a run repeats a command under ever new keys: each keeps an answer as large as its item, until the disk is full",
    "what is kept for one run is bounded, by whichever door it speaks; it may still report",
)
def test_what_is_kept_under_the_keys_of_a_run_is_bounded(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "KEPT_BYTES_MAX", 20_000)
    run = claimed(server, "hoarder")
    said = [server.post("renew", run, {"Idempotency-Key": f"key {number}"}) for number in range(30)]
    assert said[0].status == 200 and said[-1].code == "too_much"
    assert server.post("renew", run).status == 200
    report = server.post("report", run, {"Idempotency-Key": "end"}, report={"outcome": "failed", "summary": "no more"})
    assert report.status == 200


@pytest.mark.attack(
    "limits",
    "a run adds items with tags of a million letters, which every list of the board then shows",
    "a tag has a length",
)
def test_a_tag_has_a_length(server: Served) -> None:
    run = claimed(server, "wordy")
    assert server.post("add", run, title="x", tags=["t" * 201]).code == "bad_tag"
    assert server.post("edit", item="1", tags=["t" * 201]).code == "bad_tag"


@pytest.mark.attack(
    "doors",
    "an observer, or a run, opens all of the streams that a server has, so that nobody else hears of events",
    "each caller has a number of its own",
)
def test_nobody_takes_all_streams(server: Served) -> None:
    run = claimed(server, "listener")

    def listen(token: str) -> int:
        connection = Connection(server.host, timeout=SECONDS)
        server.closing.callback(connection.close)
        connection.request("GET", "/v1/events", None, {"Authorization": f"Bearer {token}"})
        return connection.getresponse().status

    assert [listen(run) for _ in range(shares.STREAMS_MAX["run"] + 1)] == [200] * shares.STREAMS_MAX["run"] + [429]
    assert listen(server.owner) == 200


def signed_in(server: Served) -> dict[str, str]:
    """What the page of a browser that has opened its link shows with each request."""
    signed = server.send("GET", server.post("login_code").json["path"], token=None)
    key = signed.headers["location"].partition("#page=")[2]
    cookie = signed.headers["set-cookie"].partition(";")[0]
    return {"Cookie": cookie, "Moot-Page": key, "Origin": f"http://{server.host}"}


@pytest.mark.attack(
    "doors",
    "while no server runs, an agent's takes its port: the open tabs of the user's browser show it their cookie and key",
    "the key ends with the server that gave it: at the next one both only look, until the user opens a new link",
)
def test_what_a_page_showed_to_whoever_had_the_port_meanwhile_changes_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        shown, port = signed_in(server), int(server.host.rpartition(":")[2])
        assert server.post("add", None, shown, title="by its own page").status == 200
    with served(tmp_path, port=port) as server:
        assert server.get("board", None, shown).status == 200, "the tab goes on showing the board"
        refused = server.post("add", None, shown, title="by whoever had the port")
        assert refused.code == "not_for_role" and "moot token link" in refused.json["hint"]
        assert server.post("add", None, signed_in(server), title="by the new link").status == 200


@pytest.mark.attack(
    "doors",
    "a process without a token asks for the page, for a sign-in or whether the board is sound, without a pause",
    "the user's own page and link are answered all the same: what costs nothing is not counted by address",
)
def test_who_has_no_token_keeps_no_browser_from_its_page(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(guard.RATES, "observer", (0.001, 3.0))
    assert [server.send("GET", "/healthz", token=None).status for _ in range(4)] == [200, 200, 200, 429]
    assert server.send("GET", "/", token=None).status == 200
    assert server.send("GET", "/login?code=moot_nothing", token=None).status == 401
    assert server.get("board", None, signed_in(server)).status == 200


@pytest.mark.attack(
    "doors",
    "an agent's server, on another port of this machine, gives the user's browser a second cookie of the same name",
    "the good one counts: the user stays signed in, at this board and at others on the same machine",
)
def test_a_cookie_from_another_port_signs_nobody_out(server: Served) -> None:
    shown = signed_in(server)
    name, _, value = shown["Cookie"].partition("=")
    for tossed in ("evil", '"', value[:-1]):
        for cookie in (f"{name}={tossed}; {shown['Cookie']}", f"{shown['Cookie']}; {name}={tossed}"):
            assert server.post("add", None, {**shown, "Cookie": cookie}, title="x").status == 200
    many = "; ".join([f"{name}={number}" for number in range(100)] + [shown["Cookie"]])
    assert server.get("board", None, {**shown, "Cookie": many}).code == "no_credentials"


def test_of_two_browsers_tokens_neither_counts(server: Served) -> None:
    """Which of them the user means nobody can say: one may be of whoever wants to be taken for them."""
    shown, other = signed_in(server), signed_in(server)
    both = {**shown, "Cookie": f"{shown['Cookie']}; {other['Cookie']}"}
    assert server.get("board", None, both).code == "no_credentials"


@pytest.mark.attack(
    "doors",
    "an observer, or whoever got a browser's cookie, reads in the flow how agents are started, and what they are given",
    "how this machine starts its agents is for people: a run and an observer see the flow without it",
)
def test_what_programs_of_agents_are_given_is_for_people(server: Served) -> None:
    flow = server.board.queries.flow()
    started = {name: replace(one, run={"command": ["inner.example"]}) for name, one in flow.agents.items()}
    given = {"mine": Client(set={"HOST": "inner.example"})}
    land = Land(mode="pr", command=["/bin/forge", "inner.example"])
    server.board.engine.adopt_flow(ADA, replace(flow, clients=given, agents=started, land=land), "")
    cookie = {"Cookie": signed_in(server)["Cookie"]}
    assert (
        b"inner.example" in server.get("flow").body and b"inner.example" in server.get("flow", server.token("b")).body
    )
    looks = (server.token("wall", "observer"), None), (claimed(server, "one"), None), (None, cookie)
    for token, headers in looks:
        told = server.get("flow", token, headers)
        assert told.status == 200 and b"inner.example" not in told.body
