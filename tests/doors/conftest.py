"""A board in a folder of its own, and the command `moot` in this process and in a process of its own."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from folkmoot.config import read_settings
from folkmoot.doors.cli.main import run
from folkmoot.wiring.boards import FileBoards
from tests import forked, stores

SOURCE = Path(__file__).parents[2] / "src"


@dataclass
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error's JSON; nothing else may stand beside it."""
        assert self.out == ""
        error: dict[str, Any] = json.loads(self.err)["error"]
        return error


class Moot:
    """Says commands to the board in one folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._capsys = capsys
        self._patch = patch

    def __call__(
        self, *arguments: str, code: int | None = 0, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> Answer:
        """Run a command in this process; `code` is what it must end with, None: with any."""
        with self._patch.context() as patch:
            patch.chdir(self.folder)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            settings = read_settings({"USER": "ada", **(env or {})})
            self._capsys.readouterr()
            ended = run(list(arguments), FileBoards(), settings)
            heard = self._capsys.readouterr()
        answer = Answer(ended, heard.out, heard.err)
        assert code in (ended, None), f"moot {' '.join(arguments)} ended with {ended}\n{answer.out}\n{answer.err}"
        assert "Traceback" not in answer.err
        return answer

    def json(self, *arguments: str, code: int = 0, stdin: str = "") -> Any:
        return self(*arguments, "--json", code=code, stdin=stdin).json

    def process(
        self, *arguments: str | bytes, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the true command, in a process of its own."""
        if not starts_otherwise(env):
            return forked.run(arguments, env=environment(env), cwd=self.folder, input=stdin)
        return subprocess.run(
            [sys.executable, "-m", "folkmoot", *arguments],
            input=stdin,
            capture_output=True,
            cwd=self.folder,
            env=environment(env),
            check=False,
            timeout=120,
        )

    def tell(self, agent: str, said: dict[str, Any] | str) -> str:
        """One effort, reported in words: what the agent's terminal shows."""
        claim = self.json("claim", agent)
        text = said if isinstance(said, str) else json.dumps(said)
        return self("report", claim["run"], "--token", str(claim["token"]), "-", stdin=text).out

    def work(self, agent: str, **report: Any) -> Any:
        """One effort: claim the agent's next item and report; gives the item as it then is."""
        claim = self.json("claim", agent)
        said = json.dumps({"outcome": "done", "summary": "It is done.", **report})
        return self.json("report", claim["run"], "--token", str(claim["token"]), "-", stdin=said)


def starts_otherwise(env: Mapping[str, str] | None) -> bool:
    """Is there anything that Python reads at its start?"""
    return any(name.startswith(("LANG", "LC_", "PYTHON", "TZ")) for name in env or ())


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a process gets: nothing of ours that changes how it speaks."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "HOME") if name in os.environ}
    return {
        **kept,
        "PYTHONPATH": str(SOURCE),
        "LANG": "C.UTF-8",
        "USER": "ada",
        "TERM": "xterm-256color",
        **(more or {}),
    }


@pytest.fixture
def nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Moot:
    """A folder without a board."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "MOOT_BOARD", "MOOT_RUN", "MOOT_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    # What the user keeps for all boards is no part of a test.
    monkeypatch.setenv("HOME", str(tmp_path.parent / f"{tmp_path.name}-home"))
    return Moot(tmp_path, capsys, monkeypatch)


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board as `moot init` makes it, to be copied: making one takes longer than most tests."""
    folder = tmp_path_factory.mktemp("fresh")
    with stores.kept():
        FileBoards().create(str(folder), "kanban").close()
    return folder


@pytest.fixture
def moot(nowhere: Moot, fresh: Path) -> Moot:
    """A folder with an empty board."""
    stores.copy(fresh / ".moot", nowhere.folder / ".moot")
    return nowhere


@pytest.fixture
def disputed(moot: Moot) -> Moot:
    """A board on which item 1 was disputed for three rounds and waits for a person (q1), and item 2 is next."""
    moot("add", "Users can reset a forgotten password", "--column", "tests", "--files", "src/reset.py")
    moot("add", "Reset links expire after one hour", "--column", "dev")
    moot.work("test-architect", artifacts=[{"name": "tests/test_reset.py"}])
    statement = {"content": "The test contradicts the story.", "artifact": "tests/test_reset.py"}
    moot.work("dev-agent", outcome="disputed", comments=[statement])
    for agent, words in (("test-architect", "It does not."), ("dev-agent", "It does."), ("test-architect", "No.")):
        moot.work(agent, outcome="disputed", comments=[{"content": words, "parent": "c001"}])
    return moot


@pytest.fixture
def climbed(moot: Moot) -> Moot:
    """A board on which dev-agent failed six times on item 1, once with an approach it had tried; a senior is next."""
    moot("add", "Reset links expire after one hour", "--column", "dev")
    approaches = ["Compare local times", "Compare local times", "Keep it in UTC", "Round to seconds"]
    approaches += ["Let the query compare", "Lock the row", "Use two transactions"]
    for approach in approaches:
        tried = {"approach": approach, "outcome": f"{approach} leaves it red"}
        moot.work("dev-agent", outcome="failed", summary="still red", attempts=[tried])
    return moot
