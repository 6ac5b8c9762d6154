"""Huey on SQLite: a pipeline of three tasks, each a row that is written, taken and answered. Prints JSON."""

import json
import sys
import threading
import time
from pathlib import Path

from huey import SqliteHuey  # type: ignore[import-not-found]


def steps_per_second(folder: Path, workers: int, workflows: int) -> float:
    """With the time it takes to put the pipelines in, as a user would have it."""
    huey = SqliteHuey(filename=str(folder / f"huey{workers}.db"), fsync=True)

    @huey.task()
    def step(number: int) -> int:
        return number + 1

    ended: list[int] = []
    all_ended = threading.Event()

    @huey.task()
    def last(number: int, wanted: int) -> int:
        ended.append(number + 1)
        if len(ended) == wanted:
            all_ended.set()
        return number + 1

    def all_done(count: int) -> float:
        """To ask for results would be work that the peer need not do: the last step tells."""
        ended.clear()
        all_ended.clear()
        start = time.perf_counter()
        for _ in range(count):
            huey.enqueue(step.s(0).then(step).then(last, wanted=count))
        if not all_ended.wait(300) or set(ended) != {3}:
            raise RuntimeError("the pipelines did not end as they should")
        return time.perf_counter() - start

    consumer = huey.create_consumer(
        workers=workers, periodic=False, initial_delay=0.01, max_delay=0.05, check_worker_health=False
    )
    consumer.start()
    all_done(max(1, workflows // 10))
    seconds = all_done(workflows)
    consumer.stop(graceful=True)
    return 3 * workflows / seconds


if __name__ == "__main__":
    where, count = Path(sys.argv[1]), int(sys.argv[2])
    found = {f"{workers} worker{'s' * (workers > 1)}": steps_per_second(where, workers, count) for workers in (1, 4)}
    print(json.dumps(found))
