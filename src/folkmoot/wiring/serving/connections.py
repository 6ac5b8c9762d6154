"""Connections that keep a place and give nothing for it: each ends after a while, and strangers among them are few.

A stranger is a connection on which no good token was shown yet. Whoever says nothing, or never reads what it is sent,
must not keep out those who have a token.
"""

import asyncio
import socket
import struct
from typing import TYPE_CHECKING, Any

from folkmoot.doors.http.exchange import KNOWN

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES_MAX = 65_536  # of an address and all headers, where they do not come at once
HEAD_SECONDS = 20.0  # for the head of a request to come, from the connection's or the request's first byte
UNREAD_SECONDS = 30.0  # in which a caller must take something of what waits for it
STRANGERS_MAX = 256
AT_ONCE = struct.pack("ii", 1, 0)  # else the kernel keeps what nobody reads


class Strangers:
    """The connections of strangers, the oldest first. Where there is no place for a new one, the oldest of those that
    wait for nothing from us must go: who means to ask does so at once, and has been answered."""

    def __init__(self, at_most: int) -> None:
        self._at_most = at_most
        self._known: dict[HttpToolsProtocol, None] = {}

    def come(self, one: "HttpToolsProtocol") -> None:
        self._known[one] = None
        if len(self._known) > self._at_most:
            # The new one has not asked either, so there is always one.
            oldest = next(other for other in self._known if other.cycle is None or other.cycle.response_complete)
            self.go(oldest)
            oldest.transport.abort()

    def go(self, one: "HttpToolsProtocol") -> None:
        self._known.pop(one, None)


class Late:
    """Ends a connection after so many seconds, unless it is stopped before."""

    def __init__(self, transport: asyncio.Transport, seconds: float) -> None:
        self._transport, self._seconds = transport, seconds
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self._transport.close)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Unread(Late):
    """The same while something waits for a caller who takes nothing of it. Who reads slowly may go on."""

    def begin(self) -> None:
        waits = self._transport.get_write_buffer_size()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._look, waits)

    def _look(self, waited: int) -> None:
        """Closing would wait for who does not read at all; and where that was done, it waits already."""
        if self._transport.get_write_buffer_size() < waited:
            self.begin()
            return
        connection: socket.socket = self._transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        self._transport.abort()


def patient(head_seconds: float, unread_seconds: float, strangers_max: int) -> "type[HttpToolsProtocol]":
    """uvicorn waits for ever for the rest of a head, and for who does not read; bodies have a limit of their own."""
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    strangers = Strangers(strangers_max)

    class Patient(HttpToolsProtocol):
        _late: Late
        _unread: Unread
        _is_body = False
        _head = 0  # bytes of the head that is coming

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            transport.set_write_buffer_limits(high=0)  # so that we are told as soon as something waits
            self._late, self._unread = Late(transport, head_seconds), Unread(transport, unread_seconds)
            self._late.begin()
            strangers.come(self)

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self.scope[KNOWN] = lambda: strangers.go(self)  # type: ignore[literal-required]  # a key of our own

        def data_received(self, data: bytes) -> None:
            if not self._is_body:
                self._late.begin()
                self._head += len(data)
            super().data_received(data)
            if not self._is_body and self._head > HEAD_BYTES_MAX:
                self.transport.close()

        def on_headers_complete(self) -> None:
            self._is_body, self._head = True, 0
            self._late.stop()
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            self._is_body = False
            super().on_message_complete()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._unread.begin()

        def resume_writing(self) -> None:
            super().resume_writing()
            self._unread.stop()

        def connection_lost(self, exc: Exception | None) -> None:
            strangers.go(self)
            self._late.stop()
            self._unread.stop()
            super().connection_lost(exc)

    return Patient
