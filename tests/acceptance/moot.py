"""The command `moot` as a test speaks it: in this process on a real board, or as a process of its own."""

import atexit
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

import folkmoot
from folkmoot.config import Settings
from folkmoot.doors.cli.main import run
from folkmoot.engine.application import Boards
from folkmoot.wiring.boards import FileBoards
from tests import forked, stores

View = dict[str, Any]
SOURCE = Path(folkmoot.__file__).parents[1]


class Said(Struct):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> View:
        assert self.code == 0, f"exit {self.code}: {self.err}"
        view: View = json.loads(self.out)
        return view

    @property
    def error(self) -> str:
        """The stable code of the error."""
        assert self.code != 0, self.out
        code: str = json.loads(self.err.splitlines()[-1])["error"]["code"]
        return code


class Moot:
    """A person at a board in a folder. Every call opens the board anew, as every command does."""

    def __init__(self, folder: Path, boards: Boards | None = None) -> None:
        self.folder = folder
        self.boards = boards or FileBoards()

    def say(self, *words: str, stdin: str = "", run_id: str | None = None, token: int | None = None) -> Said:
        """Run a command; what it answers is asked for as JSON."""
        settings = Settings(board=str(self.folder), user="alice", run=run_id, token=token)
        # Streams with bytes below, as a process has them: the command line may write to either.
        out, err = TextIOWrapper(BytesIO(), "utf-8"), TextIOWrapper(BytesIO(), "utf-8")
        before = sys.stdin
        sys.stdin = TextIOWrapper(BytesIO(stdin.encode("utf-8")), "utf-8")
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = run([*words, "--json"], self.boards, settings)
        finally:
            sys.stdin = before
        return Said(code, written(out), written(err))

    def __call__(self, *words: str, stdin: str = "") -> View:
        """Run a command that must succeed; its JSON."""
        return self.say(*words, stdin=stdin).json

    def process(self, *words: str, stdin: str = "") -> Said:
        """The same in a process of its own, as an agent would run it."""
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), "MOOT_BOARD": str(self.folder), "USER": "alice"}
        environment["GIT_CONFIG_GLOBAL"] = os.devnull  # git's name for the user would come before it
        ended = forked.run([*words, "--json"], env=environment, cwd=self.folder, input=stdin.encode())
        return Said(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    def process_text(self, *words: str) -> str:
        """What a person reads, from a process of its own; no line is cut."""
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), "MOOT_BOARD": str(self.folder), "COLUMNS": "400"}
        ended = forked.run(words, env=environment, cwd=self.folder)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.decode()

    def effort(self, agent: str, outcome: str, **parts: Any) -> View:
        """An agent's whole life: claim, one effort, report."""
        claim = self("claim", agent)
        return self.report(claim, outcome, **parts)

    def report(self, claim: View, outcome: str, **parts: Any) -> View:
        return self.hand_in(claim, json.dumps({"outcome": outcome, **parts}))

    def hand_in(self, claim: View, text: str, *more: str) -> View:
        """The report of a run as the agent wrote it, in whatever dialect."""
        return self("report", claim["run"], "-", "--token", str(claim["token"]), *more, stdin=text)

    def try_in(self, claim: View, said: str | View, *more: str) -> Said:
        """The same for one that may be refused."""
        text = said if isinstance(said, str) else json.dumps(said)
        return self.say("report", claim["run"], "-", "--token", str(claim["token"]), *more, stdin=text)

    def speak(self, agent: str, said: str | View, *more: str) -> View:
        """An agent's whole life, ended by a text or a JSON document in its own dialect."""
        return self.hand_in(self("claim", agent), said if isinstance(said, str) else json.dumps(said), *more)

    def events(self, item: str | None = None) -> list[View]:
        found: list[View] = self("log", *([item] if item else []))["events"]
        return found


def written(stream: TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


@cache
def fresh(preset: str) -> Path:
    """A board as `moot init` makes it, to be copied: making one takes longer than most tests."""
    kept = TemporaryDirectory()
    atexit.register(kept.cleanup)
    with stores.kept():
        FileBoards().create(kept.name, preset).close()
    return Path(kept.name)


def new_board(folder: Path, preset: str = "kanban") -> Moot:
    """A board in the folder. What stands in a folder has a say in its board, so only an empty one gets a copy."""
    if folder.exists() and any(folder.iterdir()):
        FileBoards().create(str(folder), preset).close()
    else:
        stores.copy(fresh(preset), folder)
    return Moot(folder)
