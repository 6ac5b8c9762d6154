"""A place to run agents for real: a git repository, a board in it, a worker, scripted agents."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from folkmoot import Board
from folkmoot.testing.in_json import InJson
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.running import tools_of
from folkmoot.worker.worker import Worker

if TYPE_CHECKING:
    from folkmoot.worker.ports import WorkerEvent

ACTOR = [sys.executable, str(Path(__file__).with_name("actor.py"))]
FLOW = """
flow: yard
start: dev
limits: {{slots: 4, lease: {lease}, timeout: {timeout}, silence: {silence}, executions: 2}}
columns:
  dev: {{agents: [dev], next: done{gate}}}
agents:
  dev:
    run: {{command: {actor}}}
    {agent}
gates: {{{gates}}}
{more}
"""


def git(folder: Path, *args: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    # Nothing of a test's grows so old that git should look whether it is to be packed, after each commit.
    names = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.invalid", "-c", "maintenance.auto=false")
    ran = subprocess.run(
        ["git", *names, *args],
        cwd=folder,
        env=env,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",  # names of files need not be text
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


class Yard:
    """Made in an empty folder; `run` works until nothing is left to do."""

    def __init__(
        self,
        folder: Path,
        *,
        files: dict[str, str] | None = None,
        plain: bool = False,
        agent: str = "write: own",
        gate: list[str] | None = None,
        more: str = "",
        lease: str = "60s",
        timeout: str = "30s",
        silence: str = "20s",
        flow: str | None = None,
    ) -> None:
        self.folder = folder
        self.told: list[WorkerEvent] = []
        folder.mkdir(exist_ok=True)
        for name, text in {"README.md": "a project\n", **(files or {})}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        if not plain:
            git(folder, "init", "-q", "-b", "main", ".")
            git(folder, "add", ".")
            git(folder, "commit", "-q", "-m", "first")
        (folder / ".moot").mkdir()
        gates = f"check: {{run: {gate!r}}}" if gate else ""
        text = flow or FLOW.format(
            lease=lease,
            timeout=timeout,
            silence=silence,
            gate=", gate: [check]" if gate else "",
            actor=ACTOR,
            agent=agent,
            gates=gates,
            more=more,
        )
        (folder / ".moot" / "flow.yaml").write_text(text.replace("ACTOR", str(ACTOR)))
        Board.boards = FileBoards()
        self.board: Any = InJson(Board.create(str(folder), actor="somebody"))
        self.queries: Any = InJson(self.board._application.queries)

    def add(self, title: str, *lines: str, **fields: Any) -> str:
        return str(self.board.add(title, body="\n".join(lines), **fields)["id"])

    def run(self, slots: int = 4, **wish: Any) -> None:
        application = self.board._application
        with tools_of(application, str(self.folder / ".moot"), self.told.append, **wish) as tools:
            Worker(tools, "worker", slots=slots, until_idle=True).run()

    def show(self, item: str) -> dict[str, Any]:
        return self.board.show(item)

    def status(self, item: str) -> str:
        return str(self.show(item)["status"])

    def output(self, run: str) -> str:
        parts = self.board._application.queries.output(run).parts
        return "".join(part.text for part in parts if part.part < 1_000_000)

    def landed(self, path: str) -> str:
        """The content of a file on the target branch."""
        return git(self.folder, "show", f"main:{path}")

    def commits(self) -> list[str]:
        return git(self.folder, "log", "--format=%s", "main").splitlines()

    def doctor(self) -> None:
        from folkmoot.engine.checking.doctor import examine

        found = examine(self.board._application.engine)
        assert found.ok, found

    def close(self) -> None:
        self.board.close()
        shutil.rmtree(self.folder, ignore_errors=True)
