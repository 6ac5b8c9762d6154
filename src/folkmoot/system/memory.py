"""Files of a box that lie in memory: no copy is on a disk, and they are gone when the box is, whoever was killed."""

import subprocess
from functools import cache

from folkmoot.worker.ports import FIRST_FILE, Names

FOLDER_BYTES = 256 * 1024 * 1024  # beside its login a client keeps its sessions in the same folder
PATIENCE = 20.0


def in_memory(bwrap: str, names: Names, *, last: bool = False) -> list[str]:
    """What bwrap is told. In a folder of its own a file can be replaced by renaming another to its name, as many
    clients save; alone it cannot. The `last` file of a launch, if there is one more, is the kernel's filter."""
    folders = [name for name in names if name.endswith("/")]
    size = ("--size", str(FOLDER_BYTES)) if folders and "--size" in options(bwrap) else ()
    said = [word for folder in folders for word in (*size, "--tmpfs", folder.rstrip("/"))]
    files = [name for name in names if not name.endswith("/")]
    for number, file in enumerate(files, start=FIRST_FILE):
        inside = file.startswith(tuple(folders))
        said += ["--file" if inside else "--bind-data", str(number), file]
    return [*said, *(("--seccomp", str(FIRST_FILE + len(files))) if last else ())]


@cache
def options(bwrap: str) -> str:
    """What this bwrap can be told: older ones know less."""
    try:
        ran = subprocess.run([bwrap, "--help"], env={}, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return ""  # that it cannot be run is said where it is tried
    return ran.stdout.decode("utf-8", "replace")
