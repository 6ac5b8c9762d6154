"""Three hosts in network namespaces, each with a disk of its own, work one quest with real files.

They reach PostgreSQL and the git remote, each on a host of its own too, by lines alone. One of the three is cut off and
comes back, one is killed for good, and the git remote is away for twenty seconds.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from folkmoot.store.postgres.store import PostgresStore
from folkmoot.worker.removing import machine_of
from tests import networks
from tests.networks import Network, NoNetworks
from tests.postgres import Server
from tests.worker import tunnel
from tests.worker.yard import ACTOR, git

MOOT = [sys.executable, "-m", "folkmoot"]
LEASE, RESCUED = 5.0, 10.0  # seconds; a dead host's work is somebody else's within both together
AWAY = 20.0
PATIENCE = 180.0
FLOW = """
flow: quest
remote: origin
start: discover
discover: discover
limits: {{slots: 2, lease: {lease:.0f}s, timeout: 120s, silence: 60s}}
columns:
  discover: {{agents: [pathseeker], next: weave}}
  weave: {{agents: [codeweaver], next: review, gate: [check]}}
  review: {{agents: [lawbringer], next: done, gate: [check]}}
agents:
  pathseeker: {{run: {{command: {actor}}}, write: none, may: [split]}}
  codeweaver: {{run: {{command: {actor}}}, write: own}}
  lawbringer: {{run: {{command: [/bin/echo, '{{"outcome": "done", "summary": "it holds together"}}']}}, write: none}}
gates: {{check: {{run: [/bin/sh, -c, "test -f README.md"]}}}}
"""


class Host:
    """A machine: its line, its disk with a clone of the project, and `moot` on it."""

    def __init__(self, net: Network, folder: Path, board: str) -> None:
        self.line = net.host()
        self.folder = folder
        ssh = f"{sys.executable} {tunnel.__file__}"
        self.env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "MOOT_BOARD": board,
            "USER": "ann",
            "GIT_SSH_COMMAND": ssh,
        }

    def say(self, *words: str) -> Any:
        with self.line.inside():
            command = [*MOOT, *words, "--json"]
            ran = subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, check=False, timeout=120)
        assert ran.returncode == 0, ran.stderr.decode()
        return json.loads(ran.stdout) if ran.stdout else None

    def works(self) -> "subprocess.Popen[bytes]":
        command = [*MOOT, "run", "--anyway", "--no-input", "--slots", "2"]
        with self.line.inside(), (self.folder / ".moot" / "said.txt").open("wb") as said:
            return subprocess.Popen(
                command, cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=said, stderr=said
            )

    def said(self) -> str:
        return (self.folder / ".moot" / "said.txt").read_text("utf-8", "replace")[-2000:]


class Land:
    """The server of the board, the git remote, and the hosts that work."""

    def __init__(self, folder: Path, disks: list[Path]) -> None:
        self.net = Network()
        home, self.git_line = self.net.host(), self.net.host()
        self.server = Server(on=home)
        database = self.server.database()
        self.board = database  # by the socket, which no line leads to
        board = self.server.address(database.partition("?")[0].rpartition("/")[2], home.address)
        self.remote = folder / "shared.git"
        with self.git_line.inside():
            self.door = socket.create_server((self.git_line.address, tunnel.PORT))
        threading.Thread(target=tunnel.serve, args=(self.door,), daemon=True).start()
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.remote))
        self.hosts = [Host(self.net, disk / "project", board) for disk in disks]
        first = self.hosts[0].folder
        first.mkdir()
        git(first, "init", "-q", "-b", "main", ".")
        (first / "README.md").write_text("a project\n")
        git(first, "add", ".")
        git(first, "commit", "-q", "-m", "first")
        git(first, "push", "-q", str(self.remote), "main")
        for host in self.hosts[1:]:
            git(host.folder.parent, "clone", "-q", str(self.remote), "project")
            git(host.folder, "remote", "remove", "origin")
        for host in self.hosts:
            git(host.folder, "remote", "add", "origin", f"ssh://git@{self.git_line.address}{self.remote}")
        (first / ".moot").mkdir()
        (first / ".moot" / "flow.yaml").write_text(FLOW.format(lease=LEASE, actor=ACTOR))
        for host in self.hosts:
            host.say("init")

    def close(self) -> None:
        self.door.close()
        self.server.remove()
        self.net.close()


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[list[Path]]:
    made = [tmp_path / name for name in ("one", "two", "three")]
    mounted = []
    try:
        for disk in made:
            disk.mkdir()
            ran = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(disk)], capture_output=True)
            if ran.returncode != 0:
                pytest.skip(f"a disk for each host needs root: {ran.stderr.decode().strip()}")
            mounted.append(disk)
        yield made
    finally:
        for disk in mounted:
            subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.fixture
def land(tmp_path: Path, disks: list[Path]) -> Iterator[Land]:
    try:
        networks.Network().close()
    except NoNetworks as fault:
        pytest.skip(f"no hosts of their own can be made here: {fault}")
    found = Land(tmp_path, disks)
    yield found
    found.close()


def until(holds: Any, what: str, land: Land) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, (what, *(host.said() for host in land.hosts))
        time.sleep(0.1)


def quest(names: list[str]) -> str:
    tasks = [
        {"title": name, "body": f"write {name} made\nshell sleep 3\nreport done", "files": [name]} for name in names
    ]
    return f"report split {json.dumps({'tasks': tasks})}"


def at_work(watch: PostgresStore, host: Host) -> set[str]:
    """Runs that the worker of this host has now: the end of its name says which machine it is on."""
    machine = machine_of(str(host.folder / ".moot"))
    runs = watch.read(lambda reading: list(reading.open_runs()))
    return {run.id for run in runs if machine and run.worker.rpartition("-")[2].startswith(machine)}


@pytest.mark.slow
def test_three_hosts_of_which_one_is_cut_off_and_one_killed_land_one_quest_once(land: Land) -> None:
    one, two, three = land.hosts
    names = [f"file{number}.txt" for number in range(12)]
    one.say("add", "the quest", "--body", quest(names))
    workers = [host.works() for host in land.hosts]
    doomed: set[str] = set()
    watch = PostgresStore.open(land.board)
    count = lambda: sum(item.status == "done" for item in watch.read(lambda reading: reading.items()))  # noqa: E731

    def all_work() -> bool:
        nonlocal doomed
        doomed = at_work(watch, three)
        return bool(doomed and at_work(watch, two))

    try:
        until(all_work, "every host works", land)
        three.line.cut()
        workers[2].send_signal(signal.SIGKILL)
        killed = time.time()
        two.line.cut()
        time.sleep(LEASE + 3)
        two.line.mend()
        until(lambda: count() >= 2, "the others go on", land)
        land.git_line.cut()
        time.sleep(AWAY)
        land.git_line.mend()
        until(lambda: count() == len(names) + 1, "the quest lands", land)
    finally:
        for worker in workers:
            worker.send_signal(signal.SIGINT)
        for worker in workers:
            worker.wait(60)
    items = one.say("list")["items"]
    assert {item["status"] for item in items} == {"done"}, [host.said() for host in land.hosts]
    assert len(items) == len(names) + 1
    for name in names:
        assert git(land.remote, "show", f"main:{name}") == "made"
        assert len(git(land.remote, "log", "--format=%h", "--no-merges", "main", "--", name).split()) == 1
    assert git(land.remote, "for-each-ref", "refs/moot/intents") == ""
    ended = [run for run in (watch.read(lambda reading, run=run: reading.run(run)) for run in doomed) if run]  # type: ignore[misc]
    assert len(ended) == len(doomed) and {run.end for run in ended} <= {"rescued", "reported"}
    assert any(run.end == "rescued" for run in ended)
    assert all((run.ended_at or 0) / 1000 - killed < LEASE + RESCUED for run in ended)
    watch.close()
    three.line.mend()  # what is left of it is looked at
    for host in land.hosts:
        assert host.say("doctor")["ok"]
