"""How the cost of a piece of code grows: CPU of this thread beside CPU of this thread, whatever else is going on."""

import gc
import time
from collections.abc import Callable


def effort(work: Callable[[], object], tries: int = 3, enough: float = 0.0) -> float:
    """The least of some tries, since a busy machine only ever adds; the first below `enough` is as good as a lesser
    one. The collector looks at all the tests have left behind, which is not the work's fault."""
    found: list[float] = []
    while len(found) < tries and not (found and found[-1] < enough):
        gc.disable()
        try:
            before = time.thread_time()
            work()
            found.append(time.thread_time() - before)
        finally:
            gc.enable()
    return min(found)
