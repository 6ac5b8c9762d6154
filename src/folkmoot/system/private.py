"""What only root may read, by the modes of files: a box that root makes would show it."""

import os
import stat
from functools import cache

PLACES = ("/etc", "/var", "/boot")  # what people keep elsewhere is covered as a whole: see sandbox.py
LOOKED_AT_MAX = 20_000  # a tenth of a second, once for each worker; what lies high is looked at first
FOUND_MAX = 1_000  # each is a mount of every box


@cache
def roots_alone(places: tuple[str, ...] = PLACES) -> tuple[str, ...]:
    """Files that not everybody may read, and folders that not everybody may look into. Below one of these nothing is
    looked for, since it is covered with it. Links are left alone: what they lead to has a mode of its own."""
    found: list[str] = []
    waiting, seen = list(places), 0
    for folder in waiting:
        try:
            entries = os.scandir(folder)
        except OSError:
            continue  # it is gone, or root itself cannot look into it
        with entries:
            for entry in entries:
                seen += 1
                if seen > LOOKED_AT_MAX or len(found) >= FOUND_MAX:
                    return tuple(found)
                try:
                    mode = entry.stat(follow_symlinks=False).st_mode
                except OSError:
                    continue  # it is gone
                if stat.S_ISDIR(mode) and mode & stat.S_IXOTH:
                    waiting.append(entry.path)
                elif stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and not mode & stat.S_IROTH):
                    found.append(entry.path)
    return tuple(found)
