"""What a run may ask of the board through its socket, and the socket itself."""

import errno
import json
import os
import selectors
import socket
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from folkmoot.api import requests
from folkmoot.api.requests import Request
from folkmoot.core import commands
from folkmoot.core.access.allowance import BURST, RATE, SECONDS_BURST, SECONDS_RATE
from folkmoot.core.commands import Actor, Command
from folkmoot.core.flow import Client
from folkmoot.core.report import UNREAD, Finding, Report, Try
from folkmoot.core.rules.decide import carry_out
from folkmoot.core.rules.distinct import TOLD_MAX
from folkmoot.engine.application import Application
from folkmoot.engine.engine import Engine
from folkmoot.engine.reads.queries import Queries
from folkmoot.engine.registry import BY_REQUEST, CALLS
from folkmoot.errors import Invalid, MootError, Refused, Unavailable
from folkmoot.system.relay import PATH_BYTES_MAX, REQUEST_BYTES_MAX, RelayServer, receive, send
from folkmoot.testing.builders import CountedIds, preset_flow
from folkmoot.testing.clock import VirtualClock
from folkmoot.wiring.remote import Line, RemoteApplication
from folkmoot.worker.relay import KEPT, Relay
from folkmoot.worker.secrets.redactor import Known, Redactor
from tests import stores

ADA = Actor("ada")
SECONDS = 20.0  # more than any answer takes; nothing waits for it to pass


class Scene:
    """A board on disk with time in hand; one run of dev-agent on item 1, one of review-agent on item 2."""

    def __init__(self, folder: Path) -> None:
        self.clock = VirtualClock()
        self.store = stores.new_store(folder)
        engine = Engine(self.store, self.clock, CountedIds())
        flow = preset_flow("kanban")
        engine.adopt_flow(ADA, msgspec.structs.replace(flow, clients={"mine": Client(set={"KEY": "not-for-runs"})}), "")
        self.board = Application(engine, str(folder), [])
        engine.add(ADA, commands.AddItem(title="One", column="dev", files=["src/one.py"]))
        engine.add(ADA, commands.AddItem(title="Two", column="review"))
        self.run = self._claim("dev-agent")
        self.other = self._claim("review-agent")
        self.relay = Relay(self.board, self.run)

    def _claim(self, agent: str) -> Actor:
        view = self.board.engine.claim(ADA, agent)
        return Actor(agent, view.run, view.token)

    def ask(self, call: str, key: str | None = None, **args: Any) -> Any:
        """The answer, or the error with its kind."""
        return json.loads(self.relay.answer(msgspec.json.encode({"call": call, "args": args, "key": key})))

    def refused(self, call: str, **args: Any) -> tuple[str, str]:
        reply = self.ask(call, **args)
        assert "answer" not in reply
        return reply["error"]["kind"], reply["error"]["code"]

    def order(self, request: Request[Any], key: str | None = None) -> Any:
        return self.ask(BY_REQUEST[type(request)].name, key, **msgspec.to_builtins(request))

    def events(self) -> list[str]:
        return [event.event for event in self.board.queries.log().events]

    def live(self, run: Actor) -> bool:
        runs = [one for item in ("1", "2") for one in self.board.queries.show(item).runs]
        return next(one.ended_at is None for one in runs if one.run == run.run)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.board.close()


DONE = {"outcome": "done", "summary": "It is done."}


@pytest.mark.ledger("R-27")
def test_what_a_run_does_is_done_as_itself(scene: Scene) -> None:
    view = scene.order(requests.AddComment(content="The limit is 20 MB"))["answer"]
    assert view["comments"][-1]["author"] == "dev-agent"
    view = scene.order(requests.RequestFiles(paths=["src/two.py"]))["answer"]
    assert view["files"] == ["src/one.py", "src/two.py"]
    held = scene.order(requests.Lock(paths=["Makefile"], seconds=60.0))["answer"]["locks"]
    assert ("Makefile", "dev-agent") in {(one["resource"], one["agent"]) for one in held}
    held = scene.order(requests.Unlock(paths=["Makefile"]))["answer"]["locks"]
    assert "Makefile" not in {one["resource"] for one in held}
    assert scene.order(requests.Renew())["answer"]["id"] == "1"
    assert scene.order(requests.Add(title="Three"))["answer"]["id"] == "3"
    assert scene.board.queries.log().events[-1].agent == "dev-agent"


@pytest.mark.ledger("R-27")
def test_nobody_can_speak_for_another_run(scene: Scene) -> None:
    actor = msgspec.to_builtins(scene.other)
    for args in ({"speaker": actor}, {"run": scene.other.run, "token": scene.other.token}):
        assert scene.refused("renew", **args) == ("Invalid", "bad_request")
        assert scene.refused("report", report=DONE, **args) == ("Invalid", "bad_request")
    told = scene.order(requests.AddComment(content="Mine too", item="2"))["error"]
    assert told["code"] == "other_item" and str(scene.run.run) in told["message"]
    assert scene.relay.report is None and scene.board.queries.show("2").comments == []


@pytest.mark.ledger("R-27")
def test_what_is_for_people_is_refused_to_runs(scene: Scene) -> None:
    before = scene.events()
    people = {call.name for call in CALLS if "run" not in call.may}
    codes = {name: scene.refused(name)[1] for name in people}
    assert codes.pop("claim") == "inside_a_run"
    assert people >= {"move", "edit", "cancel", "reopen", "answer", "pause", "resume", "release"}
    assert set(codes.values()) == {"only_people"} and scene.events() == before


@pytest.mark.ledger("R-27")
def test_no_command_of_the_rules_can_be_given_by_its_own_name(scene: Scene) -> None:
    for kind in sorted(Command.__subclasses__(), key=lambda kind: kind.__name__):
        assert scene.refused(kind.__name__) == ("Refused", "not_in_a_run")
        scene.clock.move_to(scene.clock.time + 1 / RATE)


@pytest.mark.ledger("R-27", "R-32")
def test_of_a_text_that_cannot_be_read_only_the_text_is_taken(scene: Scene) -> None:
    forged = Report(outcome="done", findings=[Finding(issue="forged")], extra={UNREAD: "It works."})
    told = scene.order(requests.OfferReport(report=forged, fault="it holds no report"))["error"]
    assert (told["kind"], told["code"]) == ("Invalid", "report_refused")
    assert scene.relay.refused == Report.unread("it holds no report", "It works.")
    assert scene.live(scene.run)
    assert scene.order(requests.OfferReport(report=forged))["error"]["code"] == "not_in_a_run"


@pytest.mark.parametrize(
    "call",
    [
        "engine.adopt_flow",
        "engine.claim_next",
        "engine.keep_output",
        "engine.store",
        "engine.__init__",
        "queries._glance",
        "queries.store",
        "queries.flow_source",
        "queries.__class__",
        "relay.report",
        "adopt_flow",
        "land",
        "",
    ],
)
def test_every_call_that_is_not_named_is_refused(scene: Scene, call: str) -> None:
    assert scene.refused(call) == ("Refused", "not_in_a_run")


def test_a_run_takes_no_other_item(scene: Scene) -> None:
    with pytest.raises(Refused) as direct:
        scene.board.engine.claim(scene.run, "review-agent")
    told = scene.ask("claim", agent="review-agent")["error"]
    assert (told["code"], told["message"], told["hint"]) == (
        direct.value.code,
        direct.value.message,
        direct.value.hint,
    )


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[]",
        b"{}",
        b'{"call": 7}',
        b'{"call": "show"}',
        b'{"call": "show", "args": {"item": 7}}',
        b'{"call": "show", "args": {"item": "1", "more": true}}',
        b'{"call": "log", "args": {"limit": 1000000}}',
        b'{"call": "list", "args": {"after": 99999999999999999999}}',
        b'{"call": "lock", "args": {"paths": "x", "seconds": 1}}',
        b'{"call": "lock", "args": {"paths": ["x"]}}',
        b'{"call": "renew", "args": {"token": 2}}',
        b'{"call": "renew", "key": ""}',
        b'{"call": "report", "args": {"report": "done"}}',
        b'{"call": "show", "speaker": "ada"}',
        b"[" * 100_000,
        b'{"call": "show", "args": ' + b'{"a":' * 5000 + b"1" + b"}" * 5001,
    ],
)
def test_what_is_no_question_is_refused_and_changes_nothing(scene: Scene, request_bytes: bytes) -> None:
    before = scene.events()
    told = json.loads(scene.relay.answer(request_bytes))["error"]
    assert (told["kind"], told["code"]) == ("Invalid", "bad_request")
    assert scene.events() == before


@pytest.mark.ledger("R-27")
def test_a_report_is_kept_for_the_worker_and_the_last_one_counts(scene: Scene) -> None:
    view = scene.ask("report", report=DONE)["answer"]
    assert view["id"] == "1" and view["status"] == "running" and view["note"] == KEPT and KEPT in view["why"]
    assert scene.relay.report == Report.done("It is done.") and scene.relay.fault is None
    assert scene.live(scene.run) and "agent_completed" not in scene.events()
    stuck = requests.SendReport(report=Report(outcome="stuck", summary="No way"))
    assert scene.order(stuck)["answer"]["note"] == KEPT
    assert scene.relay.report == stuck.report
    assert scene.ask("report", report=DONE, fault="no report")["answer"]["note"] == KEPT
    assert scene.relay.fault == "no report"
    scene.ask("report", report=DONE)
    assert scene.relay.fault is None


@pytest.mark.parametrize(
    "report",
    [
        {},
        {"outcome": "finished"},
        {"outcome": "done", "colour": "green"},
        {"outcome": "done", "summary": "a\0b"},
        {"outcome": "failed", "cause": "bad luck"},
        {"outcome": "done", "usage": {"input_tokens": -1}},
    ],
)
def test_an_unreadable_report_is_not_kept(scene: Scene, report: dict[str, Any]) -> None:
    scene.ask("report", report=DONE)
    assert scene.refused("report", report=report) == ("Invalid", "unreadable_report")
    assert scene.relay.report == Report.done("It is done.")


ASKS_NOTHING = {"outcome": "asks", "summary": "hm", "comments": [{"content": "two readings"}]}


@pytest.mark.ledger("R-32")
def test_a_report_that_breaks_the_form_is_refused_while_the_agent_is_there(scene: Scene) -> None:
    for _ in range(2):
        assert scene.refused("report", report=ASKS_NOTHING, key="k") == ("Invalid", "report_refused")
    assert scene.relay.report is None and scene.relay.refused is not None and scene.live(scene.run)
    told = [comment.content for comment in scene.board.queries.comments("1").comments]
    assert told == ["two readings"] and "agent_completed" not in scene.events()
    view = scene.ask("report", report=DONE, key="k")["answer"]
    assert view["note"] == KEPT and scene.relay.report is not None and scene.relay.refused is None


@pytest.mark.ledger("R-32")
def test_a_refused_report_takes_back_no_good_one_and_a_last_word_is_kept_as_it_is(scene: Scene) -> None:
    scene.ask("report", report=DONE)
    scene.refused("report", report=ASKS_NOTHING)
    assert scene.relay.report == Report.done("It is done.")
    assert scene.ask("report", report=ASKS_NOTHING, final=True)["answer"]["note"] == KEPT
    assert scene.relay.report is not None and scene.relay.report.outcome == "asks"


def test_a_report_cannot_bring_its_own_word_for_the_change(scene: Scene) -> None:
    assert scene.refused("report", report=DONE, work={"commit": "abc"}) == ("Invalid", "bad_request")
    assert scene.relay.report is None


def test_a_key_makes_a_report_count_once(scene: Scene) -> None:
    first = scene.ask("report", report=DONE, key="k")["answer"]
    scene.ask("report", report={"outcome": "stuck", "summary": "No way"})
    again = scene.ask("report", report=DONE, key="k")["answer"]
    assert again["id"] == first["id"] and scene.relay.report is not None
    assert scene.relay.report.outcome == "stuck"  # what was repeated had taken effect before it
    other = {"outcome": "failed", "summary": "Red"}
    assert scene.refused("report", report=other, key="k") == ("Refused", "key_reused")
    assert scene.order(requests.Add(title="Three"), "a")["answer"]["id"] == "3"
    assert scene.order(requests.Add(title="Three"), "a")["answer"]["id"] == "3"


@pytest.mark.ledger("R-27")
def test_a_run_that_has_lost_its_lease_changes_nothing(scene: Scene) -> None:
    scene.clock.move_to(10_000)
    assert scene.refused("report", report=DONE) == ("Refused", "stale_claim")
    assert scene.relay.report is None
    for request in (
        requests.Renew(),
        requests.RequestFiles(paths=["x.py"]),
        requests.Lock(paths=["x.py"], seconds=60.0),
        requests.Add(title="Three"),
    ):
        assert scene.order(request)["error"]["code"] == "stale_claim"
    assert scene.order(requests.AddComment(content="Hello", item="1"))["error"]
    assert scene.board.queries.list().next is None and len(scene.board.queries.list().items) == 2
    assert scene.board.queries.show("1").comments == []


def test_a_message_that_a_run_rejects_ends_it(tmp_path: Path) -> None:
    engine = Engine(stores.new_store(tmp_path), VirtualClock(), CountedIds())
    engine.adopt_flow(ADA, preset_flow("handoff"), "")
    board = Application(engine, str(tmp_path), [])
    sent = engine.send(ADA, commands.SendMessage(sender="planner", to="builder", type="task_handoff"))
    claim = engine.claim(ADA, "builder")
    relay = Relay(board, Actor("builder", claim.run, claim.token))
    order = {"message": sent.message_id, "why": "It names no limits"}
    asked = msgspec.json.encode({"call": "reject", "args": order})
    assert not relay.ended
    assert json.loads(relay.answer(asked))["answer"]["status"] == "rejected"
    assert relay.ended and board.queries.show(sent.item or "").runs[-1].outcome == "disputed"
    board.close()


def test_reads_are_the_board_s_own_and_write_nothing(scene: Scene) -> None:
    before = scene.events()
    wanted: dict[str, dict[str, Any]] = {name: {"item": "1"} for name in ("show", "comments", "prospect")}
    wanted |= {"search": {"text": "one"}, "past": {"seq": 3, "item": "1"}}
    wanted["run"] = wanted["output"] = {"run": scene.run.run}
    for call in CALLS:
        if not call.writes and call.allows("run") and call.name not in ("flow", "me", "moves", "change"):
            args = wanted.get(call.name, {})
            direct = scene.board.asked_by(ADA)(call.request(**args))
            assert scene.ask(call.name, **args)["answer"] == json.loads(msgspec.json.encode(direct)), call.name
    assert scene.events() == before
    assert scene.refused("show", item="99") == ("Invalid", "unknown_item")
    assert scene.refused("output", run=scene.other.run) == ("Refused", "not_in_a_run")
    assert scene.refused("change", item="2") == ("Refused", "not_in_a_run")
    assert scene.refused("change", item="1") == ("Refused", "no_workplace"), "its own, where anybody can look at it"
    assert [one["allowed"] for one in scene.ask("moves", item="1")["answer"]["moves"]] == [True] * len(
        preset_flow("kanban").columns
    )
    assert (scene.ask("me")["answer"]["name"], scene.ask("me")["answer"]["role"]) == ("dev-agent", "run")


@pytest.mark.attack(
    "time",
    "runs ask for the whole board again and again, so that leases of others are not renewed",
    "runs read one at a time, and one whose reads take too long waits",
)
def test_what_reads_cost_is_counted_in_time_too(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Queries.metrics

    def slow(queries: Queries, item: str | None = None) -> Any:
        scene.clock.move_to(scene.clock.time + SECONDS_BURST + 1.0)
        return read(queries, item)

    monkeypatch.setattr(Queries, "metrics", slow)
    assert "answer" in scene.ask("metrics")
    assert scene.refused("inbox") == ("Refused", "too_fast")
    scene.clock.move_to(scene.clock.time + 1.1 / SECONDS_RATE)
    assert "answer" in scene.ask("inbox")


@pytest.mark.attack(
    "time",
    "a run sends report after report, each of which takes seconds to be read",
    "reading counts like any other time that its questions take: it waits, and others go on",
)
@pytest.mark.parametrize("call", ["report", "comment"])
def test_what_it_takes_to_read_words_is_counted_too(scene: Scene, call: str) -> None:
    def slow(value: Any) -> Any:
        scene.clock.move_to(scene.clock.time + SECONDS_BURST + 1.0)
        return value

    scene.relay = Relay(scene.board, scene.run, slow)
    words = {"report": DONE} if call == "report" else {"content": "x"}
    assert "answer" in scene.ask(call, **words)
    assert scene.refused(call, **words) == ("Refused", "too_fast")
    scene.clock.move_to(scene.clock.time + 1.1 / SECONDS_RATE)
    assert "answer" in scene.ask(call, **words)


def test_runs_read_one_at_a_time(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most, gate = 0, 0, threading.Barrier(3)

    def watched(queries: Queries) -> Any:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.01)  # long enough for another to come in, if it could
        inside -= 1
        return {}

    def crowd(relay: Relay) -> None:
        gate.wait()
        relay.answer(msgspec.json.encode({"call": "inbox", "args": {}}))

    monkeypatch.setattr(Queries, "inbox", watched)
    relays = [scene.relay, Relay(scene.board, scene.other), Relay(scene.board, scene.other)]
    threads = [threading.Thread(target=crowd, args=(relay,)) for relay in relays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_the_flow_is_shown_without_what_clients_are_given(scene: Scene) -> None:
    told = scene.ask("flow")["answer"]
    assert scene.board.queries.flow().clients["mine"].set == {"KEY": "not-for-runs"}
    assert told["name"] == "kanban" and "not-for-runs" not in json.dumps(told)


def test_too_many_questions_are_refused_until_time_has_passed(scene: Scene) -> None:
    heard = [scene.ask("inbox") for _ in range(int(BURST) + 1)]
    assert all("answer" in reply for reply in heard[:-1])
    assert (heard[-1]["error"]["kind"], heard[-1]["error"]["code"]) == ("Refused", "too_fast")
    scene.clock.move_to(scene.clock.time + 2 / RATE + 0.001)
    after = ["answer" in scene.ask("inbox") for _ in range(3)]
    assert after == [True, True, False]


# The socket


class Echo:
    """Answers with what it was asked, once it may."""

    def __init__(self) -> None:
        self.may = threading.Event()
        self.may.set()
        self.asked = threading.Semaphore(0)
        self.answered: list[bytes] = []

    def answer(self, request: bytes) -> bytes:
        self.asked.release()
        assert self.may.wait(SECONDS)
        self.answered.append(request)
        return request

    def refuse(self, error: MootError) -> bytes:
        return error.code.encode()


def call(path: str, request: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(SECONDS)
        connection.connect(path)
        send(connection, request, SECONDS)
        return receive(connection, REQUEST_BYTES_MAX, SECONDS)


def idle(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(SECONDS)
    connection.connect(path)
    return connection


def test_the_socket_is_its_owner_s_alone_and_goes_with_the_server(tmp_path: Path) -> None:
    path = tmp_path / "r" / "s"
    server = RelayServer(str(path), Echo())
    try:
        assert server.path == str(path) and server.folder == str(path.parent)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert call(server.path, b"hello") == b"hello"
        assert call(server.path, b"") == b""
        large = os.urandom(REQUEST_BYTES_MAX)
        assert call(server.path, large) == large
    finally:
        server.close()
        server.close()
    assert not path.exists()
    with pytest.raises(OSError):
        call(server.path, b"hello")


@pytest.mark.attack(
    "limits",
    "an agent uses up what the kernel counts for all processes of a user: what they watch (epoll), threads",
    "other runs are heard as ever; a question for which there is no thread goes unanswered, and the next one is heard",
)
def test_what_a_user_has_too_little_of_makes_nobody_deaf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*words: object) -> None:
        raise OSError(errno.ENOSPC, "no more watches")

    monkeypatch.setattr(selectors.EpollSelector, "register", refuse)
    server = RelayServer(str(tmp_path / "moot.sock"), Echo())
    assert call(server.path, b"one") == b"one"
    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda thread: (_ for _ in ()).throw(RuntimeError("no thread")))
    with pytest.raises(OSError):
        call(server.path, b"two")
    monkeypatch.setattr(threading.Thread, "start", start)
    assert call(server.path, b"three") == b"three"
    server.close()


@pytest.mark.attack(
    "keeper",
    "an agent of another board, which can see a run's socket, speaks through it",
    "it is refused: what opens the socket is in the environment of its own run alone",
)
def test_a_socket_opens_only_to_whoever_has_its_secret(tmp_path: Path, scene: Scene) -> None:
    server = RelayServer(str(tmp_path / "s"), scene.relay, secret="5ecre7")
    try:
        assert RemoteApplication(server.address).asked_by(ADA)(requests.ListQuestions()).questions == []
        for address in (server.path, f"{server.path}#other", f"{server.path}#{'x' * 1000}"):
            with pytest.raises(MootError) as refused:
                RemoteApplication(address).asked_by(ADA)(requests.ShowInbox())
            assert refused.value.code in ("other_run", "too_large"), address
    finally:
        server.close()


def test_a_path_that_is_too_long_for_a_socket_is_made_short(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 40) / ("x" * 60)
    assert len(os.fsencode(path)) > PATH_BYTES_MAX
    server = RelayServer(str(path), Echo())
    try:
        assert len(os.fsencode(server.path)) <= PATH_BYTES_MAX
        assert stat.S_IMODE(os.stat(server.folder).st_mode) == 0o700 and os.listdir(server.folder) == ["moot.sock"]
        assert call(server.path, b"hello") == b"hello"
    finally:
        server.close()
    assert not os.path.exists(server.folder)


def test_a_socket_that_was_left_behind_is_replaced_and_any_other_file_is_not(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    server = RelayServer(str(path), Echo())
    assert call(server.path, b"hello") == b"hello"
    server.close()
    path.write_text("mine")
    with pytest.raises(Unavailable) as refused:
        RelayServer(str(path), Echo())
    assert refused.value.code == "no_socket" and path.read_text() == "mine"


def test_a_question_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    server = RelayServer(str(tmp_path / "s"), echo := Echo())
    try:
        with idle(server.path) as connection:
            connection.sendall((REQUEST_BYTES_MAX + 1).to_bytes(4, "big"))
            assert receive(connection, 100, SECONDS) == b"too_large"
        assert echo.answered == []
    finally:
        server.close()


def test_who_says_nothing_is_sent_away_and_keeps_nobody_out_for_long(tmp_path: Path) -> None:
    server = RelayServer(str(tmp_path / "s"), Echo(), connections=2, patience=0.2)
    try:
        silent = [idle(server.path) for _ in range(2)]
        silent[0].sendall(b"\0\0")
        # Both places are taken: this one waits until their time is over, and is heard then.
        assert call(server.path, b"hello") == b"hello"
        assert [connection.recv(1) for connection in silent] == [b"", b""]
        for connection in silent:
            connection.close()
    finally:
        server.close()


def test_no_more_are_heard_at_once_than_there_are_places(tmp_path: Path) -> None:
    server = RelayServer(str(tmp_path / "s"), echo := Echo(), connections=2)
    echo.may.clear()
    answers: list[bytes] = []
    callers = [threading.Thread(target=lambda: answers.append(call(server.path, b"x"))) for _ in range(5)]
    try:
        for caller in callers:
            caller.start()
        assert echo.asked.acquire(timeout=SECONDS) and echo.asked.acquire(timeout=SECONDS)
        assert not echo.asked.acquire(timeout=0.2)
        echo.may.set()
        for caller in callers:
            caller.join(SECONDS)
        assert answers == [b"x"] * 5
    finally:
        echo.may.set()
        server.close()


def test_when_it_is_closed_no_question_is_under_way(tmp_path: Path) -> None:
    server = RelayServer(str(tmp_path / "s"), echo := Echo())
    echo.may.clear()
    answers: list[bytes] = []
    caller = threading.Thread(target=lambda: answers.append(call(server.path, b"last words")))
    caller.start()
    assert echo.asked.acquire(timeout=SECONDS)
    waiting = idle(server.path)  # one that has yet to say something is not waited for
    closer = threading.Thread(target=server.close)
    closer.start()
    closer.join(0.1)
    assert closer.is_alive() and echo.answered == []
    echo.may.set()
    closer.join(SECONDS)
    assert not closer.is_alive() and echo.answered == [b"last words"]
    caller.join(SECONDS)
    assert answers == [b"last words"]
    waiting.close()


def test_a_client_that_goes_away_harms_nobody(tmp_path: Path) -> None:
    server = RelayServer(str(tmp_path / "s"), echo := Echo(), connections=1)
    try:
        for said in (b"", b"\0", b"\0\0\0\x05hel", b"\0\0\0\x05hello"):
            with idle(server.path) as connection:
                connection.sendall(said)
        assert call(server.path, b"hello") == b"hello"
        assert echo.answered[-1] == b"hello"
    finally:
        server.close()


# Both ends together


@pytest.fixture
def far(scene: Scene, tmp_path: Path) -> Iterator[RemoteApplication]:
    server = RelayServer(str(tmp_path / "s"), scene.relay)
    yield RemoteApplication(server.path)
    server.close()


def test_an_error_is_the_same_at_both_ends(scene: Scene, far: RemoteApplication) -> None:
    deep: dict[str, Any] = {}
    for _ in range(60):
        deep = {"a": deep}
    attempts: list[requests.Request[Any]] = [
        requests.Show(item="99"),
        requests.ReadLog(after=-1),
        requests.Move(item="1", column="dev"),
        requests.AddComment(item="1", content=" "),
        requests.AddComment(item="", content=" "),
        requests.AddComment(item="1", content="a\0b"),
        requests.AddComment(item="1", content="\ud800"),
        requests.AddComment(item="1", content="x" * 1_000_001),
        requests.RequestFiles(paths=["../out"]),
        requests.SendMessage(sender="dev-agent", to="review-agent", type="note", payload=deep),
        requests.Lock(paths=["a"], seconds=float("nan")),
        requests.AnswerQuestion(question="q1", answer="yes"),
        requests.Claim(agent="dev-agent"),
        requests.SendReport(report=Report.done("a\0b")),
    ]
    near, there = scene.board.asked_by(scene.run), far.asked_by(scene.run)
    for request in attempts:
        with pytest.raises(MootError) as expected:
            near(request)
        with pytest.raises(MootError) as found:
            there(request)
        told = (type(found.value), found.value.code, found.value.exit_code)
        if expected.value.code not in ("unknown_question", "only_people"):  # a run is told at once what it may not
            assert told == (type(expected.value), expected.value.code, expected.value.exit_code), request
            if expected.value.code != "too_large":  # of which the words say by how much
                assert (found.value.message, found.value.hint) == (expected.value.message, expected.value.hint), request


def test_the_far_flow_is_the_flow(scene: Scene, far: RemoteApplication) -> None:
    assert far.asked_by(ADA)(requests.ShowFlow()) == msgspec.structs.replace(scene.board.queries.flow(), clients={})


def test_what_a_door_wants_of_a_whole_board_is_refused_by_name(far: RemoteApplication) -> None:
    for wanted in ("store", "adopt_flow", "claim_next", "flows"):
        with pytest.raises(Refused) as refused:
            getattr(far, wanted)
        assert refused.value.code == "not_in_a_run"
    assert not hasattr(far, "_private")


def test_too_fast_is_only_slow_for_who_asks_politely(scene: Scene, far: RemoteApplication) -> None:
    for _ in range(int(BURST)):
        scene.ask("inbox")
    assert scene.ask("inbox")["error"]["code"] == "too_fast"
    timer = threading.Timer(0.2, lambda: scene.clock.move_to(scene.clock.time + 1))
    timer.start()
    assert far.asked_by(ADA)(requests.ListQuestions()).questions == []
    timer.join()


def test_nobody_there_is_said_as_such(tmp_path: Path) -> None:
    for path in (str(tmp_path / "s"), str(tmp_path / ("x" * 120))):
        with pytest.raises(Unavailable) as refused:
            Line(path).ask("inbox", {})
        assert refused.value.code == "no_answer" and refused.value.exit_code == 4
    with pytest.raises(Invalid):
        Line(str(tmp_path / "s")).ask("show", {"item": "\ud800"})


@pytest.mark.attack(
    "limits",
    "a run reports with hundreds of thousands of fields that nobody knows, each of which is compared with those known",
    "it is refused by their number, at once: the worker looks for what was meant in no such report",
)
@pytest.mark.ledger("R-32")
def test_a_report_of_very_many_unknown_fields_keeps_nobody_busy(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def compared(*rest: Any) -> str:
        raise AssertionError("it was looked for what was meant")

    monkeypatch.setattr("folkmoot.reports.canonical.did_you_mean", compared)
    reply = scene.ask("report", report={**DONE, **{f"k{number}": 1 for number in range(100_000)}})
    assert reply["error"]["kind"] == "Invalid" and "100002 fields" in reply["error"]["message"]


@pytest.mark.attack(
    "limits",
    "a run reports thousands of attempts, or two of very many words, each of which is compared with those before it",
    "so many are refused by their number, and only the beginning of each is compared: the board is free in a moment",
)
@pytest.mark.ledger("R-06", "R-32")
def test_a_report_of_very_many_attempts_keeps_nobody_busy(scene: Scene) -> None:
    told = [{"approach": f"way {number}", "outcome": "it broke"} for number in range(5_000)]
    failed = {"outcome": "failed", "summary": "no way leads there"}
    reply = scene.ask("report", report={**failed, "attempts": told})
    assert reply["error"]["code"] == "report_refused" and "5000 attempts" in reply["error"]["message"]

    def words(beside: str) -> str:
        """Alike by its letters, and not by its words."""
        return "".join(f"{beside}{number:06d} " for number in range(20_000))

    began = time.thread_time()
    long = [{"approach": words(beside), "outcome": "it broke"} for beside in ("x", "y")]
    assert "error" not in scene.ask("report", report={**failed, "attempts": long})
    report = commands.ReportRun(report=Report.failed("no", attempts=[Try(approach=one["approach"]) for one in told]))
    scene.board.engine.handle_run(scene.run, msgspec.structs.replace(report, final=True))
    assert time.thread_time() - began < SECONDS
    assert len([event for event in scene.events() if event.startswith("attempt_")]) == TOLD_MAX


def test_a_question_nested_too_deep_is_refused(scene: Scene) -> None:
    scene.relay = Relay(scene.board, scene.run, Redactor(Known()).clean_value)
    deep = b"[" * 900 + b"]" * 900
    assert b"bad_request" in scene.relay.answer(b'{"call": "comment", "args": {"content": %b}}' % deep)


@pytest.mark.ledger("R-32")
def test_a_large_report_is_decided_once(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """To say of each statement whether it acts, it is decided without it: of a large one nothing is said."""
    decided: list[Command] = []

    def counted(case: Any, command: Command) -> None:
        decided.append(command)
        carry_out(case, command)

    monkeypatch.setattr("folkmoot.core.rules.decide.carry_out", counted)
    own = {f"k{number}": "it must be fixed" for number in range(30)}
    many = {f"k{number}": 1 for number in range(5_000)}
    assert scene.refused("report", report={**DONE, "extra": many}) == ("Invalid", "unreadable_report")
    assert "error" not in scene.ask("report", report={**DONE, "lessons": ["small"], "extra": own})
    small, decided[:] = len(decided), []
    assert "error" not in scene.ask("report", report={**DONE, "lessons": ["large " * 10_000], "extra": own})
    assert small > 2 >= len(decided)
