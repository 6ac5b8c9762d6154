"""The log as it grows, for any number of subscribers: one thread of the process reads each event once.

A subscriber holds the number of the last event it has had, and nothing else. It asks for what comes after that number;
so it misses nothing and gets nothing twice, however slow it is, and it goes on after a restart where it was.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from folkmoot.api.views import EventView
from folkmoot.errors import Unavailable

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

PAGE = 1000
# The last events, from which most are answered without the store; up to twice as many, so that not each new one moves
# all others. One event may be thousands of times as large as another, so their number alone would bound nothing.
KEPT = 2_000
KEPT_BYTES = 4_000_000


class Told(Struct, frozen=True, gc=False):
    """An event in words. All who listen want it so; and as values it would take five times the memory, in crumbs."""

    seq: int
    event: str
    item: str | None
    data: bytes  # the event as JSON


class Recent:
    """The newest events, without a gap."""

    def __init__(self) -> None:
        self._events: list[Told] = []
        self._bytes = 0

    def add(self, events: list[Told]) -> None:
        self._events += events
        self._bytes += _size(events)
        if len(self._events) > 2 * KEPT or self._bytes > 2 * KEPT_BYTES:
            self._forget()

    def after(self, seq: int, limit: int) -> list[Told] | None:
        """None if some of them are not here any more."""
        if not self._events:
            return None
        begin = seq - self._events[0].seq + 1  # events are numbered without a gap
        return self._events[begin : begin + limit] if begin >= 0 else None

    def _forget(self) -> None:
        gone = max(len(self._events) - KEPT, 0)
        self._bytes -= _size(self._events[:gone])
        while self._bytes > KEPT_BYTES:
            self._bytes -= len(self._events[gone].data)
            gone += 1
        del self._events[:gone]


def _size(events: list[Told]) -> int:
    return sum(len(event.data) for event in events)


def _told(event: EventView) -> Told:
    return Told(event.seq, event.event, event.item, msgspec.json.encode(event))


class Feed:
    """Reads while anybody listens, until `close`. What happened before that is read from the store."""

    def __init__(self, application: "Application") -> None:
        self._application = application
        self._lock = threading.Lock()
        self._recent = Recent()
        self._last = application.last()
        self._subscribers: set[Subscription] = set()
        self._closed = threading.Event()
        self._wanted = threading.Event()  # somebody listens
        self._thread = threading.Thread(target=self._read, name="moot-feed", daemon=True)
        self._thread.start()

    def subscribe(self, after: int, wake: Callable[[], None]) -> "Subscription":
        """To the events after this one. `wake` is called when there are new ones, by the feed's own thread: it must be
        short, and take nothing itself. What is there already is there to be taken at once."""
        made = Subscription(self, after, wake)
        with self._lock:
            self._subscribers.add(made)
            self._wanted.set()
        return made

    def close(self) -> None:
        self._closed.set()
        self._wanted.set()
        self._application.change_signal.notify()
        self._thread.join()

    def leave(self, subscription: "Subscription") -> None:
        with self._lock:
            self._subscribers.discard(subscription)
            if not (self._subscribers or self._closed.is_set()):
                self._wanted.clear()

    def after(self, seq: int, limit: int) -> list[Told]:
        recent = self.recent(seq, limit)
        return self._read_after(seq, limit) if recent is None else recent

    def recent(self, seq: int, limit: int) -> list[Told] | None:
        """The same without the store; None if it must be asked."""
        with self._lock:
            return [] if seq >= self._last else self._recent.after(seq, limit)

    @property
    def last(self) -> int:
        with self._lock:
            return self._last

    def newest(self) -> int:
        """The number of the last event of the board, also if the feed has not read it yet."""
        return self._application.last()

    def _read_after(self, seq: int, limit: int) -> list[Told]:
        return [_told(event) for event in self._application.queries.log(seq, limit=limit).events]

    def _read(self) -> None:
        while not self._closed.is_set():
            if not self._wanted.is_set():
                self._wanted.wait()
                self._begin()
            seen = self._application.change_signal.count
            events = self._new()
            if not events:
                self._application.changed(seen, self._application.look_again)
                continue
            with self._lock:
                self._recent.add(events)
                self._last = events[-1].seq
            self._wake()

    def _begin(self) -> None:
        """Somebody listens again. What was written meanwhile is not all read first, if it is much."""
        try:
            last = self._application.last()
        except Unavailable:
            return  # it reads on from where it was
        if last - self._last <= PAGE:
            return
        with self._lock:
            self._recent, self._last = Recent(), last
        self._wake()

    def _wake(self) -> None:
        with self._lock:
            subscribers = list(self._subscribers)
        for one in subscribers:
            one.wake()

    def _new(self) -> list[Told]:
        try:
            return self._read_after(self._last, PAGE)
        except Unavailable:
            return []  # the store cannot be read now: it is asked again, and nothing is missed


class Subscription:
    """One subscriber's place in the log. Only one thread at a time may take from it."""

    def __init__(self, feed: Feed, after: int, wake: Callable[[], None]) -> None:
        self._feed = feed
        self.seq = after  # of the last event that was taken
        self.wake = wake

    def take(self, limit: int = PAGE) -> list[Told]:
        """The next events, in their order; none, if there are no new ones yet."""
        events = self._feed.after(self.seq, limit)
        if events:
            self.seq = events[-1].seq
        return events

    def take_recent(self, limit: int = PAGE) -> list[Told] | None:
        """The same at once, for who must not wait for the store; None if `take` must be asked."""
        events = self._feed.recent(self.seq, limit)
        if events:
            self.seq = events[-1].seq
        return events

    def close(self) -> None:
        self._feed.leave(self)
