"""Calls of a forge that came to this board: each is good once, and wakes whoever asks the forge."""

import hashlib
import os
from collections.abc import Mapping, Sequence

from folkmoot.doors.http.hooks import SECRET_CHARS_MIN, Hook
from folkmoot.errors import Invalid
from folkmoot.system.file_lock import alone
from folkmoot.system.forge.token import HOOK_VARIABLE

KNOWN = os.path.join("access", "deliveries")  # a file of the board: what came, by digests, the oldest first
WOKEN = "forge.woken"  # touched, it wakes who asks the forge
DIGEST_BYTES = 32
KNOWN_MAX = 8_192


def secret_of(env: Mapping[str, str]) -> str | None:
    """None: nobody calls here."""
    secret = env.get(HOOK_VARIABLE, "").strip()
    if secret and len(secret) < SECRET_CHARS_MIN:
        words = "{variable} is too short: anybody could guess it"
        hint = "openssl rand -hex 32 makes a good one; give the forge the same"
        raise Invalid("weak_secret", words, hint, HOOK_VARIABLE)
    return secret or None


def hook_of(home: str) -> Hook:
    def hook(names: Sequence[str]) -> bool:
        if not noted(home, names):
            return False
        wake(home)
        return True

    return hook


def noted(home: str, names: Sequence[str]) -> bool:
    """Kept over a restart, and for all servers of the board. False: one of these names was here before."""
    made = [hashlib.sha256(name.encode()).digest() for name in names]
    path = os.path.join(home, KNOWN)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with alone(f"{path}.lock"):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "r+b") as file:
            data = file.read()
            data = data[: len(data) // DIGEST_BYTES * DIGEST_BYTES]  # a killed server may have left a part of one
            known = [data[at : at + DIGEST_BYTES] for at in range(0, len(data), DIGEST_BYTES)]
            if not set(made).isdisjoint(known):
                return False
            if len(known) + len(made) > KNOWN_MAX:
                known = known[-KNOWN_MAX // 2 :]
                file.seek(0)
                file.truncate()
                file.write(b"".join(known))
            file.seek(len(known) * DIGEST_BYTES)
            file.write(b"".join(made))
    return True


def wake(home: str) -> None:
    path = os.path.join(home, WOKEN)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    os.utime(path)
