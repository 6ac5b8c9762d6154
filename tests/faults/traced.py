"""Commands under strace: killed at a system call, or told by it that the disk has failed."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from tests import forked

# All by which a process changes what lies on a disk.
WRITES = (
    *("write", "writev", "pwrite64", "pwritev", "ftruncate", "fallocate", "fsync", "fdatasync", "sync_file_range"),
    *("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir"),
    *("copy_file_range", "sendfile", "chmod", "fchmod", "fchmodat", "symlink", "symlinkat"),
)
CALL = re.compile(r"^\d+ +(\w+)\(")
MOOT = [sys.executable, "-m", "folkmoot"]


class Point(Struct, frozen=True, order=True):
    """The n-th call of its name, counted for each process by itself."""

    call: str
    number: int


class Ended(Struct):
    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The stable code of the error, or "" if none was told."""
        try:
            code: str = json.loads(self.err.splitlines()[-1])["error"]["code"]
        except (IndexError, ValueError, KeyError):
            return ""
        return code


def needs_strace() -> str:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed; `scripts/bootstrap.sh tools` installs it where that is allowed")
    probe = subprocess.run(
        [strace, "-f", "-o", os.devnull, "-e", "inject=write:retval=0:when=999", "true"],
        capture_output=True,
    )
    if probe.returncode != 0:
        pytest.skip("strace may not trace here")
    return strace


def environment() -> dict[str, str]:
    given = {**os.environ, "USER": "alice", "PYTHONDONTWRITEBYTECODE": "1"}
    given.pop("MOOT_BOARD", None)
    return given


def run(command: list[str], folder: Path, stdin: str = "", before: list[str] | None = None) -> Ended:
    done = subprocess.run(
        [*(before or []), *command], input=stdin, capture_output=True, text=True, cwd=folder, env=environment()
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def moot(folder: Path, *words: str, stdin: str = "") -> Ended:
    done = forked.run([*words, "--json"], env=environment(), cwd=folder, input=stdin.encode())
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def points(command: list[str], folder: Path, trace: Path, stdin: str = "") -> tuple[list[Point], Ended]:
    """Every write a command makes, by running it once; the trace lies where the command does not write."""
    strace = [needs_strace(), "-f", "--seccomp-bpf", "-qq", "-o", str(trace), "-e", f"trace={','.join(WRITES)}"]
    ended = run(command, folder, stdin, strace)
    counted: Counter[tuple[str, str]] = Counter()
    found = []
    for line in trace.read_text("utf-8", "replace").splitlines():
        called = CALL.match(line)
        if called is not None:
            process = line.split(" ", 1)[0]
            counted[process, called[1]] += 1
            point = Point(called[1], counted[process, called[1]])
            if point not in found:
                found.append(point)
    return found, ended


def struck(command: list[str], folder: Path, point: Point, what: str = "signal=KILL", stdin: str = "") -> Ended:
    """Run it; at the point `what` happens. `when` may be `3` or, with `+` in `what`, from the third on."""
    # Without --seccomp-bpf, which leaves injected signals out.
    strace = [needs_strace(), "-f", "-qq", "-o", os.devnull, "-e", f"trace={point.call}"]
    when = f"{point.number}+" if what.endswith("+") else str(point.number)
    inject = f"inject={point.call}:{what.removesuffix('+')}:when={when}"
    return run(command, folder, stdin, [*strace, "-e", inject])


def shown(ended: Ended) -> dict[str, Any] | None:
    """What a command answered, if it was said whole."""
    try:
        answer: dict[str, Any] = json.loads(ended.out)
    except ValueError:
        return None
    return answer
