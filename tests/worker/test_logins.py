"""The user's logins outlive every run: real processes against a server whose refresh tokens rotate."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from folkmoot.system.sandbox import Bubblewrap
from folkmoot.worker.jobs import effort
from folkmoot.worker.logins.expiry import is_over
from tests.worker.yard import Yard

CLIENT = str(Path(__file__).with_name("renewing.py"))
KILLED = str(Path(__file__).with_name("killed.py"))
PATIENCE = 120.0
CANARY = "canary-7d41f0aa93"
WHY = Bubblewrap().why
needs_bwrap = pytest.mark.skipif(bool(WHY), reason=f"NOT TESTED, THE SANDBOX DOES NOT WORK HERE: {WHY}")
BOXES = [pytest.param("auto", marks=needs_bwrap), "never"]
FLOW = """
flow: logins
start: dev
sandbox: {sandbox}
limits: {{slots: 8, lease: 60s, timeout: 100s, silence: 100s, executions: 1}}
columns: {{{columns}}}
agents: {{{agents}}}
clients: {{{clients}}}
"""


class TokenServer:
    """Gives a new refresh token for each; one that comes a second time ends the whole login, as if it were stolen."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.number = 0
        self.refresh, self.access = f"refresh-{CANARY}-0", {f"access-{CANARY}-0"}
        self.revoked = False
        self.asked: list[tuple[str, str]] = []
        tokens = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                token = self.rfile.read(int(self.headers["Content-Length"])).decode()
                answer = tokens.answer(self.path.strip("/"), token)
                self.send_response(200 if answer is not None else 401)
                self.end_headers()
                self.wfile.write(json.dumps(answer or {}).encode())

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = str(self.server.server_address[1])
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, what: str, token: str) -> dict[str, Any] | None:
        with self.lock:
            self.asked.append((what, token))
            if self.revoked:
                return None
            if what == "use":
                return {"ok": True} if token in self.access else None
            if token != self.refresh:
                self.revoked = token.startswith("refresh-")
                return None
            self.number += 1
            self.refresh = f"refresh-{CANARY}-{self.number}"
            self.access.add(f"access-{CANARY}-{self.number}")
            return {"refresh_token": self.refresh, "access_token": f"access-{CANARY}-{self.number}"}


@pytest.fixture
def server() -> Iterator[TokenServer]:
    made = TokenServer()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def home(tmp_path: Path, server: TokenServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own HOME, signed in."""
    home = tmp_path / "person"
    (home / ".own").mkdir(parents=True)
    login = {"refresh_token": server.refresh, "access_token": next(iter(server.access)), "more": {"kept": [1, None]}}
    (home / ".own" / "auth.json").write_text(json.dumps(login), "utf-8")
    monkeypatch.setenv("HOME", str(home))
    return home


def flow(server: TokenServer, sandbox: str, *acts: str) -> str:
    """One column, agent and client for each act."""
    columns = ", ".join(f"{act}: {{agents: [{act}], next: done}}" for act in acts)
    agents = ", ".join(f"{act}: {{run: {{client: c-{act}}}}}" for act in acts)
    argv = {act: [sys.executable, CLIENT, server.port, act] for act in acts}
    clients = ", ".join(f"c-{act}: {{command: {argv[act]}, files: [~/.own/auth.json]}}" for act in acts)
    text = FLOW.format(sandbox=sandbox, columns=columns, agents=agents, clients=clients)
    return text.replace("start: dev", f"start: {acts[0]}")


def user_s_client_works(server: TokenServer, home: Path) -> bool:
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    ran = subprocess.run(
        [sys.executable, CLIENT, server.port, "plain"], env=env, capture_output=True, text=True, timeout=PATIENCE
    )
    return ran.returncode == 0 and "renewed 1 times" in ran.stdout


@pytest.mark.attack(
    "login", "eight runs at once renew a login that rotates, one dies in between", "the user's client stays signed in"
)
@pytest.mark.ledger("Q-03")
@pytest.mark.parametrize("sandbox", BOXES)
def test_runs_that_renew_their_login_take_nothing_from_the_user(
    sandbox: str, tmp_path: Path, server: TokenServer, home: Path
) -> None:
    yard = Yard(tmp_path / "yard", flow=flow(server, sandbox, "hard", "die"))
    items = [yard.add(f"item {n}") for n in range(7)]
    doomed = yard.add("doomed", column="die")
    yard.run(slots=8)
    assert [yard.status(item) for item in items] == ["done"] * 7
    assert yard.show(doomed)["runs"][-1]["outcome"] == "failed"
    assert not server.revoked and server.number == 0
    assert user_s_client_works(server, home)
    assert user_s_client_works(server, home)
    yard.doctor()


@pytest.mark.attack("login", "an agent overwrites and deletes its credential files", "the user's are as they were")
@pytest.mark.parametrize("sandbox", BOXES)
def test_what_a_run_does_to_its_copy_is_not_done_to_the_user_s(
    sandbox: str, tmp_path: Path, server: TokenServer, home: Path
) -> None:
    before = (home / ".own" / "auth.json").read_bytes()
    yard = Yard(tmp_path / "yard", flow=flow(server, sandbox, "spoil"))
    item = yard.add("one")
    yard.run()
    assert yard.status(item) == "done"  # it could save by renaming, and delete
    assert (home / ".own" / "auth.json").read_bytes() == before


def below(folder: Path, words: str) -> list[str]:
    """Every file below a folder that holds the words."""
    return [str(path) for path in folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]


def tree(pid: int) -> list[int]:
    """A process and all its descendants."""
    found = [pid]
    for one in found:
        for name in os.listdir("/proc"):
            if name.isdecimal() and int(name) not in found:
                try:
                    stat = Path(f"/proc/{name}/stat").read_text("ascii", "replace")
                except OSError:
                    continue
                if int(stat.rpartition(")")[2].split()[1]) == one:
                    found.append(int(name))
    return found


def killed_in_the_middle(yard: Yard) -> None:
    """Kill worker, keeper, wardens and agents at once, while an agent is at work."""
    worker = subprocess.Popen([sys.executable, KILLED, str(yard.folder), "never"])
    try:
        until = time.monotonic() + PATIENCE
        while not list((yard.folder / ".moot" / "runs").glob("*/workspace/up")):
            assert time.monotonic() < until and worker.poll() is None
            time.sleep(0.02)
        there = tree(worker.pid)
        assert len(there) > 3
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in there:
                with contextlib.suppress(ProcessLookupError):  # it died with its parent
                    os.kill(pid, number)
    finally:
        worker.kill()
        worker.wait()


WAITS = "import os, time; os.path.exists(os.path.expanduser('~/.own/auth.json')) and open('up', 'w'); time.sleep(600)"


def waiting_flow(sandbox: str) -> str:
    client = f'{{command: [{sys.executable}, -c, "{WAITS}"], files: [~/.own/auth.json]}}'
    columns, agents = "dev: {agents: [dev], next: done}", "dev: {run: {client: own}}"
    return FLOW.format(sandbox=sandbox, columns=columns, agents=agents, clients=f"own: {client}")


@needs_bwrap
@pytest.mark.attack("login", "worker, keeper, warden and agent are killed at once", "no copy of the login is left")
def test_no_copy_of_a_login_outlives_its_box(tmp_path: Path, home: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=waiting_flow("auto"))
    yard.add("one")
    killed_in_the_middle(yard)
    assert list((yard.folder / ".moot" / "runs").glob("*/workspace/up"))
    assert below(yard.folder, CANARY) == []


@pytest.mark.attack("login", "a worker is killed beside its unsandboxed agent", "its keeper removes the copy")
def test_without_a_sandbox_the_keeper_removes_the_copy_of_a_killed_worker(tmp_path: Path, home: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=waiting_flow("never"))
    yard.add("one")
    worker = subprocess.Popen([sys.executable, KILLED, str(yard.folder), "never"])
    until = time.monotonic() + PATIENCE
    while not list((yard.folder / ".moot" / "runs").glob("*/workspace/up")):
        assert time.monotonic() < until and worker.poll() is None
        time.sleep(0.02)
    assert below(yard.folder, CANARY) != []
    worker.kill()
    worker.wait()
    while below(yard.folder, CANARY):
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.attack("login", "all is killed at once, without a sandbox", "the next worker removes the copies first")
def test_without_a_sandbox_the_next_worker_removes_what_is_left(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard = Yard(tmp_path / "yard", flow=waiting_flow("never"))
    yard.add("one")
    killed_in_the_middle(yard)
    assert below(yard.folder, CANARY) != []
    monkeypatch.setenv("HOME", str(tmp_path))  # nothing new to copy
    seen: list[list[str]] = []

    class Enough(Exception):
        pass

    def step(name: str, run: str) -> None:
        seen.append(below(yard.folder, CANARY))
        raise Enough

    with pytest.raises(Enough):  # before the first claim
        yard.run(step=step)
    assert seen == [[]]


# A login that is over


def signed_in(home: Path, ends: float | None = None, **more: Any) -> None:
    login = {"access_token": f"access-{CANARY}-0", "refresh_token": f"refresh-{CANARY}-0", **more}
    login |= {"expires_at": ends} if ends is not None else {}
    (home / ".own" / "auth.json").write_text(json.dumps(login), "utf-8")


@pytest.mark.attack("login", "runs begin with a login that is over", "none is spent, and the board says what to do")
@pytest.mark.ledger("R-07")
def test_a_login_that_is_over_spends_no_run_and_goes_on_by_itself_when_it_is_renewed(
    tmp_path: Path, server: TokenServer, home: Path
) -> None:
    signed_in(home, time.time() + 10)
    yard = Yard(tmp_path / "yard", flow=flow(server, "never", "plain"))
    item = yard.add("one")
    yard.run()
    assert server.asked == []
    (pause,) = yard.queries.pauses()["pauses"]
    assert pause["what"] == "pool:c-plain" and pause["login"]
    assert pause["why"] == "the login of c-plain has expired: start its client once, or sign in again"
    shown = yard.show(item)
    assert shown["status"] == "ready" and shown["runs"][-1]["outcome"] == "released"
    assert shown["failure_count"] == 0
    yard.run()  # it looks at once, and the file is as it was
    assert server.asked == [] and len(yard.show(item)["runs"]) == 1
    signed_in(home, time.time() + 3600)
    yard.run()
    assert yard.status(item) == "done" and yard.queries.pauses()["pauses"] == []
    yard.doctor()


def test_a_run_whose_login_ended_in_the_middle_says_so(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []

    def good_at_first(*what: Any) -> str:
        looks.append(1)
        return "" if len(looks) == 1 else is_over(*what)

    monkeypatch.setattr(effort, "is_over", good_at_first)
    late = "import sys; print('API error: status 401 unauthorized', file=sys.stderr); sys.exit(1)"
    client = f'{{command: [{sys.executable}, -c, "{late}"], files: [~/.own/auth.json]}}'
    columns, agents = "dev: {agents: [dev], next: done}", "dev: {run: {client: own}}"
    text = FLOW.format(sandbox="never", columns=columns, agents=agents, clients=f"own: {client}")
    signed_in(home, time.time())
    yard = Yard(tmp_path / "yard", flow=text)
    item = yard.add("one")
    yard.run()
    (last,) = yard.show(item)["runs"]
    (question,) = yard.queries.inbox()["questions"]
    assert last["cause"] == "environment" and "the login of own has expired" in question["question"]
