"""How the cost of a piece of code grows: CPU of this thread beside CPU of this thread, whatever else is going on."""

import gc
import time
from collections.abc import Callable


def effort(work: Callable[[], object], tries: int = 3) -> float:
    """The least of some tries, since a busy machine only ever adds. The collector looks at all the tests have left
    behind, which is not the work's fault."""
    found = []
    for _ in range(tries):
        gc.disable()
        try:
            before = time.thread_time()
            work()
            found.append(time.thread_time() - before)
        finally:
            gc.enable()
    return min(found)
