"""Tells people that they are asked something, by the command that the flow names: each question, once it can."""

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct

from folkmoot.api.views import QuestionView
from folkmoot.errors import MootError

FILE = "notified"  # of the board: the open questions that people know of
AT_ONCE = 8
PATIENCE = 60.0  # seconds for the command; it is ended then
LAST_PATIENCE = 10.0  # seconds for those that still run when the worker ends
FILE_BYTES_MAX = 1_000_000


class _Call(Struct):
    process: "subprocess.Popen[bytes]"
    question: str
    since: float


class Notifier:
    """Called by the worker's loop now and then, and by `finish` at its end. It waits for nobody in between.

    What people know of is in a file beside the board, so that a question that opened while no worker ran, or with the
    last run before one ended, is told by the next. A question is in it when its command has ended well.
    """

    def __init__(
        self,
        command: Callable[[], Sequence[str]],  # of the flow in force; empty: nobody is told
        start: "Callable[[str], subprocess.Popen[bytes]]",  # it, with these words
        home: str,
        questions: Callable[[], list[QuestionView]],
        fault: Callable[[str], None],
    ) -> None:
        self._command = command
        self._start = start
        self._path = os.path.join(home, FILE)
        self._questions = questions
        self._fault = fault
        self._faulty = False
        self._calls: list[_Call] = []
        self._tried: set[str] = set()
        self._asked: dict[str, QuestionView] = {}  # what is open, as it was last seen

    def __call__(self) -> None:
        if not self._command():
            return
        self._reap()
        try:
            self._asked = {question.id: question for question in self._questions()}
        except MootError as error:
            self._tell(error.message)
        else:
            self._begin()

    def finish(self) -> None:
        """The last look, and a last chance for what was begun. What then still runs may go on by itself."""
        until = time.monotonic() + LAST_PATIENCE
        self()
        while self._calls and time.monotonic() < until:
            with suppress(subprocess.TimeoutExpired):
                self._calls[0].process.wait(max(0.0, until - time.monotonic()))
            self()
        if self._calls:
            self._keep({call.question for call in self._calls})

    def _begin(self) -> None:
        fresh = [one for one in self._asked if one not in self._tried]
        if not fresh:
            return
        known = self._known()
        for one in fresh:
            if one in known:
                self._tried.add(one)
            elif len(self._calls) < AT_ONCE:
                self._tried.add(one)
                self._call(self._asked[one])

    def _call(self, question: QuestionView) -> None:
        words = f"item {question.task_id}: {question.question}"
        try:
            process = self._start(words)
        except MootError as error:
            self._tell(error.message)
            return
        except (OSError, ValueError) as error:
            self._tell(str(getattr(error, "strerror", None) or error))
            return
        self._calls.append(_Call(process, question.id, time.monotonic()))

    def _reap(self) -> None:
        told = set()
        for call in list(self._calls):
            code = call.process.poll()
            if code is None and time.monotonic() - call.since > PATIENCE:
                call.process.kill()
                code = call.process.wait()  # killed: it is over at once
                self._tell(f"it was not over after {PATIENCE:.0f} seconds")
            elif code:
                self._tell(f"it ended with {code}")
            if code is not None:
                self._calls.remove(call)
            if code == 0:
                told.add(call.question)
        if told:
            self._keep(told)

    def _known(self) -> set[str]:
        with suppress(OSError, UnicodeDecodeError), open(self._path, encoding="utf-8") as file:
            return set(file.read(FILE_BYTES_MAX).split())
        return set()

    def _keep(self, told: set[str]) -> None:
        """Another worker may write at the same time: then somebody is told twice, which is better than never."""
        kept = sorted(one for one in self._known() | told if one in self._asked)
        aside = f"{self._path}.{os.getpid()}"
        try:
            with open(aside, "w", encoding="utf-8") as file:
                file.write("\n".join([*kept, ""]))
            os.replace(aside, self._path)
        except OSError as error:
            self._tell(f"{self._path} cannot be written: {error.strerror}")

    def _tell(self, why: str) -> None:
        """Once: a command that fails would fail for each question."""
        if not self._faulty:
            self._faulty = True
            self._fault(f"nobody could be notified by {self._command()[0]}: {why}; questions are in: moot inbox")
