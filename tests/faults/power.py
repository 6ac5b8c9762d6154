"""Cutting the power under real processes: a mount of the forgetful disk, writers on it, and what they were told."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PATIENCE = 60.0  # for a mount, on a busy machine


def needs_fuse() -> None:
    if not os.access("/dev/fuse", os.R_OK | os.W_OK) or os.geteuid() != 0:
        pytest.skip("power loss needs a file system of our own: /dev/fuse and root")
    if shutil.which("fusermount") is None and shutil.which("fusermount3") is None:
        pytest.skip("power loss needs libfuse; `scripts/bootstrap.sh tools` installs it where that is allowed")
    if importlib.util.find_spec("mfusepy") is None:
        pytest.skip("power loss needs mfusepy; `make dev` installs it")


class Machine:
    """A computer with one disk. `folder` is where it is mounted, `kept` what lies on it."""

    def __init__(self, place: Path) -> None:
        needs_fuse()
        self.place = place
        self.folder, self.kept = place / "disk", place / "kept0"
        self.folder.mkdir()
        self.kept.mkdir(mode=0o700)
        self._cuts = 0
        self._disk: subprocess.Popen[str] | None = None
        self._running: list[tuple[subprocess.Popen[bytes], Path]] = []

    def start(self) -> None:
        command = [sys.executable, str(HERE / "forgetful.py"), str(self.kept), str(self.folder)]
        self._disk = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        until = time.monotonic() + PATIENCE
        while not os.path.ismount(self.folder):
            if self._disk.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the forgetful disk cannot be mounted")
            time.sleep(0.01)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "USER": "alice", "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("MOOT_BOARD", None)
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)

    def writer(self, name: str, seed: int, *how: str) -> None:
        """A process on the disk; what it is told lies on another one."""
        told = self.place / f"{name}.told"
        command = [sys.executable, str(HERE / "writer.py"), str(self.folder), name, str(seed), *how]
        with told.open("wb") as file, (self.place / f"{name}.err").open("wb") as errors:
            self._running.append((subprocess.Popen(command, stdout=file, stderr=errors), told))

    def cut(self, seed: int | None) -> list[dict[str, Any]]:
        """The power is gone, and comes back: the disk holds what survived. Gives what the writers were told before."""
        assert self._disk is not None and self._disk.stdin is not None
        self._cuts += 1
        self.kept = self.place / f"kept{self._cuts}"
        self._disk.stdin.write(f"cut {'-' if seed is None else seed} {self.kept}\n")
        self._disk.stdin.close()
        self._disk.wait()
        for process, _ in self._running:
            process.kill()
            process.wait()
        told = [line for _, path in self._running for line in acknowledged(path)]
        self._running.clear()
        self._unmount()
        self._disk = None
        return told

    def close(self) -> None:
        for process, _ in self._running:
            process.kill()
            process.wait()
        if self._disk is not None:
            self._disk.kill()
            self._disk.wait()
            if self._disk.stdin is not None:
                self._disk.stdin.close()
            self._unmount()

    def told(self) -> int:
        return sum(path.read_bytes().count(b"\n") for _, path in self._running)

    def _unmount(self) -> None:
        subprocess.run(["umount", "-l", str(self.folder)], check=True, capture_output=True)


def acknowledged(path: Path) -> list[dict[str, Any]]:
    """Whole lines only: what was not wholly said was not acknowledged. After the cut nothing can be said."""
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    return [line for line in lines if line["did"] != "refused"]
