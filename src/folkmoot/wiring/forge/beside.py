"""The look at the forge, beside a worker, for as long as that runs."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from folkmoot.system.file_lock import alone_within
from folkmoot.worker.forge.watching import FORGE_SECONDS, ForgeWatch
from folkmoot.worker.tools import Tools


def watch_of(tools: Tools) -> ForgeWatch:
    return ForgeWatch(tools, lambda path: alone_within(path, 0.0), time.time)


@contextmanager
def watched(tools: Tools) -> Iterator[None]:
    """Once before anything else, so that a worker that ends when nothing is left has seen what people did meanwhile."""
    watch, ended = watch_of(tools), threading.Event()
    watch.look()

    def go_on() -> None:
        while not ended.wait(FORGE_SECONDS):
            watch.look()

    thread = threading.Thread(target=go_on, name="moot-forge", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
