"""When it goes wrong: quota, budgets, stop and go, Ctrl-C, an agent that always fails, secrets."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.worker.yard import Yard

CLIENT = """
flow: trouble
start: dev
limits: {{slots: 2, executions: 2{limits}}}
columns:
  dev: {{agents: [dev], next: done}}
  other: {{agents: [other], next: done}}
agents:
  dev: {{run: {{client: scripted}}, write: own, ladder: {{0: small, 1+: escalate}}}}
  other: {{run: {{command: ACTOR}}, write: own}}
models: {{small: {{client: scripted, pool: shared}}}}
pools: {{shared: {{slots: 1}}}}
clients: {{scripted: {{command: ACTOR, speaks: claude-code, env: [PASSED_KEY]}}}}
{more}
"""
RESULT = '{"type":"result","subtype":"success","is_error":%s,"api_error_status":%s,"result":"%s","total_cost_usd":%s,'
RESULT += '"usage":{"input_tokens":%d,"output_tokens":%d},"num_turns":1,"session_id":"s"}'


def yard_of(folder: Path, limits: str = "", more: str = "") -> Yard:
    return Yard(folder, flow=CLIENT.format(limits=limits, more=more))


def failed(status: int, words: str) -> str:
    return "say " + RESULT % ("true", status, words, 0, 0, 0)


def until(true: Callable[[], object], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)


def moot_run(yard: Yard, *options: str, **more: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "folkmoot", "run", *options]
    return subprocess.Popen(command, cwd=yard.folder, env={**os.environ, **more}, stdout=subprocess.PIPE, text=True)


@pytest.mark.ledger("R-07")
def test_quota_pauses_its_pool_over_restarts_and_counts_against_nobody(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard")
    item = yard.add("wants quota", failed(429, "rate limit reached, try again in 40 minutes"))
    free = yard.add("free", "write f.txt x", "report done", column="other")
    yard.run()
    shown = yard.show(item)
    assert [(run["outcome"], run["cause"]) for run in shown["runs"]] == [("released", "quota")]
    assert (shown["status"], shown["failure_count"]) == ("ready", 0)
    assert yard.status(free) == "done"
    (pause,) = yard.queries.pauses()["pauses"]
    assert pause["what"] == "pool:shared" and "rate limit" in pause["why"]
    yard.run()  # another worker, later: the pause still holds
    assert len(yard.show(item)["runs"]) == 1
    yard.doctor()
    yard.close()


@pytest.mark.ledger("R-07")
def test_budgets_stop_new_runs(tmp_path: Path) -> None:
    # Each says that it is not done yet, at $2: the item's budget is spent first, then the day's.
    line = "say " + RESULT % ("false", "null", "TASK_INCOMPLETE: more to do", 2.0, 5, 5)
    for place in ("yard", "again"):
        day = time.time() // 86_400
        yard = yard_of(tmp_path / place, more="budget: {item_usd: 1.0, day_usd: 4.0}")
        items = [yard.add(f"n{n}", line) for n in range(3)]
        yard.run(slots=1)
        if time.time() // 86_400 == day:  # else a new day has begun meanwhile, with a budget of its own
            break
        yard.close()
    first = yard.show(items[0])
    assert first["status"] == "awaiting-divine-guidance" and "$2.00 of $1.00" in first["questions"][0]["question"]
    assert first["questions"][0]["kind"] == "budget"
    assert [len(yard.show(item)["runs"]) for item in items] == [1, 1, 0]
    assert [pause["what"] for pause in yard.queries.pauses()["pauses"]] == ["day"]
    yard.doctor()
    yard.close()


@pytest.mark.ledger("R-07")
def test_an_agent_that_always_fails_cannot_begin_more_runs_than_allowed(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", limits=", starts: 3, window: 1h")
    for number in range(6):
        yard.add(f"n{number}", "exit 1")
    yard.run()
    begun = [event for event in yard.board.log() if event["event"] == "agent_started"]
    assert len(begun) == 3
    yard.close()


def test_stop_ends_all_beginning_of_runs_and_go_lets_them(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    moot = [sys.executable, "-m", "folkmoot"]
    subprocess.run([*moot, "stop", "--why", "tests"], cwd=yard.folder, check=True)
    item = yard.add("waits", "write w.txt x", "report done")
    yard.run()
    assert yard.show(item)["runs"] == []
    refused = subprocess.run([*moot, "claim", "dev"], cwd=yard.folder, capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "paused the board" in refused.stderr
    subprocess.run([*moot, "go"], cwd=yard.folder, check=True)
    yard.run()
    assert yard.status(item) == "done"
    yard.close()


def test_one_interrupt_lets_agents_finish_and_two_give_items_back(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", timeout="300s", silence="300s")
    quick = yard.add("quick", "say here", "wait 2", "write q.txt x", "report done")
    worker = moot_run(yard, "--slots", "1")
    until(lambda: yard.show(quick)["runs"])
    until(lambda: "here" in yard.output(yard.show(quick)["runs"][0]["run"]))
    later = yard.add("later", "report done")
    worker.send_signal(signal.SIGINT)
    worker.communicate(timeout=30)
    assert worker.returncode == 0
    assert [run["outcome"] for run in yard.show(quick)["runs"]] == ["done"]
    assert yard.show(later)["runs"] == []
    yard.board.cancel(later)

    slow = yard.add("slow", "say here", "write s.txt half", "wait 300")
    worker = moot_run(yard)
    until(lambda: yard.show(slow)["runs"])
    until(lambda: "here" in yard.output(yard.show(slow)["runs"][0]["run"]))
    worker.send_signal(signal.SIGINT)
    time.sleep(0.3)
    worker.send_signal(signal.SIGINT)
    worker.communicate(timeout=30)
    assert worker.returncode == 0
    assert yard.show(slow)["runs"][0]["end"] == "released"
    kept = yard.board.boards.unlanded(yard.board._application).unlanded
    assert [one.files for one in kept if one.item == slow] == [["s.txt"]]
    yard.close()


def test_secrets_stay_put(tmp_path: Path) -> None:
    """A canary of the worker's environment is nowhere in a child, a log or the store; what is passed on is hidden."""
    canary, passed = "CANARY-7f3a9c1e5b", "PASSED-c0ffee4b1d9e"
    yard = yard_of(tmp_path / "yard")
    look = "cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; env; cat $HOME/* 2>/dev/null"
    item = yard.add("curious", f"shell {look}", "shell echo leaking $PASSED_KEY", "write c.txt x", "report done")
    worker = moot_run(yard, "--until-idle", CANARY_SECRET=canary, PASSED_KEY=passed)
    said, _ = worker.communicate(timeout=60)
    assert worker.returncode == 0
    shown = yard.show(item)
    words = yard.output(shown["runs"][0]["run"])
    sandboxed = shown["runs"][0]["sandboxed"]
    assert "MOOT_RUN" in words, "it really looked"
    assert canary not in words or not sandboxed
    assert passed not in words and "leaking [secret" in words
    assert canary not in said and passed not in said
    for file in (yard.folder / ".moot").glob("board.db*"):
        assert canary.encode() not in file.read_bytes() or not sandboxed
        assert passed.encode() not in file.read_bytes()
    yard.close()


def test_a_function_can_be_an_agent(tmp_path: Path) -> None:
    flow = """
flow: functions
start: dev
columns: {dev: {agents: [dev], next: done}}
agents: {dev: {run: {python: "helpers:work"}}}
"""
    code = "from folkmoot import Board\n\n@Board.open('.').agent('dev')\ndef work(run):\n"
    code += "    open('made.txt', 'w').write(run.brief['task']['title'])\n"
    code += "    return {'outcome': 'done', 'summary': 'by a function'}\n"
    yard = Yard(tmp_path / "yard", flow=flow, files={"helpers.py": code})
    item = yard.add("hello")
    yard.run()
    assert yard.status(item) == "done", yard.output(yard.show(item)["runs"][0]["run"])
    assert yard.landed("made.txt") == "hello"
    yard.close()


def test_a_run_asks_a_person_and_goes_on_with_the_answer(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", agent="may: [ask]")
    item = yard.add("asks", "moot ask May-I? --option allow --option deny --wait 60s", "write a.txt x", "report done")
    worker = moot_run(yard, "--until-idle")
    until(yard.board.inbox)
    yard.board.answer(yard.board.inbox()[0]["id"], "1")
    worker.communicate(timeout=60)
    shown = yard.show(item)
    assert shown["status"] == "done" and "exit 0 allow" in yard.output(shown["runs"][0]["run"])
    yard.doctor()
    yard.close()


def test_who_may_not_ask_is_refused(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", agent="may: []")
    item = yard.add("asks", "moot ask May-I?", "write a.txt x", "report done")
    yard.run()
    assert "may not ask" in yard.output(yard.show(item)["runs"][0]["run"])
    assert yard.board.inbox() == []
    yard.close()
