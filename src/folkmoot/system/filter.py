"""What the kernel refuses in every box: calls on state that no namespace keeps apart from the user's own.

The keyrings of the kernel are such state: tickets, passwords of mounted shares and keys of encrypted folders lie there,
and whoever is the same user can read and change them, in whatever box. All else of this kind is a namespace of the box
(shared memory, queues, names, processes) or is covered (see sandbox.py).
"""

import errno
import os
import struct

# By the machine: each way of calling that it has (as the kernel numbers those), with add_key, request_key and keyctl.
CALLS = {
    "x86_64": {0xC000003E: (248, 249, 250), 0x40000003: (286, 287, 288)},
    "aarch64": {0xC00000B7: (217, 218, 219), 0x40000028: (309, 310, 311)},
}
X32 = 0x40000000  # a bit in the numbers of a third way on x86_64, which is otherwise numbered like the first

LOAD, EQUAL, AND, RETURN = 0x20, 0x15, 0x54, 0x06
NUMBER_AT, WAY_AT = 0, 4  # in what the kernel shows of a call
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSYS  # as a kernel without keyrings says it: programs know that


def rules(machine: str | None = None) -> bytes:
    """The filter as bwrap takes it; empty where there can be none."""
    machine = os.uname().machine if machine is None else machine
    if machine not in CALLS or not os.path.exists("/proc/sys/kernel/seccomp"):
        return b""
    said = [(LOAD, 0, 0, WAY_AT)]
    for way, numbers in CALLS[machine].items():
        # Another way: skip what follows for this one.
        said.append((EQUAL, 0, len(numbers) + 4, way))
        said += [(LOAD, 0, 0, NUMBER_AT), (AND, 0, 0, 0xFFFFFFFF & ~X32)]
        said += [(EQUAL, len(numbers) - place, 0, number) for place, number in enumerate(numbers)]
        said += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    said.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *one) for one in said)
