"""Between a client and PostgreSQL: all goes through but what tells of others' writes, as through a pooler."""

import socket
import threading
from contextlib import suppress

NOTIFICATION = b"A"
HEADER = 5  # a message begins with a letter and four bytes of length, which count themselves


class DeafLine:
    """Every NotificationResponse is taken out of what the server says, and counted."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self.swallowed = 0
        threading.Thread(target=self._admit, daemon=True).start()

    def close(self) -> None:
        self._door.close()

    def _admit(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                for carry, source, target in ((self._all, client, server), (self._but_them, server, client)):
                    threading.Thread(target=carry, args=(source, target), daemon=True).start()

    def _all(self, source: socket.socket, target: socket.socket) -> None:
        with source, suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    def _but_them(self, source: socket.socket, target: socket.socket) -> None:
        kept = b""
        with source, suppress(OSError):
            while data := source.recv(65_536):
                kept += data
                passed = b""
                while len(kept) >= HEADER and len(kept) > (length := int.from_bytes(kept[1:HEADER], "big")):
                    message, kept = kept[: length + 1], kept[length + 1 :]
                    if message[:1] == NOTIFICATION:
                        self.swallowed += 1
                    else:
                        passed += message
                target.sendall(passed)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)
