"""Gates, landings and what dead workers left, seen to in a thread of a process that is there for something else."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from folkmoot.core.enums import ENGINE_NAME
from folkmoot.engine.application import Application
from folkmoot.errors import MootError
from folkmoot.system.wake import FileWatch
from folkmoot.wiring.files.brought import NOT_BEGUN, has_begun
from folkmoot.wiring.forge.beside import watched
from folkmoot.wiring.running import STORE, tools_of, worker_name
from folkmoot.worker.ports import WorkerEvent
from folkmoot.worker.tools import Tools
from folkmoot.worker.worker import Worker


@contextmanager
def attend(board: Application, home: str, tell: Callable[[Any], None]) -> Iterator[None]:
    """A worker that runs no agents. Closed, it ends at once: a gate that runs is ended and given back, a branch that
    moves is moved to the end. It sets no handler of signals, and adopts no process of its caller's."""
    if not has_begun(home):
        tell(WorkerEvent("fault", "", "", "", ENGINE_NAME, NOT_BEGUN, good=False))
        yield
        return
    with tools_of(board, home, tell) as tools:
        worker = Worker(tools, worker_name(os.path.abspath(home)), attends=True)
        watch = FileWatch(tools.workspaces.home, STORE, worker.wake)
        thread = threading.Thread(target=_run, args=(tools, worker, tell), name="moot-attend", daemon=True)
        thread.start()
        try:
            yield
        finally:
            worker.interrupt()
            worker.interrupt()
            thread.join()
            watch.close()


def _run(tools: Tools, worker: Worker, tell: Callable[[Any], None]) -> None:
    try:
        with watched(tools):
            worker.run()
    except (MootError, OSError) as error:
        words = f"gates and landings are seen to no more: {error}"
        tell(WorkerEvent("fault", "", "", "", ENGINE_NAME, words, good=False))
