"""A project whose finished work is proposed on a scripted GitHub: `python workshop.py BOARD STEP` is its worker, killed
when it comes to the step."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from folkmoot import Board
from folkmoot.core.item import Item
from folkmoot.engine.checking.doctor import examine
from folkmoot.system.forge.token import GITLAB_VARIABLE, VARIABLE
from folkmoot.testing.in_json import InJson
from folkmoot.wiring.backups import restore
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.forge.beside import watch_of
from folkmoot.wiring.running import tools_of, worker_name
from folkmoot.worker.worker import Worker
from tests.forge.github import TOKEN, GitHub
from tests.worker.yard import ACTOR, git

if TYPE_CHECKING:
    from folkmoot.worker.ports import WorkerEvent

FLOW = """
flow: proposed
start: dev
limits: {{slots: 2, lease: {lease}, timeout: 60s, silence: 30s, executions: 2, feedback_rounds: {rounds}}}
columns:
  dev: {{agents: [dev], next: done, gate: [check]}}
agents:
  dev: {{run: {{command: {actor}}}, write: own}}
gates: {{check: {{run: ["/bin/sh", "-c", "{gate}"]}}}}
land: {{mode: pr, {forge}{land}}}
{more}
"""


RESTS = "rests"  # the step of a worker that has said that the forge is not asked for a while


class Workshop:
    def __init__(
        self,
        folder: Path,
        *,
        lease: str = "60s",
        gate: str = "true",
        rounds: int = 3,
        hub: type[GitHub] = GitHub,
        forge: str = "",
        land: str = "",
        more: str = "",
    ) -> None:
        """`forge` is how the flow names the forge, `land` what it says more of landing, `more` of all else."""
        self.hub = hub(folder / "hub")
        self.folder = folder / "project"
        self.folder.mkdir(parents=True)
        git(self.folder, "init", "-q", "-b", "main", ".")
        (self.folder / "README.md").write_text("a project\n")
        git(self.folder, "add", ".")
        git(self.folder, "commit", "-q", "-m", "first")
        git(self.folder, "remote", "add", "origin", str(self.hub.repository))
        git(self.folder, "push", "-q", "origin", "main")
        self.home = str(self.folder / ".moot")
        os.mkdir(self.home)
        given = {"lease": lease, "gate": gate, "rounds": rounds, "land": land and f", {land}", "more": more}
        given["forge"] = forge or self.hub.in_flow
        text = FLOW.format(actor=ACTOR, **given)
        (self.folder / ".moot" / "flow.yaml").write_text(text)
        os.environ |= {VARIABLE: TOKEN, GITLAB_VARIABLE: TOKEN}
        Board.boards = FileBoards()
        self.board: Any = InJson(Board.create(str(self.folder), actor="somebody"))
        self.application = self.board._application
        self.told: list[WorkerEvent] = []

    def add(self, title: str, *lines: str, **fields: Any) -> str:
        return str(self.board.add(title, body="\n".join(lines), **fields)["id"])

    def work(self) -> None:
        """Look at the forge, then work until nothing is left to do."""
        with tools_of(self.application, self.home, self.told.append) as tools:
            watch_of(tools).look(now=True)
            Worker(tools, worker_name(tools.workspaces.home), slots=2, until_idle=True).run()

    def look(self, step: Callable[[str, str], None] = lambda name, item: None) -> bool:
        with tools_of(self.application, self.home, self.told.append, step) as tools:
            return watch_of(tools).look(now=True)

    def killed(self, step: str) -> int:
        """A worker of its own process, which is killed when it comes to the step."""
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), VARIABLE: TOKEN}
        command = [sys.executable, __file__, str(self.folder), step]
        ran = subprocess.run(command, env=env, check=False, capture_output=True, timeout=120, text=True)
        assert "Traceback" not in ran.stderr, ran.stderr
        return ran.returncode

    def item(self, item: str) -> Item:
        found = self.application.engine.store.read(lambda reading: reading.item(item))
        assert found is not None
        return found

    def pull(self, item: str) -> int:
        proposal = self.item(item).proposal
        assert proposal is not None, (self.board.show(item)["why"], self.words())
        return proposal.number

    def words(self) -> str:
        return "\n".join(f"{event.what} {event.words}" for event in self.told)

    def main(self, path: str) -> str:
        return git(self.hub.repository, "show", f"main:{path}")

    def restore(self, backup: str) -> None:
        """Set the board back to a backup, as `moot restore` does."""
        self.board.close()
        restore(self.home, os.path.join(self.folder, backup), None)
        self.board = InJson(Board.open(str(self.folder), actor="somebody"))
        self.application = self.board._application

    def doctor(self) -> None:
        found = examine(self.application.engine)
        assert found.ok, found

    def close(self) -> None:
        self.doctor()
        self.board.close()
        self.hub.close()
        for name in (VARIABLE, GITLAB_VARIABLE):
            os.environ.pop(name, None)


def main(place: str, wanted: str) -> None:
    Board.boards = FileBoards()
    board = Board.open(place)
    told: list[WorkerEvent] = []

    def step(name: str, run: str) -> None:
        if name == wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    with tools_of(board._application, os.path.join(place, ".moot"), told.append, step) as tools:
        watch_of(tools).look(now=True)
        worker = Worker(tools, worker_name(tools.workspaces.home), slots=2, until_idle=True)
        worker.run(lambda: step(RESTS, "") if any("is not asked" in one.words for one in told) else None)


if __name__ == "__main__":
    main(*sys.argv[1:])
