"""The demo in the real world: a folder with git, a worker with processes, and the person at the keyboard, if any."""

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from typing import TextIO

from msgspec.structs import asdict

from folkmoot.api.machine import DemoEnd, TestCount, TestsBeforeAndAfter
from folkmoot.api.views import QuestionView
from folkmoot.core.commands import ENGINE, Actor, AnswerQuestion
from folkmoot.doors.cli.keyboard.keys import is_watched, one_by_one
from folkmoot.doors.cli.render.page import Page
from folkmoot.doors.cli.render.running import Progress
from folkmoot.engine.application import Application
from folkmoot.engine.checking.doctor import examine
from folkmoot.engine.engine import Engine
from folkmoot.errors import MootError
from folkmoot.flows.load import load_flow
from folkmoot.sim.demo import stage, telling
from folkmoot.sim.demo.account import account
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.system.clock import SystemClock, SystemIds
from folkmoot.system.git import SystemGit
from folkmoot.system.wake import FileWatch
from folkmoot.wiring.running import STORE, tools_of, worker_name
from folkmoot.wiring.wal_watch import BoardSignal
from folkmoot.worker.worker import Worker

YOU = Actor("you")
ALONE_SECONDS = 2.0  # a question waits this long where nobody is there
WATCHED_SECONDS = 10.0  # and this long where somebody may type an answer
WAKE_SECONDS = 0.5
PATIENCE = 60.0  # seconds after which something has gone wrong, unless a person is being waited for
ENDED = ("done", "cancelled", "failed")


def play(*, ask: bool, on_stderr: bool) -> DemoEnd:
    """Play the demo on a real board in a folder of its own, which stays for the user to look at."""
    stream = sys.stderr if on_stderr else sys.stdout
    watched = is_watched(stream)
    wait = stage.Wait(None if ask else WATCHED_SECONDS if watched else ALONE_SECONDS)
    folder = tempfile.mkdtemp(prefix="folkmoot-demo-")
    began = time.monotonic()
    project = Project(folder)
    before = project.tests()
    board = project.make_board(wait)
    try:
        person = Person(board, wait, by_key=watched, by_line=ask and not watched)
        page = Page(stream)
        sandboxed = _work(board, project, person, stream, page, before, endless=ask)
        seconds = round(time.monotonic() - began, 3)
        view = _account(board, project, before, sandboxed, seconds)
        telling.ending(page, view)
        return view
    finally:
        board.close()


class Project:
    """The shop's till, in a repository of its own."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._git = SystemGit()
        self._git_dir = os.path.join(folder, ".git")
        for name, text in stage.files().items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=The till of a small shop")

    def git(self, *words: str) -> str:
        return self._git(*words, git_dir=self._git_dir, work_tree=self.folder).out.decode("utf-8", "replace")

    def tests(self) -> TestCount:
        """Really run them, on what is on main now."""
        argv = [sys.executable, "-ISB", "-m", "unittest", "discover", "-s", "tests", "-t", "."]
        ran = subprocess.run(argv, cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        said = ran.stderr.decode("utf-8", "replace")
        total = int(found[1]) if (found := re.search(r"^Ran (\d+) test", said, re.MULTILINE)) else 0
        failed = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", said))
        failed = failed if ran.returncode == 0 or failed else total
        return TestCount(total=total, passed=total - failed, failed=failed, exit_code=ran.returncode)

    def make_board(self, wait: stage.Wait) -> Application:
        home = os.path.join(self.folder, ".moot")
        os.makedirs(home, mode=0o700)
        text = stage.flow(sys.executable, wait)
        with open(os.path.join(home, "flow.yaml"), "x", encoding="utf-8") as file:
            file.write(text)
        store = SqliteStore.create(os.path.join(home, STORE))
        store.change_signal = change_signal = BoardSignal(store.path)
        engine = Engine(store, SystemClock(), SystemIds())
        flow = load_flow(text, "flow.yaml", lambda name: None)
        engine.adopt_flow(ENGINE, flow, sha256(text.encode()).hexdigest())
        return Application(engine, home, list(store.warnings), change_signal)


def _work(
    board: Application,
    project: Project,
    person: "Person",
    stream: TextIO,
    page: Page,
    before: TestCount,
    *,
    endless: bool,
) -> bool:
    """Put the items on the board, and let a worker run agents until all of them are done."""
    progress = Progress(stream, board.asked_by(YOU), notes=stage.NOTES, prompt=person.prompt, changed=board.changed)
    with ExitStack() as stack:
        tools = stack.enter_context(tools_of(board, board.board_dir, progress.tell))
        sandbox = tools.sandbox_of(board.queries.flow())
        telling.opening(page, project.folder, before, sandbox.why)
        for request in stage.ITEMS:
            telling.added(page, board.engine.add(YOU, request), request)
        page.blank()
        worker = Worker(tools, worker_name(tools.workspaces.home))
        watch = FileWatch(tools.workspaces.home, STORE, worker.wake)
        stack.callback(watch.close)
        progress.start()
        stack.callback(progress.stop)
        stack.enter_context(person.listening())
        worker.run(Until(board, worker, person, None if endless else time.monotonic() + PATIENCE))
        return sandbox.works


class Until:
    """Called by the worker about once a second: ends it when every item has ended, or nothing can go on any more."""

    def __init__(self, board: Application, worker: Worker, person: "Person", latest: float | None) -> None:
        self._queries = board.queries
        self._person = person
        self._worker = worker
        self._latest = latest
        self._woken = 0.0

    def __call__(self) -> None:
        now = time.monotonic()
        late = self._latest is not None and now > self._latest
        if late or self._is_over() or self._is_stuck():
            self._worker.interrupt()
        elif not self._worker.jobs and now - self._woken > WAKE_SECONDS:
            self._woken = now
            self._worker.wake()  # a question's default may hold by now: the next claim sees to it

    def _is_over(self) -> bool:
        return all(item.status in ENDED for item in self._queries.list().items)

    def _is_stuck(self) -> bool:
        """Only a person could help, and nobody is there."""
        if self._worker.jobs or self._person.is_there:
            return False
        states = {item.status for item in self._queries.list().items} - {*ENDED, "waiting"}
        return states <= {"parked"}


class Person:
    """Whoever watches, and may answer: by a key in the terminal, or by lines where that was wished for."""

    def __init__(self, board: Application, wait: stage.Wait, *, by_key: bool, by_line: bool) -> None:
        self._board = board
        self._wait = wait
        self._by_key = by_key
        self._by_line = by_line
        self.is_there = by_key or by_line
        self._over = threading.Event()
        self._typed = ""
        self._note = ""
        self._asked: QuestionView | None = None
        self._asked_at = 0.0

    def prompt(self) -> str:
        """What stands in the terminal's last line while an answer can be typed."""
        asked = self._asked
        if asked is None or not self._by_key:
            return ""
        numbers = "".join(f"{number}, " for number in range(1, len(asked.options) + 1))
        left = ""
        if self._wait.seconds is not None:
            left = f" ({max(self._wait.seconds - (time.monotonic() - self._asked_at), 0):.0f}s)"
        words = "or in words" if asked.takes == "words" else "or its words"
        return f"{self._note}answer {numbers}{words}{left}: {self._typed}_"

    @contextmanager
    def listening(self) -> Iterator[None]:
        if not (self._by_key or self._by_line):
            yield
            return
        listen = threading.Thread(target=self._listen, name="moot-person", daemon=True)
        with one_by_one() if self._by_key else ExitStack():
            listen.start()
            try:
                yield
            finally:
                self._over.set()
                if self._by_key:
                    listen.join()

    def _listen(self) -> None:
        while not self._over.wait(0.1):
            asked = next(iter(self._board.queries.questions().questions), None)
            if asked is None:
                self._asked, self._typed = None, ""
                continue
            if self._asked is None or self._asked.id != asked.id:
                self._asked, self._asked_at, self._typed, self._note = asked, time.monotonic(), "", ""
            if self._by_line:
                self._answer(asked, sys.stdin.readline().strip() or asked.default or "1")
            else:
                self._hear(asked)

    def _hear(self, asked: QuestionView) -> None:
        import select

        fd = sys.stdin.fileno()
        if not select.select([fd], [], [], 0)[0]:
            return
        for letter in os.read(fd, 1024).decode("utf-8", "ignore"):
            if letter in "\r\n":
                if self._typed.strip():
                    self._answer(asked, self._typed.strip())
                    return
            elif letter in "\x7f\b":
                self._typed = self._typed[:-1]
            elif not self._typed and letter.isdecimal() and 0 < int(letter) <= len(asked.options):
                self._answer(asked, letter)
                return
            elif letter.isprintable():
                self._typed += letter

    def _answer(self, asked: QuestionView, words: str) -> None:
        try:
            self._board.engine.answer(YOU, AnswerQuestion(question=asked.id, answer=words))
            self._asked = None
        except MootError as error:  # not such an answer, or the default was quicker
            self._note = f"{error.message}; "
        self._typed = ""


def _account(board: Application, project: Project, before: TestCount, sandboxed: bool, seconds: float) -> DemoEnd:
    queries = board.queries
    items = queries.list().items
    events = queries.log(limit=100_000).events
    examined = examine(board.engine)
    after = project.tests()
    graph = project.git("log", "--graph", "--oneline", "--decorate=no", "main").splitlines()
    commits = int(project.git("rev-list", "--count", "main"))
    is_clean = project.git("status", "--porcelain") == ""
    done = all(item.status == "done" for item in items)
    return DemoEnd(
        ok=done and examined.ok and after.exit_code == 0 and after.total > before.total and is_clean,
        board=project.folder,
        **asdict(account(events, items, queries.flow())),
        commits=commits,
        graph=graph,
        tests=TestsBeforeAndAfter(before=before, after=after),
        doctor=examined,
        sandboxed=sandboxed,
        seconds=seconds,
    )
