"""Where a misfortune is played: a folder, a network with nothing but loopback, a small disk."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path

from tests.clients import netns
from tests.clients.clients import CLIENTS, ROOT
from tests.misfortunes.place import Seen
from tests.misfortunes.table import Misfortune

DISK = "size=16m,mode=700"  # enough for a repository and a board


@cache
def no_namespace() -> str:
    return netns.why_not()


def why_not(case: Misfortune) -> str:
    """Why it cannot be played on this machine; empty if it can."""
    if case.client:
        return CLIENTS["goose"].why_not or no_namespace()
    if case.root and (os.geteuid() != 0 or shutil.which("mount") is None):
        return "a full disk needs a small tmpfs, and mounting one needs root"
    return ""


def played(case: Misfortune, folder: Path, *, apart: bool = False) -> Seen:
    """What was seen. `apart`: in a process of its own, whatever is played."""
    folder.mkdir()
    with small_disk(folder) if case.root else nullcontext():
        if not (apart or case.client):
            return case.play(folder)
        words = [sys.executable, "-m", "tests.misfortunes.table", case.name, str(folder)]
        command = netns.command(words) if case.client else words
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{case.name} ended with {done.returncode}:\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
    return Seen(**json.loads(done.stdout))


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", DISK, "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
