"""Who may: every route, by every role, and by nobody; made from the registry, so that a new call is in it at once."""

import json
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from folkmoot.api.call import ROLES
from folkmoot.api.requests import Add, Claim
from folkmoot.doors.http import guard
from folkmoot.doors.http.routes import Route, routes
from folkmoot.engine import registry
from folkmoot.engine.access.tokens import list_tokens, make_token, run_token
from folkmoot.errors import Refused, Unavailable
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.serving.server import owner_token
from tests.doors.http.served import ADA, SECONDS, Connection, Served, served

ROUTES = [*routes(registry.CALLS).values()]
GUARDED = [route for route in ROUTES if route.may is not None]
OPEN = ["/", "/login", "/healthz", "/hooks/forge"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch, served(tmp_path_factory.mktemp("board")) as made:
        patch.setattr(guard, "STRANGERS", (1e6, 1e6))  # all of them come from here
        yield made


@pytest.fixture(scope="module")
def tokens(server: Served) -> dict[str, str]:
    """A token of each role; the run works on an item of its own."""
    item = server.board.asked_by(ADA)(Add(title="The run's own"))
    claim = server.board.asked_by(ADA)(Claim(agent="coder", item=item.id, lease=3600.0))
    return {
        "owner": server.owner,
        "person": server.token("bert"),
        "observer": server.token("cleo", "observer"),
        "run": run_token(server.board, claim.run, claim.token),
    }


def ask(server: Served, route: Route, token: str | None, headers: dict[str, str] | None = None) -> Any:
    """The status, and the code if it was refused. Of a stream only its beginning is read."""
    connection = Connection(server.host, timeout=SECONDS)
    shown = {"Authorization": f"Bearer {token}"} if token else {}
    body = "{}" if route.methods == ("POST",) else None
    kind = {"Content-Type": "application/json"} if body else {}
    try:
        connection.request(route.methods[0], route.path, body, {**shown, **kind, **(headers or {})})
        answer = connection.getresponse()
        stream = answer.getheader("content-type", "").startswith("text/event-stream")
        data = b"" if stream else answer.read()
        is_problem = answer.getheader("content-type") == "application/problem+json"
        return answer.status, json.loads(data)["code"] if is_problem else None
    finally:
        connection.close()


def ids(route: Route) -> str:
    return route.path


def test_only_three_routes_are_open_to_who_shows_no_token() -> None:
    assert sorted(route.path for route in ROUTES if route.may is None) == sorted(OPEN)


@pytest.mark.parametrize("route", GUARDED, ids=ids)
def test_who_shows_no_token_is_refused(server: Served, route: Route) -> None:
    assert ask(server, route, None) == (401, "no_credentials")


@pytest.mark.parametrize("route", GUARDED, ids=ids)
def test_who_shows_a_wrong_an_expired_or_a_revoked_token_is_refused(server: Served, route: Route) -> None:
    expired, revoked = server.token(f"x {route.path}", days=1e-9), server.token(f"y {route.path}")
    server.revoke(f"y {route.path}")
    forged = server.owner[:-1] + ("A" if server.owner[-1] != "A" else "B")
    for token in ("moot_", "x", forged, expired, revoked, f"moot_run.r000000000000.1.{'A' * 43}"):
        assert ask(server, route, token) == (401, "bad_token"), token


@pytest.mark.parametrize("route", ROUTES, ids=ids)
def test_a_name_that_is_not_the_server_s_is_refused_on_every_route(server: Served, route: Route) -> None:
    """Else a page of any site could reach it, by a name that leads to this machine."""
    port = server.host.rpartition(":")[2]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1.evil.example:{port}", "", "::"):
        assert ask(server, route, server.owner, {"Host": host}) == (421, "bad_host"), host


@pytest.mark.parametrize("route", ROUTES, ids=ids)
def test_a_page_of_another_site_is_refused_on_every_route(server: Served, route: Route) -> None:
    for origin in ("http://evil.example", "null", f"https://{server.host}", f"http://{server.host}.evil.example"):
        assert ask(server, route, server.owner, {"Origin": origin}) == (403, "bad_origin"), origin
    assert ask(server, route, server.owner, {"Sec-Fetch-Site": "cross-site"}) == (403, "bad_origin")


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("route", GUARDED, ids=ids)
def test_a_role_reaches_what_the_registry_allows_it_and_nothing_else(
    server: Served, tokens: dict[str, str], route: Route, role: str
) -> None:
    if route.path == "/v1/report" and role == "run":
        return  # it would end the run that the others use
    status, code = ask(server, route, tokens[role])
    denied = status in (401, 403) or code == "inside_a_run"
    assert denied == (role not in (route.may or ())), (status, code)
    if role not in (route.may or ()):
        assert code in ("not_for_role", "only_people", "inside_a_run"), code


def test_a_run_speaks_for_itself_alone(server: Served, tokens: dict[str, str]) -> None:
    """It answers for no person, changes nothing of the board's, and sees no other run's output."""
    other = server.board.asked_by(ADA)(Add(title="Another's"))
    claim = server.board.asked_by(ADA)(Claim(agent="coder", item=other.id))
    run = tokens["run"]
    for call, fields in {
        "answer": {"question": "q1", "answer": "yes"},
        "reopen": {"item": other.id},
        "move": {"item": other.id, "column": "done"},
        "edit": {"item": other.id, "title": "mine now"},
        "cancel": {"item": other.id},
        "pause": {},
        "make_token": {"name": "mine", "role": "owner"},
        "login_code": {},
        "take": {"item": other.id},
    }.items():
        assert server.send("POST", f"/v1/{call}", fields, run).status == 403, call
    assert server.get("output", run, run=claim.run).code == "not_in_a_run"
    assert not server.get("flow", run).json.get("clients")
    assert server.get("tokens", run).status == 403
    assert server.post("comment", run, item=other.id, content="hello").code == "other_item"
    assert server.board.queries.show(other.id).title == "Another's"


def test_a_run_s_token_ends_with_its_run(server: Served) -> None:
    item = server.post("add", title="Soon over").json["id"]
    run = server.post("claim", agent="coder", item=item).json["bearer"]
    assert server.get("show", run, item=item).status == 200
    server.post("cancel", item=item)
    assert server.get("show", run, item=item).code == "bad_token"
    assert server.post("comment", run, content="still here").code == "stale_claim"


def test_a_run_s_token_cannot_be_made_for_another_run(server: Served) -> None:
    item = server.post("add", title="Forged").json["id"]
    claim = server.post("claim", agent="coder", item=item).json
    kind, run, number, seal = claim["bearer"].split(".")
    assert run == claim["run"]
    for forged in (f"{kind}.{run}.{int(number) + 1}.{seal}", f"{kind}.r0.{number}.{seal}", f"{kind}.{run}.{number}."):
        assert server.get("board", forged).code == "bad_token"


# -- browsers


def cookie_of(server: Served) -> str:
    link = urlsplit(server.post("login_code").json["path"])
    signed = server.send("GET", f"{link.path}?{link.query}", token=None)
    assert signed.status == 303, signed
    return signed.headers["set-cookie"]


def test_a_link_signs_one_browser_in_once(server: Served) -> None:
    link = server.post("login_code").json["path"]
    signed = server.send("GET", link, token=None)
    cookie = signed.headers["set-cookie"]
    assert signed.status == 303 and "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert server.send("GET", link, token=None).status == 401
    shown = {"Cookie": cookie.partition(";")[0]}
    assert server.get("board", None, shown).status == 200
    assert server.send("GET", "/login?code=moot_nothing", token=None).status == 401


def test_a_cookie_changes_nothing_unless_the_board_s_own_page_asks(server: Served) -> None:
    signed = server.send("GET", server.post("login_code").json["path"], token=None)
    shown = {"Cookie": signed.headers["set-cookie"].partition(";")[0]}
    page = {"Moot-Page": signed.headers["location"].partition("#page=")[2]}
    assert server.post("add", None, {**shown, **page}, title="From elsewhere").code == "bad_origin"
    own = {**shown, **page, "Origin": f"http://{server.host}"}
    assert server.post("add", None, own, title="From the board's page").status == 200
    # It is no token for programs, and a token is no cookie.
    assert server.get("board", shown["Cookie"].partition("=")[2]).code == "bad_token"
    assert (
        server.get("board", None, {"Cookie": f"{shown['Cookie'].partition('=')[0]}={server.owner}"}).code == "bad_token"
    )


def test_a_browser_is_signed_out_when_its_token_is_revoked(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        shown = {"Cookie": cookie_of(server).partition(";")[0]}
        assert server.get("board", None, shown).status == 200
        server.revoke("ada")
        assert server.get("board", None, shown).code == "bad_token"
        assert server.get("board").code == "bad_token"
    with served(tmp_path) as server:  # whoever has the board's files gets a new one
        assert server.get("board").status == 200
        assert server.get("board", None, shown).code == "bad_token"  # of that name, and yet another token


def test_a_new_token_of_the_same_name_signs_no_old_browser_in(server: Served) -> None:
    """Nor does a link that was made for the old one; else a person's cookie would become an owner's."""
    old = server.token("bob")
    links = [server.post("login_code", old).json["path"] for _ in range(2)]
    shown = {"Cookie": server.send("GET", links[0], token=None).headers["set-cookie"].partition(";")[0]}
    assert server.get("board", None, shown).status == 200
    server.revoke("bob")
    server.token("bob", "owner")
    assert server.get("tokens", None, shown).code == "bad_token"
    assert server.send("GET", links[1], token=None).code == "bad_token"


# -- the tokens themselves


def test_tokens_are_kept_as_digests_where_only_their_owner_can_look(server: Served) -> None:
    token = server.token("kept", "observer")
    folder = Path(server.server.start.token_file).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and (folder / ".gitignore").read_text() == "*\n"
    for path in folder.rglob("*"):
        if path.is_file():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
            assert token not in path.read_text()
    assert len(server.owner) == len("moot_") + 43  # 256 bits
    assert token.encode() not in server.get("tokens").body


@pytest.mark.parametrize("name", ["", "tokens.json", "owner.token", "key"])
def test_tokens_that_others_can_read_open_nothing(tmp_path: Path, name: str) -> None:
    with served(tmp_path) as server:
        folder = Path(server.server.start.token_file).parent
    os.chmod(folder / name, 0o755 if not name else 0o644)
    board = FileBoards().open(str(tmp_path))
    try:
        with pytest.raises(Unavailable) as refused:
            list_tokens(board), owner_token(board, "ada"), make_token(board, "bert", "person", None)
        assert refused.value.code == "access_open"
    finally:
        board.close()


def test_a_token_is_made_listed_and_revoked(server: Served) -> None:
    made = server.post("make_token", name="ci", role="observer", days=2).json
    assert made["role"] == "observer" and server.get("board", made["token"]).status == 200
    assert {"name": "ci", "state": "good"}.items() <= next(
        one for one in server.get("tokens").json["tokens"] if one["name"] == "ci"
    ).items()
    assert server.post("make_token", name="ci").code == "token_known"
    assert server.post("make_token", name="x", role="run").code == "unknown_role"
    assert server.post("make_token", name="x", days=-1).code == "bad_value"
    assert server.post("revoke_token", name="ci").status == 200
    assert server.get("board", made["token"]).code == "bad_token"
    assert server.post("revoke_token", name="ci").code == "token_revoked"
    assert server.post("revoke_token", name="nobody").code == "unknown_token"
    assert server.post("make_token", name="ci").status == 200  # the name is free again


def test_the_command_line_makes_and_takes_back_tokens_of_a_server_that_runs(server: Served) -> None:
    folder = str(Path(server.server.start.token_file).parents[2])

    def moot(*words: str) -> Any:
        command = [sys.executable, "-m", "folkmoot", *words, "--json", "--board", folder]
        return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)

    token = moot("token", "add", "shell", "--role", "observer")["token"]
    assert server.get("board", token).status == 200 and server.post("add", token, title="x").status == 403
    assert "shell" in [one["name"] for one in moot("token", "list")["tokens"]]
    moot("token", "revoke", "shell")
    assert server.get("board", token).code == "bad_token"


# -- where it listens, and how much it takes


@pytest.mark.parametrize("listen", ["0.0.0.0", "::", "192.0.2.1"])
def test_another_address_than_loopback_must_be_said(tmp_path: Path, listen: str) -> None:
    with pytest.raises(Refused) as refused, served(tmp_path, listen=listen):
        pass
    assert refused.value.code == "not_loopback"


def test_on_every_address_the_names_are_checked_and_a_token_is_needed(tmp_path: Path) -> None:
    with served(tmp_path, listen="0.0.0.0", remote=True, names=["board.example"]) as server:
        port = server.host.rpartition(":")[2]
        server.host = f"127.0.0.1:{port}"
        assert server.get("board", headers={"Host": f"board.example:{port}"}).status == 200
        assert server.get("board", None, {"Host": f"board.example:{port}"}).status == 401
        assert server.get("board", headers={"Host": f"evil.example:{port}"}).status == 421


def test_who_tries_tokens_is_slowed_down_and_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "STRANGERS", (1.0, 50.0))
    with served(tmp_path) as server:
        heard = [server.get("board", f"moot_{number}") for number in range(120)]
        slowed = [one for one in heard if one.status == 429]
        assert slowed and slowed[0].code == "too_fast" and int(slowed[0].headers["retry-after"]) >= 1
        assert server.get("board").status == 200


def test_two_headers_where_one_counts_are_refused(server: Served) -> None:
    host, _, port = server.host.partition(":")
    request = f"GET /v1/board HTTP/1.1\r\nHost: {server.host}\r\nHost: evil\r\nConnection: close\r\n\r\n"
    with socket.create_connection((host, int(port)), timeout=SECONDS) as connection:
        connection.sendall(request.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 4")


@pytest.mark.embedded("a server's client loads asyncio by itself")
def test_other_commands_load_nothing_of_the_server(tmp_path: Path) -> None:
    """Agents start `moot claim` often."""
    FileBoards().create(str(tmp_path), "simple", "").close()
    heavy = ("starlette", "uvicorn", "httptools", "mcp", "pydantic", "opentelemetry", "anyio", "asyncio")
    ours = ("folkmoot.doors.http", "folkmoot.doors.mcp", "folkmoot.doors.observe", "folkmoot.wiring.serving")
    code = "import sys, atexit; from folkmoot.wiring import main; atexit.register(lambda: print(*sys.modules)); main()"
    for words in (["claim", "coder"], ["add", "One"], ["board"]):
        command = [sys.executable, "-c", code, *words, "--board", str(tmp_path)]
        loaded = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.split()
        assert "folkmoot.engine.registry" in loaded
        assert not [name for name in loaded if name.split(".")[0] in heavy or name.startswith(ours)], words


@pytest.mark.parametrize("said", [b"", b"GET /v1/board HTTP/1.1\r\nHost: ", b"GET /healthz HTTP/1.1\r\nX: y\r\n"])
def test_who_does_not_finish_a_request_loses_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr("folkmoot.wiring.serving.server.HEAD_SECONDS", 0.2)
    with served(tmp_path) as server:
        host, _, port = server.host.partition(":")
        with socket.create_connection((host, int(port)), timeout=SECONDS) as connection:
            connection.sendall(said)
            assert connection.recv(100) == b""
        assert server.get("board").status == 200


def test_a_connection_is_kept_from_one_request_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wait is for the head of a request that has begun, also of the second one."""
    monkeypatch.setattr("folkmoot.wiring.serving.server.HEAD_SECONDS", 0.2)
    with served(tmp_path) as server:
        connection = Connection(server.host, timeout=SECONDS)
        for pause in (0.0, 0.5):
            threading.Event().wait(pause)
            connection.request("GET", "/healthz")
            assert connection.getresponse().read() == b'{"ok":true}'
        connection.sock.sendall(b"GET /healthz")
        assert connection.sock.recv(100) == b""
        connection.close()


def test_a_head_without_an_end_loses_the_connection(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        host, _, port = server.host.partition(":")
        with socket.create_connection((host, int(port)), timeout=SECONDS) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
            head = b"".join(f"X-{number}: {'y' * 100}\r\n".encode() for number in range(300_000))
            with pytest.raises(ConnectionError):
                connection.sendall(head)
        assert server.get("board").status == 200


def test_a_cookie_that_is_hard_to_read_costs_nothing(server: Served) -> None:
    """The standard library takes a time that grows with the square of its length."""
    hard = '="' + "\\" * 60_000
    assert server.get("board", None, {"Cookie": f"x{hard}"}).code == "no_credentials"
    name = signed_in(server)["Cookie"].partition("=")[0]
    assert server.get("board", None, {"Cookie": f"{name}=a; {name}=b"}).code == "no_credentials"


def signed_in(server: Served) -> dict[str, str]:
    answer = server.send("GET", server.post("login_code").json["path"], token=None)
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


def test_a_browser_is_signed_in_at_two_boards_of_one_host(tmp_path: Path) -> None:
    """A browser sends its cookies to every port: each board finds its own among them."""
    with served(tmp_path / "one") as one, served(tmp_path / "two") as two:
        jar = {"Cookie": "; ".join(signed_in(server)["Cookie"] for server in (one, two))}
        assert [server.get("board", None, jar).status for server in (one, two)] == [200, 200]
