"""Run the tests in several processes that are forked when all is collected: `-p tests.crew --crew 4`.

Sixteen thousand tests take a while to collect, in a fresh checkout most of a minute, since each file is compiled. With
workers of their own start, each would do all of it again, and the cores with them. Here it is done once.

Tests are handed out in runs of neighbours, so that what a module shares is made seldom; the runs get shorter toward the
end, and the last folders, which have the long tests, come first. A worker that dies fails the test that it was at, and
its other tests go to the others.
"""

import atexit
import os
import traceback
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from tempfile import TemporaryFile
from typing import Any

import pytest

SHORTER = 24  # how many runs of tests there are at least for each worker
LONGEST = 40


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--crew", type=int, default=0, metavar="N", help="run tests in N forked processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    size = session.config.getoption("crew")
    if size < 2 or session.testsfailed or session.config.option.collectonly or not session.items:
        return None
    Crew(session, size).run()
    return True


class Crew:
    """The process that has collected: it hands tests out, and tells what became of them."""

    def __init__(self, session: pytest.Session, size: int) -> None:
        self.session = session
        self.size = size
        self.left = list(range(len(session.items)))
        self.given: dict[Connection, list[int]] = {}  # what each worker has not ended
        self.pids: dict[Connection, int] = {}

    def run(self) -> None:
        self.session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        try:
            for number in range(self.size):
                self._begin(number)
            while self.given:
                for at in wait(list(self.given)):
                    assert isinstance(at, Connection)
                    self._hear(at)
                if self.session.shouldfail or self.session.shouldstop:
                    raise self.session.Failed(self.session.shouldfail or self.session.shouldstop)
        finally:
            for at, pid in self.pids.items():
                at.close()  # a worker that is still there ends when it asks or tells
                os.waitpid(pid, 0)

    def _begin(self, number: int) -> None:
        ours, theirs = Pipe()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                for other in (ours, *self.given):
                    other.close()
                Worker(self.session, theirs, number).run()
                code = 0
            except BaseException:
                os.write(2, traceback.format_exc().encode("utf-8", "backslashreplace"))
            finally:
                os._exit(code)
        theirs.close()
        self.given[ours], self.pids[ours] = [], pid

    def _hear(self, at: Connection) -> None:
        hook, items = self.session.config.hook, self.session.items
        try:
            what, said = at.recv()
        except (EOFError, OSError):
            self._lost(at)
            return
        if what == "next":
            run = self._next()
            self.given[at] += run
            with suppress(OSError):
                at.send(run)
        elif what == "starts":
            hook.pytest_runtest_logstart(nodeid=items[said].nodeid, location=items[said].location)
        elif what == "report":
            hook.pytest_runtest_logreport(
                report=hook.pytest_report_from_serializable(config=self.session.config, data=said)
            )
        elif what == "ended":
            self.given[at].remove(said)
            hook.pytest_runtest_logfinish(nodeid=items[said].nodeid, location=items[said].location)

    def _next(self) -> list[int]:
        """Neighbours from the end of the list, in their own order."""
        many = min(LONGEST, 1 + len(self.left) // (self.size * SHORTER))
        run = self.left[-many:]
        del self.left[-many:]
        return run

    def _lost(self, at: Connection) -> None:
        """A worker has ended: rightly, or in the middle of a test."""
        unended = self.given.pop(at)
        if unended:
            item = self.session.items[unended[0]]
            words = f"the process that ran {item.nodeid} has died"
            report = pytest.TestReport(item.nodeid, item.location, {}, "failed", words, "call")
            item.ihook.pytest_runtest_logreport(report=report)
            self.left += unended[1:]
            if not self.given:
                self._begin(self.size)


class Worker:
    """A forked process: it runs what it is given, and tells how each test went."""

    def __init__(self, session: pytest.Session, at: Connection, number: int) -> None:
        self.session = session
        self.at = at
        config = session.config
        atexit._clear()
        config.pluginmanager.unregister(name="terminalreporter")
        self._hear_itself_alone(config.pluginmanager.getplugin("capturemanager"))
        folders: Any = config._tmp_path_factory  # type: ignore[attr-defined]
        folders._basetemp = folders.getbasetemp() / f"crew{number}"
        folders._basetemp.mkdir(mode=0o700)
        config.pluginmanager.register(self)

    def _hear_itself_alone(self, capture: Any) -> None:
        """What is printed goes to files of its own, under the same numbers: modules keep the streams that they found
        when they were loaded."""
        capture.suspend_global_capture(in_=True)
        heard = capture._global_capturing
        for stream in (heard.out, heard.err) if capture._method == "fd" else ():
            with TemporaryFile(buffering=0) as own:
                os.dup2(own.fileno(), stream.tmpfile.fileno())
        capture.resume_global_capture()

    def run(self) -> None:
        with suppress(BrokenPipeError, EOFError, ConnectionResetError):  # nobody wants to know any more
            numbers = self._numbers()
            this = next(numbers, None)
            while this is not None:
                following = next(numbers, None)
                item = self.session.items[this]
                self.at.send(("starts", this))
                item.config.hook.pytest_runtest_protocol(
                    item=item, nextitem=None if following is None else self.session.items[following]
                )
                self.at.send(("ended", this))
                this = following
        atexit._run_exitfuncs()

    def _numbers(self) -> Iterator[int]:
        while True:
            self.at.send(("next", None))
            run = self.at.recv()
            if not run:
                return
            yield from run

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        config = self.session.config
        data = config.hook.pytest_report_to_serializable(config=config, report=report)
        self.at.send(("report", data))
