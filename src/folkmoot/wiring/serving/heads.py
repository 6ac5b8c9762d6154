"""Connections whose request does not come: closed after a while, so that nobody keeps all places by saying nothing."""

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES_MAX = 65_536  # of an address and all headers, where they do not come at once
HEAD_SECONDS = 20.0  # for the head of a request to come, from the connection's or the request's first byte


def patient(seconds: float) -> "type[HttpToolsProtocol]":
    """uvicorn waits for ever for the rest of a head; bodies have a limit of their own."""
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class Patient(HttpToolsProtocol):
        _late: asyncio.TimerHandle | None = None
        _is_body = False
        _head = 0  # bytes of the head that is coming

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            if not self._is_body:
                self._wait()
                self._head += len(data)
            super().data_received(data)
            if not self._is_body and self._head > HEAD_BYTES_MAX:
                self.transport.close()

        def on_headers_complete(self) -> None:
            self._is_body, self._head = True, 0
            self._stop()
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            self._is_body = False
            super().on_message_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _wait(self) -> None:
            if self._late is None:
                self._late = self.loop.call_later(seconds, self.transport.close)

        def _stop(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Patient
