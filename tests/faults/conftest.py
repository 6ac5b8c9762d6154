"""What several of these tests need of the machine."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest


class MakeDisk(Protocol):
    def __call__(self, folder: Path, kilobytes: int, files: int = 0) -> Path: ...


@pytest.fixture
def small_disk() -> Iterator[MakeDisk]:
    """Mounts a disk of some kilobytes over a folder, for so many files; 0: for any number."""
    mounted: list[Path] = []
    mount = shutil.which("mount")

    def make(folder: Path, kilobytes: int, files: int = 0) -> Path:
        if os.geteuid() != 0 or mount is None:
            pytest.skip("a full disk needs a small tmpfs, and mounting one needs root")
        folder.mkdir(parents=True, exist_ok=True)
        options = f"size={kilobytes}k,nr_inodes={files},mode=700"
        command = [mount, "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode != 0:
            pytest.skip(f"a full disk needs a small tmpfs: {made.stderr.strip()}")
        mounted.append(folder)
        return folder

    yield make
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], check=True)
