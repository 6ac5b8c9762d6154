"""What clients tell of their use while they work: a budget ends a run under way, and a killed one has counted."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.worker.yard import Yard, git

FLOW = """
flow: spending
start: dev
limits: {{slots: 2, executions: 2, lease: {lease}}}
columns: {{dev: {{agents: [dev], next: done}}}}
agents: {{dev: {{run: {{client: scripted}}, write: own, ladder: {{0: small, 1+: escalate}}}}}}
models: {{small: {{client: scripted, pool: shared{price}}}}}
pools: {{shared: {{slots: 4}}}}
clients: {{scripted: {{command: ACTOR, speaks: claude-code}}}}
{more}
"""
TURN = 'say {"type":"assistant","message":{"id":"m%d","usage":{"input_tokens":%d,"output_tokens":%d},"content":[]}}'
LIMIT = 'say {"type":"rate_limit_event","rate_limit_info":{"status":"allowed","rateLimitType":"five_hour",'
LIMIT += '"resetsAt":1900000000,"utilization":0.42}}'
PRICE = ", price: {input: 10, output: 100}"


def yard_of(folder: Path, more: str = "", price: str = "", lease: str = "60s") -> Yard:
    return Yard(folder, flow=FLOW.format(more=more, price=price, lease=lease))


def used(yard: Yard, by: str = "item") -> Any:
    return yard.queries.usage(by=by)


@pytest.mark.ledger("R-07")
@pytest.mark.parametrize("budget", ["item_tokens: 5000", "item_usd: 0.5", "item_time: 2s"])
def test_a_budget_ends_a_run_under_way_and_keeps_what_it_made(budget: str, tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", f"budget: {{{budget}}}", PRICE)
    turns = [TURN % (1, 2_000, 100), "write half.txt half", TURN % (2, 6_000, 5_000)]
    item = yard.add("costly", *turns, "wait 60", "report done")
    began = time.monotonic()
    yard.run()
    assert time.monotonic() - began < 50
    shown = yard.show(item)
    assert [(run["outcome"], run["cause"]) for run in shown["runs"]] == [("released", None)]
    assert shown["failure_count"] == 0 and shown["status"] == "awaiting-divine-guidance", shown["why"]
    kept = git(yard.folder, f"--git-dir={yard.folder}/.moot/repo.git", "show", f"{shown['branch']}:half.txt")
    assert kept == "half"
    [question] = yard.queries.inbox()["questions"]
    assert question["kind"] == "budget" and "what they made is kept on the item's branch" in question["context"]
    total = used(yard)["total"]
    assert (total["input_tokens"], total["output_tokens"]) == (8_000, 5_100)
    assert total["cost_usd"] == pytest.approx(0.08 + 0.51)
    yard.doctor()
    yard.close()


def test_a_days_budget_ends_what_runs_and_begins_nothing(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", "budget: {day_tokens: 5000}")
    items = [yard.add(f"n{n}", TURN % (1, 6_000, 0), "wait 60", "report done") for n in range(3)]
    yard.run(slots=1)
    assert [len(yard.show(item)["runs"]) for item in items] == [1, 0, 0]
    assert yard.queries.inbox()["questions"] == []
    assert [event["event"] for event in yard.board.log()].count("run_stopped") == 1
    yard.doctor()
    yard.close()


def test_a_run_that_ends_with_its_quota_counts_what_it_used(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", price=PRICE)
    ends = '"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"no quota"'
    yard.add("quota", TURN % (1, 3_000, 0), LIMIT, f"say {{{ends}}}")
    yard.run()
    view = used(yard)
    assert view["total"]["input_tokens"] == 3_000 and view["total"]["cost_usd"] == pytest.approx(0.03)
    [window] = view["windows"]
    assert (window["pool"], window["window"], window["used"]) == ("shared", "five hour", 0.42)
    yard.doctor()
    yard.close()


def test_a_short_run_that_reports_tells_how_its_quota_stands(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard")
    ends = r'"type":"result","subtype":"success","is_error":false,"result":"{\"outcome\":\"done\",\"summary\":\"x\"}"'
    item = yard.add("short", "write a.txt x", LIMIT, f"say {{{ends}}}")
    yard.run()
    assert yard.status(item) == "done" and [one["window"] for one in used(yard)["windows"]] == ["five hour"]
    yard.doctor()
    yard.close()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_whose_worker_is_killed_counts_up_to_what_was_last_told(how: signal.Signals, tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard", lease="3s")
    item = yard.add("killed", TURN % (1, 7_000, 10), "wait 60", "report done")
    command = [sys.executable, "-m", "folkmoot", "run"]
    worker = subprocess.Popen(command, cwd=yard.folder, env={**os.environ}, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not used(yard)["total"]["input_tokens"]:
        assert time.monotonic() < until, "nothing was counted while it ran"
        time.sleep(0.05)
    assert used(yard)["total"]["running"] == 1
    while worker.poll() is None:  # two interrupts that come at once are one
        assert time.monotonic() < until + 60, "it does not end"
        worker.send_signal(how)
        with suppress(subprocess.TimeoutExpired):
            worker.wait(0.5)
    while yard.show(item)["runs"][0]["ended_at"] is None:
        assert time.monotonic() < until + 60
        time.sleep(0.05)
    total = used(yard)["total"]
    assert (total["input_tokens"], total["output_tokens"], total["running"]) == (7_000, 10, 0)
    assert total["cost_usd"] is None and total["unpriced"] == 1
    yard.close()
