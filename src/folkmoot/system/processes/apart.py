"""Sockets that lie in no folder (abstract ones): who may use the network of the machine sees those of every other box,
and can hand open folders and files to it. The standard library alone, and Linux: the keeper's script uses it."""

import ctypes
import os
import struct

from folkmoot.system.processes.trees import LIBC, prctl

PR_SET_NO_NEW_PRIVS = 38
CREATE_RULESET, RESTRICT_SELF = 444, 446  # of Landlock: alike on all machines
NONE_OF_OTHERS = struct.pack("=QQQ", 0, 0, 1)  # of files and ports nothing; LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET


def keep_apart() -> bool:
    """From here on this process and all that come of it reach such sockets of each other alone. False: the kernel is
    older than 6.12, or has no Landlock."""
    rules = LIBC.syscall(CREATE_RULESET, NONE_OF_OTHERS, ctypes.c_size_t(len(NONE_OF_OTHERS)), 0)
    if rules < 0:
        return False
    prctl(PR_SET_NO_NEW_PRIVS, 1)  # bwrap does the same, a moment later
    if LIBC.syscall(RESTRICT_SELF, rules, 0):
        error = ctypes.get_errno()
        raise OSError(error, f"Landlock: {os.strerror(error)}")
    os.close(rules)
    return True
