"""What several of these tests need of the machine."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

MakeDisk = Callable[[Path, int], Path]


@pytest.fixture
def small_disk() -> Iterator[MakeDisk]:
    """Mounts a disk of some kilobytes over a folder."""
    mounted: list[Path] = []
    mount = shutil.which("mount")

    def make(folder: Path, kilobytes: int) -> Path:
        if os.geteuid() != 0 or mount is None:
            pytest.skip("a full disk needs a small tmpfs, and mounting one needs root")
        folder.mkdir(parents=True, exist_ok=True)
        command = [mount, "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=700", "tmpfs", str(folder)]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode != 0:
            pytest.skip(f"a full disk needs a small tmpfs: {made.stderr.strip()}")
        mounted.append(folder)
        return folder

    yield make
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], check=True)
