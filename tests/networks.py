"""Hosts of their own on one machine: network namespaces that meet on one bridge, and lines between them that break.

Nothing of it has a name on the machine: the namespaces are held by this process, and are gone when it is. A line is cut
without anybody's being told: what is sent on it is lost, as between real machines. Needs root, and `ip` of iproute2.
"""

import ctypes
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

CLONE_NEWNET = 0x40000000
OWN = "/proc/thread-self/ns/net"
NOBODYS = "02:00:00:00:00:99"  # the address of no card: what is sent to it is lost


class NoNetworks(Exception):
    """Why there can be no such hosts here."""


class Host:
    """One with an address of its own. `inside` is where its programs are started and its sockets are made."""

    def __init__(self, net: "Network", number: int) -> None:
        self.address = f"10.77.0.{number}"
        self.card = f"02:00:00:00:00:{number:02x}"
        self._net = net
        self._line = f"line{number}"
        self.space = new_space()
        in_host = f"/proc/{os.getpid()}/fd/{self.space}"
        net.say("link", "add", self._line, "type", "veth", "peer", "name", "eth0", "netns", in_host)
        net.say("link", "set", self._line, "master", "bridge")
        net.say("link", "set", self._line, "up")
        self.say("link", "set", "eth0", "address", self.card)
        self.say("addr", "add", f"{self.address}/24", "dev", "eth0")
        self.say("link", "set", "eth0", "up")

    @contextmanager
    def inside(self) -> Iterator[None]:
        with thread_in(self.space):
            yield

    def say(self, *words: str) -> None:
        with self.inside():
            ip(*words)

    def cut(self) -> None:
        """Nothing comes to it, and nothing from it; its line looks as before."""
        self._net.say("link", "set", self._line, "nomaster")

    def mend(self) -> None:
        self._net.say("link", "set", self._line, "master", "bridge")

    def lose_all_for(self, other: "Host") -> None:
        """What it sends to the other is lost; what the other sends comes."""
        self.say("neigh", "replace", other.address, "lladdr", NOBODYS, "dev", "eth0", "nud", "permanent")

    def lose_nothing_for(self, other: "Host") -> None:
        self.say("neigh", "replace", other.address, "lladdr", other.card, "dev", "eth0", "nud", "permanent")


class Network:
    def __init__(self) -> None:
        if os.geteuid() != 0:
            raise NoNetworks("hosts of their own need root")
        if shutil.which("ip") is None:
            raise NoNetworks("hosts of their own need `ip` (Debian: iproute2)")
        self.hosts: list[Host] = []
        self._middle = new_space()
        self.say("link", "add", "bridge", "type", "bridge")
        self.say("link", "set", "bridge", "up")

    def host(self) -> Host:
        self.hosts.append(Host(self, len(self.hosts) + 1))
        return self.hosts[-1]

    def say(self, *words: str) -> None:
        with thread_in(self._middle):
            ip(*words)

    def close(self) -> None:
        for space in [self._middle, *(host.space for host in self.hosts)]:
            os.close(space)


def ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoNetworks(f"ip {' '.join(words)}: {done.stderr.strip()}")


def new_space() -> int:
    """A network namespace with a loopback, made by a thread that then ends; it lives as long as this descriptor."""
    made: list[int] = []

    def make() -> None:
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) == 0:
            made.append(os.open(OWN, os.O_RDONLY))
            subprocess.run(["ip", "link", "set", "lo", "up"], check=False)

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    if not made:
        raise NoNetworks("the machine makes no network namespace")
    return made[0]


@contextmanager
def thread_in(space: int) -> Iterator[None]:
    """This thread, and what it starts meanwhile."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open(OWN, os.O_RDONLY)
    try:
        if libc.setns(space, CLONE_NEWNET) != 0:
            raise NoNetworks(os.strerror(ctypes.get_errno()))
        try:
            yield
        finally:
            libc.setns(before, CLONE_NEWNET)
    finally:
        os.close(before)
