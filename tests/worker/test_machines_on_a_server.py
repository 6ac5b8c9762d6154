"""Three machines as their users have them: a board in PostgreSQL, a git remote, and `moot` in a clone on each."""

import signal
import time
from pathlib import Path

import pytest

from tests.postgres import Server
from tests.some import some
from tests.worker.hosts import hosts_of
from tests.worker.yard import git


@pytest.mark.parametrize("batch", some([1, 4], [4]))
def test_three_hosts_land_every_item_once_though_one_is_killed_for_good(
    postgres: Server, tmp_path: Path, batch: int
) -> None:
    hosts, remote = hosts_of(postgres, tmp_path, land=f"land: {{batch: {batch}}}", agent=", needs: [linux]")
    names = [f"file{number}.txt" for number in range(6)]
    for name in names:
        hosts[0].say("add", name, "--body", f"write {name} made\nshell sleep 0.5\nreport done", "--files", name)
    waits = hosts[1].say("board")["blocked"]
    assert [one["reason"] for one in waits] == ["a worker with label linux"]
    workers = [host.works("--label", "linux") for host in hosts]
    until = time.monotonic() + 90
    while time.monotonic() < until and len(hosts[1].say("workers")["workers"]) < 3:
        time.sleep(0.5)
    known = hosts[1].say("workers")["workers"]
    assert len({one["worker"].rpartition("-")[2][:8] for one in known}) == 3, "each says which machine it is"
    assert {(*one["labels"], one["slots"]) for one in known} == {("linux", 2)}
    workers[2].send_signal(signal.SIGKILL)
    workers[2].communicate()
    while time.monotonic() < until and any(one["status"] != "done" for one in hosts[1].say("list")["items"]):
        time.sleep(1)
    for worker in workers[:2]:
        worker.send_signal(signal.SIGINT)
    said = [worker.communicate(timeout=60)[0].decode() for worker in workers[:2]]
    items = hosts[1].say("list")["items"]
    assert [one["status"] for one in items] == ["done"] * len(names), (items, *said)
    for name in names:
        assert git(remote, "show", f"main:{name}") == "made"
        assert len(git(remote, "log", "--format=%h", "--no-merges", "main", "--", name).split()) == 1
    for host in hosts:
        assert host.say("doctor")["ok"]
        assert "said done" in host.say("output", "1")["text"], "it is read on every machine, whoever ran it"
