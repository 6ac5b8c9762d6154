"""The namespace in which clients are tested: nothing but loopback."""

import subprocess
import sys

import pytest

from tests.clients import netns

INTERFACES = "import socket; print(*sorted(name for _, name in socket.if_nameindex()))"
LOOPBACK = """
import socket
door = socket.create_server(("127.0.0.1", 0))
socket.create_connection(door.getsockname()).close()
"""
OUTSIDE = """
import socket
try:
    socket.create_connection(("192.0.2.1", 80), timeout=30)
except OSError as error:
    print(type(error).__name__, error.errno)
"""


def inside(script: str) -> str:
    why = netns.why_not()
    if why:
        pytest.skip(f"NOT RUN: {why}")
    words = netns.command([sys.executable, "-c", script])
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def test_there_is_nothing_but_loopback() -> None:
    assert inside(INTERFACES) == "lo"


def test_loopback_works() -> None:
    assert inside(LOOPBACK) == ""


def test_nothing_outside_can_be_reached_and_nobody_waits_for_it() -> None:
    assert inside(OUTSIDE) == "OSError 101"  # network is unreachable, said at once
