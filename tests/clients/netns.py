"""Runs a command in a network namespace of its own that has nothing but loopback.

    python tests/clients/netns.py COMMAND…

So that "it speaks to nobody but the scripted model" is not believed but cannot be otherwise. As root it needs nothing
more; as anybody else a user namespace, in which the user stays who he is. Only the standard library is used.
"""

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1
CANNOT = 125  # exit code: there is no such namespace on this machine


def enter() -> None:
    """Put this process into a namespace with only `lo`, which is up."""
    user, group = os.getuid(), os.getgid()
    unshare(CLONE_NEWNET if user == 0 else CLONE_NEWNET | CLONE_NEWUSER)
    if user != 0:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    raise_loopback()


def unshare(flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"unshare: {os.strerror(code)}")


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        asked = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(control, SIOCGIFFLAGS, asked))[1]
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | IFF_UP))


def command(words: Sequence[str]) -> list[str]:
    """The words that run a command with only loopback around it."""
    return [sys.executable, "-I", "-S", __file__, *words]


def why_not() -> str:
    """Why there can be no such namespace here; empty if there can."""
    tried = subprocess.run(command(["true"]), capture_output=True, text=True, check=False)
    return "" if tried.returncode == 0 else tried.stderr.strip() or f"exit {tried.returncode}"


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        enter()
    except OSError as error:
        print(f"no network namespace here: {error}", file=sys.stderr)
        return CANNOT
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
