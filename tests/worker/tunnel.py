"""What stands for ssh between hosts in network namespaces: git's conversation over a connection that can be cut.

As GIT_SSH_COMMAND it is the client. Like the ssh that `moot` starts it notices a cut line within 15 seconds.
"""

import os
import shlex
import socket
import subprocess
import sys
import threading
from contextlib import suppress

PORT = 2222
SERVICES = ("git-upload-pack", "git-receive-pack")


def serve(door: socket.socket) -> None:
    """Until the door is closed."""
    with suppress(OSError):
        while True:
            connection, _ = door.accept()
            threading.Thread(target=answer, args=(connection,), daemon=True).start()


def answer(connection: socket.socket) -> None:
    with connection, suppress(OSError):
        asked = b""
        while not asked.endswith(b"\n"):
            letter = connection.recv(1)
            if not letter:
                return
            asked += letter
        patient(connection)
        words = shlex.split(asked.decode())
        if words[0] in SERVICES:
            subprocess.run(
                words, stdin=connection.fileno(), stdout=connection.fileno(), stderr=subprocess.DEVNULL, check=False
            )
        connection.shutdown(socket.SHUT_RDWR)


def patient(connection: socket.socket) -> None:
    for level, option, value in (
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 5),
        (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 3),
        (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
        (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 15_000),
    ):
        connection.setsockopt(level, option, value)


def client(host: str, command: str) -> None:
    connection = socket.create_connection((host.rpartition("@")[2], PORT), timeout=10)
    connection.settimeout(None)
    patient(connection)
    connection.sendall(command.encode() + b"\n")
    threading.Thread(target=upwards, args=(connection,), daemon=True).start()
    while data := connection.recv(65_536):
        os.write(1, data)


def upwards(connection: socket.socket) -> None:
    with suppress(OSError):
        while data := os.read(0, 65_536):
            connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    if "-G" in sys.argv:  # git asks whether this is OpenSSH
        sys.exit(1)
    try:
        client(*sys.argv[-2:])
    except OSError as fault:
        print(f"tunnel: {fault}", file=sys.stderr)
        sys.exit(255)
