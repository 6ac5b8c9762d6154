"""A date that is set wrong, or jumps, under real programs: the server of a board, or the workers of one machine."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("shifted_clock.c")


class Shifted:
    """`env` is given to a program; from then on its date is as far off as `by` says, at once."""

    def __init__(self, library: Path, folder: Path, name: str) -> None:
        self._place = folder / name
        self.by(0)
        self.env = {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(self._place)}

    def by(self, seconds: int) -> None:
        aside = self._place.with_suffix(".new")
        aside.write_text(f"{seconds}\n", "ascii")
        aside.chmod(0o644)
        os.rename(aside, self._place)


class Clocks:
    """Where any user of the machine can read: the server runs as another one."""

    def __init__(self) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            pytest.skip("a date that is moved under a program needs a C compiler")
        self._folder = Path(tempfile.mkdtemp(prefix="moot-clock-"))
        self._folder.chmod(0o755)
        self._library = self._folder / "shifted.so"
        made = [compiler, "-shared", "-fPIC", "-O1", "-o", str(self._library), str(SOURCE)]
        subprocess.run(made, check=True)
        self._library.chmod(0o755)

    def clock(self, name: str) -> Shifted:
        return Shifted(self._library, self._folder, name)

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
