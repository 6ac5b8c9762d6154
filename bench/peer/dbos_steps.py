"""DBOS on SQLite: a workflow of three steps, called one after the other and by eight threads. Prints JSON."""

import json
import logging
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dbos import DBOS  # type: ignore[import-not-found]


@DBOS.step()
def step(number: int) -> int:
    return number + 1


@DBOS.workflow()
def three_steps(number: int) -> int:
    for _ in range(3):
        number = step(number)
    return number


def steps_per_second(threads: int, workflows: int) -> float:
    def all_done(count: int) -> float:
        start = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            ends = list(pool.map(three_steps, [0] * count))
        if set(ends) != {3}:
            raise RuntimeError("a workflow did not end as it should")
        return time.perf_counter() - start

    all_done(max(1, workflows // 10))
    return 3 * workflows / all_done(workflows)


def main(folder: Path, workflows: int) -> None:
    url = f"sqlite:///{folder / 'dbos.db'}"
    DBOS(config={"name": "bench", "system_database_url": url, "run_admin_server": False, "log_level": "ERROR"})
    logging.disable(logging.CRITICAL)
    DBOS.launch()
    found = {f"{threads} thread{'s' * (threads > 1)}": steps_per_second(threads, workflows) for threads in (1, 8)}
    DBOS.destroy()
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
