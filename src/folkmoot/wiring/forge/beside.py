"""The look at the forge, beside a worker, for as long as that runs."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from folkmoot.system.file_lock import alone_within
from folkmoot.system.wake import FileWatch
from folkmoot.wiring.forge.hooks import WOKEN
from folkmoot.worker.forge.tracking import IssueWatch
from folkmoot.worker.forge.turns import Turns
from folkmoot.worker.forge.watching import FORGE_SECONDS, ForgeWatch
from folkmoot.worker.tools import Tools

LAST_SECONDS = 10.0


def watch_of(tools: Tools) -> ForgeWatch:
    return ForgeWatch(tools, _turns(tools, "forge"), time.time)


def issues_of(tools: Tools) -> IssueWatch:
    return IssueWatch(tools, _turns(tools, "issues"))


def _turns(tools: Tools, kind: str) -> Turns:
    return Turns(tools.application.engine, kind, os.uname().nodename, lambda path: alone_within(path, 0.0))


@contextmanager
def watched(tools: Tools) -> Iterator[None]:
    """Once before anything else, so that a worker that ends when nothing is left has seen what people did meanwhile;
    then once a minute, and soon after the forge has called."""
    watch, issues, ended, bell = watch_of(tools), issues_of(tools), threading.Event(), threading.Event()
    watch.look()
    issues.look()

    def go_on() -> None:
        while not ended.is_set():
            if not bell.wait(FORGE_SECONDS):
                watch.look()
                issues.look()
                continue
            if not ended.wait(watch.rest()):  # what comes until then is looked at together
                bell.clear()
                watch.look(called=True)
                issues.look(now=True)

    called = FileWatch(tools.workspaces.home, WOKEN, bell.set)
    thread = threading.Thread(target=go_on, name="moot-forge", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        bell.set()
        thread.join()
        called.close()
        _look_last(issues)


def _look_last(issues: IssueWatch) -> None:
    """What has landed, or asks somebody, is said before the worker goes; nobody waits long for a forge that hangs."""
    last = threading.Thread(target=issues.look, kwargs={"now": True}, name="moot-forge-last", daemon=True)
    last.start()
    last.join(LAST_SECONDS)
