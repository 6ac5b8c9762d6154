"""Machines of their own that share one board and one remote, and nothing else.

Each has its folder with a clone of the project, the engine's repository and the folders of its runs. The board is the
store of the first one: a machine opens that, and works in its own folder.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from folkmoot import Board
from folkmoot.engine.application import Application
from folkmoot.engine.checking.doctor import examine
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing.in_json import InJson
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.files.application import application_of
from folkmoot.wiring.running import tools_of, worker_name
from folkmoot.wiring.trust import made_for_this
from folkmoot.worker.ports import WorkerEvent
from folkmoot.worker.worker import Worker
from tests.worker.yard import ACTOR, git

FLOW = """
flow: shared
remote: {remote}
start: dev
limits: {{slots: 2, lease: {lease}, timeout: 60s, silence: 30s, executions: 2}}
columns:
  dev: {{agents: [dev], next: {after}{gate}}}
{more}
agents:
  dev: {{run: {{command: {actor}}}, write: own{agent}}}
{agents}
gates: {{{gates}}}
"""


class Machine:
    """One of several; `told` is what its worker says."""

    def __init__(self, folder: Path, store: Path) -> None:
        self.folder = folder
        self.store = store
        self.home = str(folder / ".moot")
        self.told: list[WorkerEvent] = []
        os.makedirs(self.home, exist_ok=True)
        made_for_this(self.home)
        self.application = opened(str(store), self.home)

    def run(self, slots: int = 2, labels: Sequence[str] = (), **wish: Any) -> None:
        with tools_of(self.application, self.home, self.told.append, **wish) as tools:
            Worker(tools, worker_name(tools.workspaces.home), slots=slots, until_idle=True, labels=labels).run()

    def started(self, step: str = "never", **env: str) -> "subprocess.Popen[bytes]":
        """Its worker as a process of its own; it is killed when it comes to the step."""
        given = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **env}
        command = [sys.executable, __file__, str(self.store), self.home, step]
        return subprocess.Popen(command, env=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def doctor(self) -> None:
        found = examine(self.application.engine)
        assert found.ok, found

    def words(self) -> str:
        return "\n".join(event.words for event in self.told)


class Shared:
    """A remote, a board and as many machines as are wanted."""

    def __init__(
        self,
        folder: Path,
        machines: int = 2,
        *,
        lease: str = "60s",
        gate: list[str] | None = None,
        agent: str = "",
        more: str = "",
        after: str = "done",
        agents: str = "",
    ) -> None:
        self.folder = folder
        self.remote = folder / "shared.git"
        first = folder / "one"
        first.mkdir(parents=True)
        git(first, "init", "-q", "-b", "main", ".")
        (first / "README.md").write_text("a project\n")
        git(first, "add", ".")
        git(first, "commit", "-q", "-m", "first")
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.remote))
        git(first, "remote", "add", "origin", str(self.remote))
        git(first, "push", "-q", "origin", "main")
        gates = f"check: {{run: {gate!r}}}" if gate else ""
        (first / ".moot").mkdir()
        text = FLOW.format(
            remote="origin",
            lease=lease,
            gate=", gate: [check]" if gate else "",
            actor=ACTOR,
            agent=agent,
            gates=gates,
            more=more,
            after=after,
            agents=agents,
        )
        (first / ".moot" / "flow.yaml").write_text(text)
        Board.boards = FileBoards()
        self.board: Any = InJson(Board.create(str(first), actor="somebody"))
        store = first / ".moot" / "board.db"
        self.machines = [Machine(first, store)]
        for name in ("two", "three", "four")[: machines - 1]:
            git(folder, "clone", "-q", str(self.remote), name)
            self.machines.append(Machine(folder / name, store))

    def add(self, title: str, *lines: str, **fields: Any) -> str:
        return str(self.board.add(title, body="\n".join(lines), **fields)["id"])

    def show(self, item: str) -> Any:
        return self.board.show(item)

    def landed(self, path: str) -> str:
        return git(self.remote, "show", f"main:{path}")

    def times_landed(self, path: str) -> int:
        return len(git(self.remote, "log", "--format=%h", "--no-merges", "main", "--", path).split())

    def doctor(self) -> None:
        for machine in self.machines:
            machine.doctor()


def opened(store: str, home: str) -> Application:
    return application_of(SqliteStore.open(store), home, [])


def main(store: str, home: str, wanted: str) -> None:
    import signal

    application = opened(store, home)

    def step(name: str, run: str) -> None:
        """`spawn-look`: when the agent `look` comes to the step `spawn`."""
        wanted_step, _, agent = wanted.partition("-")
        if name == wanted_step and (not agent or application.queries.run(run).agent == agent):
            os.kill(os.getpid(), signal.SIGKILL)

    def tell(event: WorkerEvent) -> None:
        print(event.what, event.run, event.item, event.words, flush=True)

    with tools_of(application, home, tell, step) as tools:
        Worker(tools, worker_name(tools.workspaces.home), slots=2, until_idle=True).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
