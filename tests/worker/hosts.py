"""Machines as their users have them: a board in PostgreSQL, a git remote, and `moot` in a clone on each."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests import forked
from tests.postgres import Server
from tests.worker.machines import FLOW
from tests.worker.yard import ACTOR, git

MOOT = [sys.executable, "-m", "folkmoot"]
CHECK = "check: {run: ['/bin/sh', '-c', 'test -f README.md']}"


class Host:
    def __init__(self, folder: Path, board: str, env: dict[str, str] | None = None) -> None:
        self.folder = folder
        own = {"PYTHONPATH": os.pathsep.join(sys.path), "MOOT_BOARD": board, "USER": "ann"}
        self.env = {**os.environ, **own, **(env or {})}

    def say(self, *words: str, code: int = 0) -> Any:
        ran = forked.run([*words, "--json"], cwd=self.folder, env=self.env)
        assert ran.returncode == code, ran.stderr.decode()
        return json.loads(ran.stdout) if ran.stdout else None

    def works(self, *words: str) -> "subprocess.Popen[bytes]":
        command = [*MOOT, "run", "--anyway", "--no-input", "--slots", "2", *words]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(command, cwd=self.folder, env=self.env, **pipes)  # type: ignore[call-overload]


def hosts_of(
    postgres: Server,
    folder: Path,
    *,
    board: str = "",
    boards: tuple[str, ...] = (),
    envs: tuple[dict[str, str], ...] = ({}, {}, {}),
    agent: str = "",
    after: str = "done",
    more: str = "",
    land: str = "",
    lease: str = "4s",
    executions: int = 2,
) -> tuple[list[Host], Path]:
    """Three of them. `boards` are other ways to the same board, one for each; `envs` what each has besides."""
    board, remote = board or postgres.database(), folder / "shared.git"
    first = folder / "one"
    first.mkdir()
    git(first, "init", "-q", "-b", "main", ".")
    (first / "README.md").write_text("a project\n")
    git(first, "add", ".")
    git(first, "commit", "-q", "-m", "first")
    git(folder, "init", "-q", "--bare", "-b", "main", str(remote))
    git(first, "remote", "add", "origin", str(remote))
    git(first, "push", "-q", "origin", "main")
    said = {"more": more, "after": after, "agents": land, "agent": agent, "lease": lease}
    flow = FLOW.format(remote="origin", gate=", gate: [check]", actor=ACTOR, gates=CHECK, **said)
    flow = flow.replace("executions: 2", f"executions: {executions}")
    (first / ".moot").mkdir()
    (first / ".moot" / "flow.yaml").write_text(flow)
    for name in ("two", "three"):
        git(folder, "clone", "-q", str(remote), name)
    ways = boards or (board,) * 3
    hosts = [Host(folder / name, way, env) for name, way, env in zip(("one", "two", "three"), ways, envs, strict=True)]
    for host in hosts:
        host.say("init")
    return hosts, remote


def stand_still(worker: "subprocess.Popen[bytes]", how: signal.Signals) -> int:
    """SIGSTOP or SIGCONT for the worker and all that it has started, as when a machine is put to sleep and wakes."""
    pids = family(worker.pid)
    for pid in pids:
        with suppress(ProcessLookupError):  # it ended by itself meanwhile
            os.kill(pid, how)
    return len(pids)


def family(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for one in Path("/proc").glob("[0-9]*"):
        try:
            words = (one / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        children.setdefault(int(words[1]), []).append(int(one.name))
    found = [pid]
    for above in found:
        found += children.get(above, [])
    return found
