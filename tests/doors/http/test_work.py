"""An agent that moot did not start works over HTTP as one that it did: a clone, a report, gates, landing."""

import json
import re
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folkmoot.api.requests import ReadLog
from folkmoot.api.views import ClaimView
from folkmoot.engine.outside.workplace import Workplace
from tests.doors.http.served import ADA, SECONDS, Served, served
from tests.doors.http.test_streams import Stream


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.name", "Ada")
    git(tmp_path, "config", "user.email", "ada@example.invalid")
    (tmp_path / "hello.txt").write_text("hello\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def ended(server: Served, stream: Stream, item: str) -> Any:
    """The item, once an event has brought it to its end."""
    for frame in stream.frames():
        if json.loads(frame["data"]).get("item") == item:
            view = server.get("show", item=item).json
            if view["status"] in ("done", "cancelled"):
                return view
    raise AssertionError("the stream has ended")


def test_a_change_made_over_http_is_proved_and_lands(project: Path) -> None:
    with served(project, gates=True) as server:
        item = server.post("add", title="Say goodbye").json["id"]
        stream = Stream(server, None)
        claim = server.post("claim", agent="coder", item=item, clone=True).json
        clone = Path(claim["workspace"])
        assert (clone / "hello.txt").read_text() == "hello\n"
        (clone / "goodbye.txt").write_text("goodbye\n")
        told = server.post("report", claim["bearer"], report={"outcome": "done", "summary": "it says goodbye"})
        assert told.status == 200, told
        column = told.json["column"]
        if column == "review":
            review = server.post("claim", agent="reviewer", item=item, clone=True).json
            assert server.post("report", review["bearer"], report={"outcome": "done", "summary": "good"}).status == 200
        view = ended(server, stream, item)
        assert view["landed"] and git(project, "show", "main:goodbye.txt") == "goodbye"
        assert not clone.exists()


def test_done_without_a_change_is_asked_back_while_the_agent_is_there(project: Path) -> None:
    with served(project) as server:
        server.post("add", title="Say goodbye")
        claim = server.post("claim", agent="coder", clone=True).json
        done = {"outcome": "done", "summary": "it says goodbye"}
        refused = server.post("report", claim["bearer"], report=done)
        assert (refused.status, refused.code) == (400, "report_refused") and "changed" in refused.json["detail"]
        assert server.get("runs").json["runs"][0]["run"] == claim["run"]
        (Path(claim["workspace"]) / "goodbye.txt").write_text("goodbye\n")
        assert server.post("report", claim["bearer"], report=done).json["column"] == "review"


def test_many_agents_at_once_each_get_an_item_of_their_own(tmp_path: Path) -> None:
    """Claims over HTTP race as claims do: nobody gets what another has."""
    with served(tmp_path) as server:
        for number in range(12):
            server.post("add", title=f"Item {number}")
        got: list[str] = []

        def work() -> None:
            while (heard := server.post("claim", agent="coder", show=False)).status == 200:
                run = heard.json["bearer"]
                got.append(heard.json["brief"]["task"]["id"])
                assert server.post("report", run, report={"outcome": "done", "summary": "done"}).status == 200
            assert (heard.status, heard.code) == (404, "nothing_ready")

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)
        assert sorted(got, key=int) == [str(number) for number in range(1, 13)]
        assert "lease_expired" not in [event.event for event in server.board.asked_by(ADA)(ReadLog()).events]


class Slow:
    """A workplace on a disk that hangs: whoever wants a clone waits until it goes on."""

    def __init__(self, real: Workplace) -> None:
        self.waiting = threading.Semaphore(0)
        self.goes_on = threading.Event()
        self._real = real

    def prepare(self, claim: Callable[[str], ClaimView]) -> ClaimView:
        self.waiting.release()
        assert self.goes_on.wait(SECONDS)
        return self._real.prepare(claim)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def test_calls_that_make_clones_hold_up_no_others(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.wiring.serving.server.THREADS", 4)
    monkeypatch.setattr("folkmoot.wiring.serving.server.SLOW_THREADS", 4, raising=False)
    with served(project) as server:
        for number in range(3):
            server.post("add", title=f"Item {number}")
        slow = Slow(server.board.workplace)
        server.board.open_workplace = lambda board: slow
        heard: list[int] = []
        threads = [
            threading.Thread(target=lambda: heard.append(server.post("claim", agent="coder", clone=True).status))
            for _ in range(6)
        ]
        try:
            for thread in threads:
                thread.start()
            assert all(slow.waiting.acquire(timeout=SECONDS) for _ in range(4))
            assert server.send("GET", "/healthz", token=None).status == 200
            claim = server.post("claim", agent="coder", item="3", show=False)
            assert claim.status == 200
            report = {"outcome": "failed", "summary": "no", "cause": "environment"}
            assert server.post("report", claim.json["bearer"], report=report).status == 200
            assert heard == []
        finally:
            slow.goes_on.set()
            for thread in threads:
                thread.join(SECONDS)
        assert heard.count(200) >= 2 and set(heard) <= {200, 404}, heard


def said_as(text: str) -> list[tuple[str, str, Any]]:
    """The requests that a text names: method, path, body."""
    found = re.findall(r"`(GET|POST) (/v1/[^\s`]+)(?: with (\{[^`]*\}))?`", text)
    return [(method, path, json.loads(body) if body else None) for method, path, body in found]


def test_an_agent_that_claims_over_http_is_told_by_requests_and_each_of_them_is_taken(project: Path) -> None:
    with served(project) as server:
        server.post("add", title="Say goodbye")
        claim = server.post("claim", agent="coder", clone=True).json
        own = claim["prompt"]
        assert "`moot " not in own and "MOOT_RUN" not in own and "POST /v1/report" in own
        assert claim["brief"]["report_format"]["how"].startswith("POST /v1/report with {")
        told = said_as(own)
        assert {path.partition("?")[0] for _, path, _ in told} == {
            f"/v1/{one['call']}" for one in claim["brief"]["meanwhile"]
        } | {"/v1/report"}
        for one in claim["brief"]["meanwhile"]:
            assert f"`{one['command']}` {one['use']}" in own
        for method, path, body in told:
            if path != "/v1/report":
                heard = server.send(method, path.replace("=ITEM", "=1"), body, claim["bearer"])
                assert heard.status == 200, (path, heard)
        (Path(claim["workspace"]) / "goodbye.txt").write_text("goodbye\n")
        (body,) = re.findall(r"as its body `(.*?)`", own)
        said = json.loads(body.replace('"outcome":"…"', '"outcome":"done"').replace("…", "it says goodbye"))
        assert server.post("report", claim["bearer"], **said).status == 200
