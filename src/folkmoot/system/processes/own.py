"""The processes that this process has started for itself: git, the notify command, the keeper.

Whatever else becomes its child fell out of the hands of keepers that were killed (see guarding.py), and is killed.
"""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_started: dict[int, subprocess.Popen[bytes]] = {}


def start(argv: list[str], **options: Any) -> subprocess.Popen[bytes]:
    with _lock:
        for pid in [pid for pid, process in _started.items() if process.returncode is not None]:
            del _started[pid]
        process: subprocess.Popen[bytes] = subprocess.Popen(argv, **options)
        _started[process.pid] = process
        return process


@contextmanager
def nobody_else_starts() -> Iterator[set[int]]:
    """While it lasts, nothing is started from here; gives the numbers of what was."""
    with _lock:
        yield set(_started)
