"""Hearing at once that somebody has written, on whichever machine: NOTIFY, on a connection of its own.

It is a hint and no more. A pooler in transaction mode does not pass it on, and a lost connection misses some: who waits
looks every few seconds anyway.
"""

import threading
from collections.abc import Callable

import psycopg

from folkmoot.store.change_signal import ChangeSignal
from folkmoot.store.postgres.address import Address
from folkmoot.store.postgres.wire import CONNECTING

LOOK = 0.5  # seconds after which a listener that is to end sees it
AGAIN = 1.0  # seconds before a lost connection is made again


def channel(schema: str) -> str:
    """What is notified when the board in this schema was written to."""
    return f"moot_{schema}"


class ServerSignal(ChangeSignal):
    """Heard by the threads of this process at once, and by all others through the server; `heard` is called then."""

    __slots__ = ("_address", "_ended", "_heard", "_making", "_thread")

    def __init__(self, address: Address, heard: Callable[[], None]) -> None:
        super().__init__()
        self._address = address
        self._heard = heard
        self._making = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def wait(self, seen: int, seconds: float) -> int:
        self.listen()
        return super().wait(seen, seconds)

    def listen(self) -> None:
        """One listener for all threads of the process, made when the first of them waits."""
        with self._making:
            if self._thread is None and not self._ended.is_set():
                self._thread = threading.Thread(target=self._follow, name="moot-listen", daemon=True)
                self._thread.start()

    def close(self) -> None:
        self._ended.set()
        with self._making:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
        super().close()

    def _follow(self) -> None:
        while not self._ended.is_set():
            try:
                with psycopg.connect(self._address.connect, autocommit=True, **CONNECTING) as connection:  # type: ignore[arg-type]
                    connection.execute(f"LISTEN {channel(self._address.schema)}".encode())
                    self._ring()  # something may have come while nobody listened
                    self._hear(connection)
            except psycopg.Error:
                self._ended.wait(AGAIN)

    def _hear(self, connection: "psycopg.Connection[tuple[object, ...]]") -> None:
        while not self._ended.is_set():
            if any(True for _ in connection.notifies(timeout=LOOK, stop_after=1)):
                self._ring()

    def _ring(self) -> None:
        self.notify()
        self._heard()
