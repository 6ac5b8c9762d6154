"""What the kernel refuses in every box: calls on state that no namespace keeps apart from the user's own, and those
that would make another box.

The keyrings of the kernel are such state: tickets, passwords of mounted shares and keys of encrypted folders lie there,
and whoever is the same user can read and change them, in whatever box. All else of this kind is a namespace of the box
(shared memory, queues, names, processes) or is covered (see sandbox.py).

In a namespace of its own a program has every right of root over what it mounts there. A mounted group of processes
(cgroup) is the machine's all the same, and its files belong to who runs moot: so the worker and the user's programs
could be stopped from there, and the limits of the box lifted.
"""

import errno
import os
import struct
from typing import NamedTuple

NEW_FILE_SYSTEMS = (428, 429, 430, 431, 432, 433, 442, 467)  # open_tree, move_mount, fsopen … : alike on all machines
CLONE3 = 435  # alike on all machines; what it asks for lies in memory, where no filter can look


class Way(NamedTuple):
    """One way of calling that a machine has, as the kernel numbers it, and the numbers of calls in it."""

    number: int
    keyrings: tuple[int, ...]  # add_key, request_key, keyctl
    mounting: tuple[int, ...]  # mount, umount2, pivot_root, setns
    parting: tuple[int, ...]  # clone, unshare: also how every process and thread begins


GENERIC = ((217, 218, 219), (40, 39, 41, 268), (220, 97))
CALLS = {
    "x86_64": [
        Way(0xC000003E, (248, 249, 250), (165, 166, 155, 308), (56, 272)),
        Way(0x40000003, (286, 287, 288), (21, 22, 52, 217, 346), (120, 310)),
    ],
    "aarch64": [Way(0xC00000B7, *GENERIC), Way(0x40000028, (309, 310, 311), (21, 52, 218, 375), (120, 337))],
    "riscv64": [Way(0xC00000F3, *GENERIC)],
}
X32 = 0x40000000  # a bit in the numbers of a third way on x86_64, which is otherwise numbered like the first
NEW_NAMESPACE = 0x7E020080  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME

LOAD, EQUAL, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x45, 0x54, 0x06
NUMBER_AT, WAY_AT, FLAGS_AT = 0, 4, 16  # in what the kernel shows of a call; flags are the low half of the first word
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
# As a kernel without keyrings, and one without clone3, says it: programs know that, and begin a process with clone.
UNKNOWN = REFUSE | errno.ENOSYS
FORBIDDEN = REFUSE | errno.EPERM  # as the kernel says it to whoever is not root

Step = tuple[int, int, int, int]


def rules(machine: str | None = None) -> bytes:
    """The filter as bwrap takes it; empty where there can be none."""
    machine = os.uname().machine if machine is None else machine
    if machine not in CALLS or not os.path.exists("/proc/sys/kernel/seccomp"):
        return b""
    said: list[Step] = [(LOAD, 0, 0, WAY_AT)]
    for way in CALLS[machine]:
        steps = _steps(way)
        said += [(EQUAL, 0, len(steps), way.number), *steps]  # another way: skip what follows for this one
    said.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *one) for one in said)


def _steps(way: Way) -> list[Step]:
    said: list[Step] = [(LOAD, 0, 0, NUMBER_AT), (AND, 0, 0, 0xFFFFFFFF & ~X32)]
    said += [*_if_any((*way.keyrings, CLONE3), 1), (RETURN, 0, 0, UNKNOWN)]
    said += [*_if_any((*way.mounting, *NEW_FILE_SYSTEMS), 1), (RETURN, 0, 0, FORBIDDEN)]
    said += [*_if_any(way.parting, 3), (LOAD, 0, 0, FLAGS_AT), (ANY_BIT, 0, 1, NEW_NAMESPACE)]
    return [*said, (RETURN, 0, 0, FORBIDDEN), (RETURN, 0, 0, ALLOW)]


def _if_any(numbers: tuple[int, ...], steps: int) -> list[Step]:
    """Go on if it is one of these numbers, else leave out so many steps."""
    last = len(numbers) - 1
    return [(EQUAL, last - at, 0 if at < last else steps, number) for at, number in enumerate(numbers)]
