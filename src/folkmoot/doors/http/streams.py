"""The log as server-sent events: from any number on, without a gap, and with a sign of life while nothing happens."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from typing import Protocol

import msgspec

from folkmoot.doors.http.exchange import ALWAYS, Exchange
from folkmoot.doors.http.problems import Wrong
from folkmoot.engine.reads.feed import Feed, Subscription
from folkmoot.errors import Invalid

ALIVE_SECONDS = 15.0
STREAMS_MAX = 512
RETRY = b"retry: 2000\n\n"


class Counting(Protocol):
    def streams(self, by: int) -> None: ...


class Streams:
    """All streams of a server."""

    def __init__(self, feed: Feed, pool: Executor, counters: Counting) -> None:
        self._feed, self._pool, self._counters, self._alive = feed, pool, counters, ALIVE_SECONDS
        self._open: set[asyncio.Event] = set()
        self._closing = False

    def close(self) -> None:
        """Let every stream end, so that the server can."""
        self._closing = True
        for wake in self._open:
            wake.set()

    async def serve(self, exchange: Exchange, after: int | None, item: str | None, is_good: Callable[[], bool]) -> None:
        """Until the caller hangs up, its token is good no more, or the server ends. `after` None: from now on."""
        if len(self._open) >= STREAMS_MAX:
            raise Wrong("too_many_streams", f"there are {STREAMS_MAX} streams already", "close one, or try later")
        wake = asyncio.Event()
        loop = asyncio.get_running_loop()

        def ring() -> None:
            with suppress(RuntimeError):  # the server has just ended
                loop.call_soon_threadsafe(wake.set)

        last = self._feed.last
        if after is None or after > last:  # the feed reads a moment after others have written
            last = await loop.run_in_executor(self._pool, self._feed.newest)
        subscription = self._feed.subscribe(last if after is None else min(after, last), ring)
        self._open.add(wake)
        self._counters.streams(1)
        leaving = asyncio.ensure_future(_hung_up(exchange, wake))
        try:
            head = [*ALWAYS, (b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
            await exchange.begin(200, head)
            await _send(exchange, RETRY)
            if after is not None and after > last:  # the board was set back: what the caller knows is not its past
                await _send(exchange, _frame("reset", _last(last)))
            await self._send_all(exchange, subscription, item, wake, leaving, is_good)
            await exchange.send({"type": "http.response.body", "body": b""})
        finally:
            leaving.cancel()
            subscription.close()
            self._open.discard(wake)
            self._counters.streams(-1)

    async def _send_all(
        self,
        exchange: Exchange,
        subscription: Subscription,
        item: str | None,
        wake: asyncio.Event,
        leaving: "asyncio.Future[None]",
        is_good: Callable[[], bool],
    ) -> None:
        loop = asyncio.get_running_loop()
        look_at = loop.time() + self._alive
        while not (self._closing or leaving.done()):
            wake.clear()
            if loop.time() >= look_at:
                look_at = loop.time() + self._alive
                if not await loop.run_in_executor(self._pool, is_good):
                    return
            events = subscription.take_recent()
            if events is None:
                events = await loop.run_in_executor(self._pool, subscription.take)
            wanted = [
                _frame(event.event, event.data, event.seq) for event in events if item is None or event.item == item
            ]
            if wanted:
                await _send(exchange, b"".join(wanted))
            if events:
                continue
            try:
                async with asyncio.timeout(self._alive):
                    await wake.wait()
            except TimeoutError:
                await _send(exchange, _frame("alive", _last(subscription.seq)))


def place_of(last_event: str | None, after: str | None) -> int | None:
    """Where a stream begins: after the event that the caller had last. What it says itself at a new try counts more
    than the address it began with."""
    said = last_event if last_event is not None else after
    if said is None or said == "now":
        return None
    if not (said.isascii() and said.isdecimal() and len(said) < 19):
        words = "{given!r} is not the number of an event"
        raise Invalid("bad_request", words, "give the number of the last event you have had, or 0", said[:80])
    return int(said)


def _frame(name: str, data: bytes, number: int | None = None) -> bytes:
    place = f"id: {number}\n" if number is not None else ""
    return f"{place}event: {name}\ndata: ".encode() + data + b"\n\n"


def _last(number: int) -> bytes:
    return msgspec.json.encode({"last": number})


async def _send(exchange: Exchange, data: bytes) -> None:
    await exchange.send({"type": "http.response.body", "body": data, "more_body": True})


async def _hung_up(exchange: Exchange, wake: asyncio.Event) -> None:
    while (await exchange.receive())["type"] != "http.disconnect":
        pass
    wake.set()
