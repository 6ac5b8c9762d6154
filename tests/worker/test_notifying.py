"""People hear of every question: also of the last one, and of one that opened while no worker ran."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.notices.notice import Notice
from folkmoot.core.notices.targets import Target
from folkmoot.wiring.notifying import sending
from folkmoot.wiring.notifying.courier import Delivery, Failed
from folkmoot.wiring.notifying.sending import Sender, started
from folkmoot.wiring.running import work
from folkmoot.wiring.serving.address import served_at, told_at
from tests.doors.conftest import environment
from tests.worker.notifying.receiver import FLOW, PATIENCE, Receiver
from tests.worker.yard import Yard

WRITES = "import sys; open(sys.argv[1], 'a').write(sys.argv[2] + chr(10))"
READS = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read() + chr(10))"
ASKS = json.dumps({"outcome": "asks", "question": {"question": "which colour?"}})


def worked(yard: Yard) -> list[Any]:
    told: list[Any] = []
    application = yard.board._application
    home = str(yard.folder / ".moot")
    work(application, home, slots=2, agents=[], until_idle=True, tell=told.append, begin=lambda said: None)
    return told


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def faults(told: list[Any]) -> list[str]:
    return [one.words for one in told if one.what == "fault"]


@pytest.mark.attack("damage", "the last run before the worker ends asks something", "people are told, and told once")
def test_the_question_of_the_last_run_is_told_once(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    yard = Yard(tmp_path / "yard", more=f"notify: {json.dumps([sys.executable, '-c', WRITES, str(heard)])}")
    item = yard.add("one", f"say {ASKS}")
    worked(yard)
    assert yard.status(item) == "awaiting-divine-guidance"
    assert lines(heard) == [f"item {item}: which colour?"]
    worked(yard)  # it is open still, and known
    assert len(lines(heard)) == 1
    other = yard.add("two", f"say {ASKS}")
    worked(yard)
    assert lines(heard)[1:] == [f"item {other}: which colour?"]


@pytest.mark.attack(
    "board",
    "a run asks with what steers a terminal, or turns letters round, and `notify` shows it there",
    "the command gets letters and new lines alone",
)
def test_what_is_told_steers_no_terminal(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    yard = Yard(tmp_path / "yard", more=f"notify: {json.dumps([sys.executable, '-c', WRITES, str(heard)])}")
    asks = {"outcome": "asks", "question": {"question": "which\x1b]52;c;ZXZpbA==\x07 \u202ecolour\x9b2J?\nred"}}
    yard.add("one", f"say {json.dumps(asks)}")
    worked(yard)
    assert lines(heard) == ["item 1: which]52;c;ZXZpbA== colour2J?", "red"]
    yard.close()


def test_a_question_that_opened_before_the_first_look_is_told(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    yard = Yard(tmp_path / "yard", more=f"notify: {json.dumps([sys.executable, '-c', WRITES, str(heard)])}")
    item = yard.add("one", f"say {ASKS}")
    yard.run()  # a worker that notifies nobody
    worked(yard)
    assert lines(heard) == [f"item {item}: which colour?"]


@pytest.mark.parametrize("command", [["/no/such/program"], [sys.executable, "-c", "raise SystemExit(3)"]])
def test_a_command_that_fails_is_told_once_and_tried_again_by_the_next_worker(
    command: list[str], tmp_path: Path
) -> None:
    yard = Yard(tmp_path / "yard", more=f"notify: {json.dumps(command)}")
    for name in "abc":
        yard.add(name, f"say {ASKS}")
    told = faults(worked(yard))
    assert len(told) == 1 and told[0].startswith(f"nobody could be notified by {command[0]}: ")
    assert len(faults(worked(yard))) == 1


def test_a_command_reads_the_whole_notice_and_one_that_lands_and_rests_is_told_in_order(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    command = json.dumps([sys.executable, "-c", READS, str(heard)])
    yard = Yard(tmp_path / "yard", more=f"notify: [{{command: {command}, on: [landed, question, idle]}}]")
    item = yard.add("Reset by mail", "write a.txt x", "report done", files=["a.txt"])
    assert faults(worked(yard)) == []
    told = [json.loads(line) for line in lines(heard)]
    assert [one["text"] for one in told] == [
        f"item {item}: landed on main: Reset by mail",
        "the board is at rest: nothing waits for you",
    ]
    assert told[0]["title"] == "Reset by mail" and told[0]["link"] is None and len({one["id"] for one in told}) == 2
    worked(yard)
    assert len(lines(heard)) == 2, "nobody has worked since"


def sender(argv: list[str] | None = None, link: str | None = None) -> Sender:
    def start(words: list[str], told: bytes) -> "subprocess.Popen[bytes]":
        return started([*(argv or []), *words], told, subprocess.Popen, start_new_session=True)

    return Sender(start, list, lambda program: None, {}, lambda: link)


NOTICE = Delivery("1", Notice(key="k", topic="question", words="which?", at=0, item="7"))


def test_a_command_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "PATIENCE", 0.2)
    hangs = Target(command=[sys.executable, "-c", "import time; time.sleep(600)"])
    with pytest.raises(Failed, match="it was not over after"):
        sender().to(hangs)(NOTICE)


def test_what_still_runs_at_the_end_is_left_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "LAST_PATIENCE", 0.0)
    ends = tmp_path / "end"
    begun: list[subprocess.Popen[bytes]] = []
    code = f"import os, time\nwhile not os.path.exists({str(ends)!r}): time.sleep(0.01)"

    def start(words: list[str], told: bytes) -> "subprocess.Popen[bytes]":
        begun.append(started(words, told, subprocess.Popen, start_new_session=True))
        return begun[0]

    sends = Sender(start, list, lambda program: None, {}, lambda: None)
    sends.hurry()
    sends.to(Target(command=[sys.executable, "-c", code]))(NOTICE)  # it counts as told
    assert begun[0].poll() is None
    ends.touch()
    assert begun[0].wait(PATIENCE) == 0


def test_the_desktop_is_told_by_what_is_installed(tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def start(words: list[str], told: bytes) -> "subprocess.Popen[bytes]":
        seen.append(words)
        return subprocess.Popen(["/bin/true"])

    for there in ("notify-send", "kdialog"):
        find = {there: f"/usr/bin/{there}"}.get
        Sender(start, list, find, {}, lambda: "http://127.0.0.1:1").to(Target(desktop=True))(NOTICE)
    assert [one[0] for one in seen] == ["/usr/bin/notify-send", "/usr/bin/kdialog"]
    assert seen[0][-1] == "which?\nhttp://127.0.0.1:1/#/item/7"
    linked = Notice(key="k", topic="question", words="<a href='x'>ours</a> & <img src='/x'>", at=0)
    for there in ("notify-send", "kdialog"):
        find = {there: f"/usr/bin/{there}"}.get
        Sender(start, list, find, {}, lambda: None).to(Target(desktop=True))(Delivery("1", linked))
    assert all("<" not in word for one in seen for word in one) and "&lt;a href='x'&gt;" in seen[2][-1]
    with pytest.raises(Failed, match="neither notify-send nor kdialog"):
        sender().to(Target(desktop=True))(NOTICE)


def test_the_address_of_a_server_is_known_while_it_lives(tmp_path: Path) -> None:
    home = str(tmp_path)
    assert served_at(home) is None
    with told_at(home, "http://127.0.0.1:8080"), told_at(home, "http://127.0.0.1:9090"):
        assert served_at(home) == "http://127.0.0.1:8080"
    assert served_at(home) is None


def run(yard: Yard, receiver: Receiver, *words: str) -> "subprocess.Popen[bytes]":
    env = environment({"HOOK_URL": receiver.address, "HOOK_KEY": "a-very-secret-key"})
    command = [sys.executable, "-m", "folkmoot", "run", *words]
    return subprocess.Popen(
        command, cwd=yard.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )


HOOKED = f"{FLOW}notify: [{{webhook: HOOK_URL, secret: HOOK_KEY}}]\n"


def test_a_worker_that_is_killed_in_the_middle_of_a_send_sends_it_again_with_the_same_id(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=HOOKED)
    item = yard.add("one", f"say {ASKS}")
    with Receiver("hang") as receiver:
        worker = run(yard, receiver)
        first = receiver.wait()
        os.kill(worker.pid, signal.SIGKILL)
        worker.communicate()
        again = run(yard, receiver, "--until-idle")
        again.communicate(timeout=PATIENCE)
        assert again.returncode == 0
        second = receiver.got[1]
        run(yard, receiver, "--until-idle").communicate(timeout=PATIENCE)
    assert first.headers["webhook-id"] == second.headers["webhook-id"] and first.body == second.body
    texts = [got.json["text"] for got in receiver.got]
    assert texts == [f"item {item}: which colour?"] * 2 + ["the board is at rest: 1 question waits for you"]


@pytest.mark.attack(
    "secrets",
    "a run looks for the address and the secret of a target of notices, and a receiver fails",
    "neither is in its environment, the log, the export or what the worker says",
)
def test_what_opens_a_target_is_found_nowhere(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=HOOKED)
    yard.add("one", f"shell env > {tmp_path}/env", "report done")
    with Receiver(500) as receiver:
        worker = run(yard, receiver, "--until-idle")
        said = worker.communicate(timeout=PATIENCE)[0]
        address = receiver.address
    assert b"nobody could be notified by webhook (HOOK_URL): it answers 500" in said
    exported = subprocess.run(
        [sys.executable, "-m", "folkmoot", "export", "-"], cwd=yard.folder, env=environment(), capture_output=True
    ).stdout
    kept = [path.read_bytes() for path in (yard.folder / ".moot").rglob("*") if path.is_file()]
    assert (tmp_path / "env").read_bytes() and exported
    for text in (said, exported, (tmp_path / "env").read_bytes(), *kept):
        assert b"a-very-secret-key" not in text and address.encode() not in text


def test_a_receiver_that_hangs_slows_no_run(tmp_path: Path) -> None:
    """The worker's loop waits for nobody: eight items are done while the first notice has no answer."""
    yard = Yard(tmp_path / "yard", flow=HOOKED.replace("secret: HOOK_KEY", "secret: HOOK_KEY, on: [question, landed]"))
    yard.add("asks", f"say {ASKS}")
    with Receiver("hang") as receiver:
        worker = run(yard, receiver)
        try:
            receiver.wait()
            items = [yard.add(f"item {number}", "report done") for number in range(8)]
            for _ in range(600):
                if all(yard.status(item) == "done" for item in items):
                    break
                worker_ended = worker.poll() is not None
                assert not worker_ended
                signal.sigtimedwait([], 0.2)
            assert [yard.status(item) for item in items] == ["done"] * 8
            assert len(receiver.got) == 1
        finally:
            receiver.let_go.set()
            worker.send_signal(signal.SIGINT)
            worker.communicate(timeout=PATIENCE)
