"""Ports of a run's own: a range that no other run on this machine has, and where nobody listens now."""

import errno
import os
import socket
from contextlib import suppress

from folkmoot.errors import Unavailable

FIRST, LAST = 20_000, 32_000  # below those that the system hands out by itself
MARK = "\0folkmoot-ports-"  # names in memory, not files: with the process that holds one it is gone
TAKEN = (errno.EADDRINUSE, errno.EACCES)  # any other fault: this machine has no such address


class PortRange:
    """Held until it is closed, or this process ends."""

    def __init__(self, first: int, marks: list[socket.socket]) -> None:
        self.first = first
        self._marks = marks

    def close(self) -> None:
        for mark in self._marks:
            mark.close()


def take_ports(count: int) -> PortRange:
    """The first free ones after a place by chance, so that two boards seldom look at the same."""
    step = -(-count // 10) * 10
    places = range(FIRST, LAST - step, step)
    begin = int.from_bytes(os.urandom(4), "big") % len(places)
    for first in (*places[begin:], *places[:begin]):
        marks = _marked(range(first, first + step, 10))
        if marks is not None and all(_is_free(port) for port in range(first, first + count)):
            return PortRange(first, marks)
        for mark in marks or []:
            mark.close()
    words = "there are no {count} free ports in a row between {first} and {last} on this machine"
    raise Unavailable("no_ports", words, "end what listens there, or lower `ports` under `clone`", count, FIRST, LAST)


def _marked(tens: range) -> list[socket.socket] | None:
    """Every ten ports have a name that one process at a time can have; None: another has one of these."""
    marks: list[socket.socket] = []
    for ten in tens:
        mark = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        marks.append(mark)
        try:
            mark.bind(f"{MARK}{ten}")
        except OSError:
            for one in marks:
                one.close()
            return None
    return marks


def _is_free(port: int) -> bool:
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with suppress(OSError), socket.socket(family, socket.SOCK_STREAM | socket.SOCK_CLOEXEC) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind((host, port))
            except OSError as error:
                if error.errno in TAKEN:
                    return False
    return True
