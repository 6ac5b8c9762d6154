"""A furnished board to try bad input on, and the doors through which it goes in."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import msgspec

from folkmoot.api.errors import ERRORS
from folkmoot.config import read_settings
from folkmoot.core.commands import Actor
from folkmoot.doors.cli.main import run
from folkmoot.errors import MootError
from folkmoot.wiring.boards import FileBoards
from folkmoot.worker.relay import Relay
from tests import forked, stores
from tests.doors.conftest import environment, starts_otherwise

NOTHING = "nothing changed"
LIVES = "the run lives; what it said is kept"
UNSET = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "MOOT_BOARD", "MOOT_RUN", "MOOT_TOKEN", "MOOT_SOCKET")
VALUE = re.compile(r"(?<!\w)'[^-'][^']*'(?!\w)|\d")  # something that was given, or a bound
PATIENCE = 120  # seconds for a process, however busy the machine is


@dataclass(frozen=True)
class Seen:
    """What was observed: how it ended, the error's code, and what became of the board."""

    exit: int
    code: str | None
    after: str = NOTHING


@dataclass(frozen=True)
class Heard:
    exit: int
    out: bytes
    err: bytes


@dataclass(frozen=True)
class Case:
    row: str
    name: str
    given: str  # what goes in, in words
    door: str
    act: Callable[["Yard"], Seen]
    exit: int = 2
    code: str | None = None
    after: str = NOTHING
    fresh: bool = True  # it needs a board of its own, since it changes it

    @property
    def id(self) -> str:
        return f"{self.row}-{self.name}"


@dataclass
class Yard:
    """A folder with a board: item 1 is worked on, 2 asks, 3 is ready, 4 waits for 3, docs/ is locked; a message."""

    folder: Path
    run: str = ""

    @classmethod
    def make(cls, folder: Path) -> "Yard":
        FileBoards().create(str(folder), "kanban").close()
        yard = cls(folder)
        (folder / "given").mkdir()
        with (folder / ".moot" / "flow.yaml").open("a", encoding="utf-8") as flow:
            flow.write("\nmessages: {note: {from: [any], to: [any]}}\n")
        yard.done("apply")
        yard.done("add", "One", "--column", "dev", "--files", "src/auth/reset.py")
        yard.run = json.loads(yard.done("claim", "dev-agent", "--lease", "1h", "--json").out)["run"]
        yard.done("add", "Four", "--column", "dev")
        asks = {"outcome": "asks", "question": {"question": "Which?", "options": ["a", "b"]}}
        asking = json.loads(yard.done("claim", "dev-agent", "--json").out)
        yard.done("report", asking["run"], "--token", "1", "-", stdin=json.dumps(asks).encode())
        yard.done("add", "Two", "--column", "dev")
        yard.done("add", "Three", "--after", "3")
        yard.done("lock", "docs/", "--for", "2h")
        message = {
            "from": "dev-agent",
            "to": "qa-agent",
            "type": "note",
            "message_id": "00000000-0000-4000-8000-000000000001",
        }
        yard.done("send", "-", stdin=json.dumps(message).encode())
        return yard

    def copy(self, folder: Path) -> "Yard":
        stores.copy(self.folder, folder)
        return Yard(folder, self.run)

    # The doors

    def moot(
        self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, boards: Any = None
    ) -> Heard:
        """The command in this process."""
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        settings = read_settings({"USER": "ada", **(env or {})})
        with self._inside(out, err, stdin):
            code = run([self._filled(word) for word in arguments], boards or FileBoards(), settings)
        out.flush()
        err.flush()
        return Heard(code, out.buffer.getvalue(), err.buffer.getvalue())

    def done(self, *arguments: str, stdin: bytes = b"") -> Heard:
        heard = self.moot(*arguments, stdin=stdin)
        assert heard.exit == 0, heard
        return heard

    def process(
        self, *arguments: str | bytes, stdin: bytes = b"", env: Mapping[str, str] | None = None, **options: Any
    ) -> Heard:
        """The command in a process of its own."""
        told = [self._filled(word) if isinstance(word, str) else word for word in arguments]
        if not options and not starts_otherwise(env):
            ended = forked.run(told, env=environment(env), cwd=self.folder, input=stdin, timeout=PATIENCE)
            return Heard(ended.returncode, ended.stdout, ended.stderr)
        program = [sys.executable, "-m", "folkmoot", *told]
        given = {"input": stdin, "cwd": self.folder, "env": environment(env), **options}
        if "stdout" not in options and "stderr" not in options:
            given["capture_output"] = True
        ended = subprocess.run(program, check=False, timeout=PATIENCE, **given)
        return Heard(ended.returncode, ended.stdout or b"", ended.stderr or b"")

    def called(self, work: Callable[[Any], Any]) -> Seen:
        """The Python door: a board that is handed to `work`."""
        from folkmoot import Board

        before = self.state()
        Board.boards = FileBoards()
        with Board.open(str(self.folder)) as board:
            try:
                work(board)
            except MootError as error:
                checked_words(error.as_json()["error"])
                seen = error.exit_code, error.code
            else:
                seen = 0, ""
        return Seen(seen[0], seen[1] or None, self.after(before))

    def asked(self, request: bytes) -> Seen:
        """The in-run door: one question as it comes from the socket."""
        before = self.state()
        application = FileBoards().open(str(self.folder))
        try:
            relay = Relay(application, Actor("dev-agent", self.run, 1))
            reply = msgspec.json.decode(relay.answer(request))
        finally:
            application.close()
        if "error" not in reply:
            return Seen(0, None, self.after(before))
        checked_words(reply["error"])
        return Seen(ERRORS[reply["error"]["code"]].exit_code, reply["error"]["code"], self.after(before))

    # What is on the board

    def state(self) -> tuple[Any, ...]:
        """The head of the log, how many answers and outputs are kept, and every file beside the store."""
        store = apsw.Connection(str(self.folder / ".moot" / "board.db"), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            head = store.execute("SELECT * FROM board, (SELECT count(*) FROM keys), (SELECT count(*) FROM output)").get
        finally:
            store.close()
        return head, tuple(self._files())

    def after(self, before: tuple[Any, ...]) -> str:
        now = self.state()
        if now[1] != before[1]:
            return f"files changed: {sorted(set(before[1]) ^ set(now[1]))}"
        return NOTHING if now == before else "the board changed"

    def _files(self) -> Iterator[tuple[str, int, int]]:
        top = len(str(self.folder)) + 1
        for place, folders, names in os.walk(self.folder):
            folders[:] = sorted(folder for folder in folders if folder != "given")
            for name in sorted([*folders, *names]):
                path = os.path.join(place, name)
                # The store's own files hold what the head tells, and the locks and hints of whoever has it open.
                if not path[top:].startswith((".moot/board.db", ".moot/writer")):
                    found = os.stat(path)
                    yield path[top:], found.st_size if name in names else 0, found.st_mtime_ns if name in names else 0

    def give(self, name: str, data: bytes) -> str:
        path = self.folder / "given" / name
        path.write_bytes(data)
        return f"given/{name}"

    def _filled(self, word: str) -> str:
        return self.run if word == "RUN" else word

    @contextmanager
    def _inside(self, out: io.TextIOWrapper, err: io.TextIOWrapper, stdin: bytes) -> Iterator[None]:
        streams, place, kept = (sys.stdin, sys.stdout, sys.stderr), os.getcwd(), dict(os.environ)
        sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(stdin), "utf-8"), out, err
        for name in UNSET:
            os.environ.pop(name, None)
        os.environ["HOME"] = str(self.folder / "no-home")  # agents work in the folder itself, which holds no home
        os.chdir(self.folder)
        try:
            yield
        finally:
            os.chdir(place)
            os.environ.clear()
            os.environ.update(kept)
            sys.stdin, sys.stdout, sys.stderr = streams


def checked_words(error: Mapping[str, Any]) -> None:
    """An error has a code and says what holds; what it repeats of the input can be shown."""
    assert error["code"] in ERRORS and error["message"], error
    assert set(error) <= {"kind", "code", "message", "hint", "remedy", "details", "next", "faults"}, error
    assert error["details"] or not VALUE.search(error["message"]), error


def refusal(heard: Heard) -> tuple[int, str | None]:
    """The exit and the code of a `--json` answer; the form of both is checked."""
    assert b"Traceback" not in heard.err, heard.err.decode()
    if heard.exit == 0:
        return 0, None
    lines = [line for line in heard.err.decode("utf-8").splitlines() if line.startswith("{")]
    error = json.loads(lines[-1])["error"]
    checked_words(error)
    assert error["hint"], error
    assert clean(heard.err), heard.err
    return heard.exit, error["code"]


def clean(data: bytes) -> bool:
    """No control code, no direction mark: nothing that could move a terminal's cursor or turn its letters round."""
    return all(letter.isprintable() or letter in "\n\t" for letter in data.decode("utf-8"))


def said(
    *arguments: str, stdin: bytes = b"", files: Mapping[str, bytes] | None = None, words: bool = True
) -> Callable[[Yard], Seen]:
    """A command that is refused, as JSON and in words: both must end alike, and change nothing."""

    def act(yard: Yard) -> Seen:
        for name, data in (files or {}).items():
            yard.give(name, data)
        before = yard.state()
        at = arguments.index("--") if "--" in arguments else len(arguments)
        told = refusal(yard.moot(*arguments[:at], "--json", *arguments[at:], stdin=stdin))
        if words:
            shown = yard.moot(*arguments, stdin=stdin)
            assert shown.exit == told[0], (shown, told)
            assert shown.err.startswith(b"moot: ") and clean(shown.err) and shown.out == b"", shown
        return Seen(*told, yard.after(before))

    return act


def refused(
    row: str,
    name: str,
    given: str,
    *arguments: str,
    code: str,
    exit: int = 2,
    stdin: bytes = b"",
    files: Mapping[str, bytes] | None = None,
    words: bool = True,
) -> Case:
    """A case of the command line in this process, as JSON and in words."""
    act = said(*arguments, stdin=stdin, files=files, words=words)
    known = arguments and arguments[0].isprintable()
    if code == "unreadable_report" and arguments[:1] == ("report",):
        # Its text is kept on its run, so each case needs a run of its own.
        return Case(row, name, given, "`moot report`", lambda yard: _kept(yard, act), exit, code, LIVES)
    return Case(row, name, given, f"`moot {arguments[0]}`" if known else "`moot`", act, exit, code, fresh=False)


def _kept(yard: Yard, act: Callable[[Yard], Seen]) -> Seen:
    """The text of a report that cannot be read stays on its run, and nothing else has changed."""
    seen = act(yard)
    application = FileBoards().open(str(yard.folder))
    try:
        run = application.queries.show("1").runs[-1]
    finally:
        application.close()
    kept = run.ended_at is None and run.refused is not None and seen.after == "the board changed"
    return Seen(seen.exit, seen.code, LIVES) if kept else seen


def through_python(row: str, name: str, given: str, work: Callable[[Any], Any], code: str, exit: int = 2) -> Case:
    return Case(row, name, given, "Python", lambda yard: yard.called(work), exit, code, fresh=False)


def through_relay(row: str, name: str, given: str, request: bytes | dict[str, Any], code: str, exit: int = 2) -> Case:
    data = request if isinstance(request, bytes) else json.dumps(request).encode()
    return Case(row, name, given, "in-run socket", lambda yard: yard.asked(data), exit, code, fresh=False)
