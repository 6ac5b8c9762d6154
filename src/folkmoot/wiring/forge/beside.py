"""The look at the forge, beside a worker, for as long as that runs."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from folkmoot.system.file_lock import alone_within
from folkmoot.worker.forge.tracking import IssueWatch
from folkmoot.worker.forge.turns import Turns
from folkmoot.worker.forge.watching import FORGE_SECONDS, ForgeWatch
from folkmoot.worker.tools import Tools

LAST_SECONDS = 10.0


def watch_of(tools: Tools) -> ForgeWatch:
    return ForgeWatch(tools, lambda path: alone_within(path, 0.0), time.time)


def issues_of(tools: Tools) -> IssueWatch:
    return IssueWatch(tools, Turns("issues", lambda path: alone_within(path, 0.0), time.time))


@contextmanager
def watched(tools: Tools) -> Iterator[None]:
    """Once before anything else, so that a worker that ends when nothing is left has seen what people did meanwhile."""
    watch, issues, ended = watch_of(tools), issues_of(tools), threading.Event()
    watch.look()
    issues.look()

    def go_on() -> None:
        while not ended.wait(FORGE_SECONDS):
            watch.look()
            issues.look()

    thread = threading.Thread(target=go_on, name="moot-forge", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        _look_last(issues)


def _look_last(issues: IssueWatch) -> None:
    """What has landed, or asks somebody, is said before the worker goes; nobody waits long for a forge that hangs."""
    last = threading.Thread(target=issues.look, kwargs={"now": True}, name="moot-forge-last", daemon=True)
    last.start()
    last.join(LAST_SECONDS)
