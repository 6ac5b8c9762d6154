"""The log as it grows, for any number of subscribers: one thread of the process reads each event once.

A subscriber holds the number of the last event it has had, and nothing else. It asks for what comes after that number;
so it misses nothing and gets nothing twice, however slow it is, and it goes on after a restart where it was.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from folkmoot.api.views import EventView

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

PAGE = 1000
KEPT = 10_000  # the last events, from which most are answered without the store


class Feed:
    """Reads from the moment it is made until `close`."""

    def __init__(self, application: "Application") -> None:
        self._application = application
        self._lock = threading.Lock()
        self._recent: list[EventView] = []  # without a gap, the newest last
        self._last = application.last()
        self._subscribers: set[Subscription] = set()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._read, name="moot-feed", daemon=True)
        self._thread.start()

    def subscribe(self, after: int, wake: Callable[[], None]) -> "Subscription":
        """To the events after this one. `wake` is called when there are new ones, by the feed's own thread: it must be
        short, and take nothing itself. What is there already is there to be taken at once."""
        made = Subscription(self, after, wake)
        with self._lock:
            self._subscribers.add(made)
        return made

    def close(self) -> None:
        self._closed.set()
        self._application.change_signal.notify()
        self._thread.join()

    def leave(self, subscription: "Subscription") -> None:
        with self._lock:
            self._subscribers.discard(subscription)

    def after(self, seq: int, limit: int) -> list[EventView]:
        recent = self.recent(seq, limit)
        return self._application.queries.log(seq, limit=limit).events if recent is None else recent

    def recent(self, seq: int, limit: int) -> list[EventView] | None:
        """The same without the store; None if it must be asked."""
        with self._lock:
            first = self._recent[0].seq if self._recent else self._last + 1
            begin = seq - first + 1  # events are numbered without a gap
            return self._recent[begin : begin + limit] if begin >= 0 else None

    @property
    def last(self) -> int:
        with self._lock:
            return self._last

    def _read(self) -> None:
        while not self._closed.is_set():
            seen = self._application.change_signal.count
            events = self._application.queries.log(self._last, limit=PAGE).events
            if not events:
                self._application.changed(seen, self._application.look_again)
                continue
            with self._lock:
                self._recent += events
                self._last = events[-1].seq
                if len(self._recent) > 2 * KEPT:
                    del self._recent[:-KEPT]
                subscribers = list(self._subscribers)
            for one in subscribers:
                one.wake()


class Subscription:
    """One subscriber's place in the log. Only one thread at a time may take from it."""

    def __init__(self, feed: Feed, after: int, wake: Callable[[], None]) -> None:
        self._feed = feed
        self.seq = after  # of the last event that was taken
        self.wake = wake

    def take(self, limit: int = PAGE) -> list[EventView]:
        """The next events, in their order; none, if there are no new ones yet."""
        events = self._feed.after(self.seq, limit)
        if events:
            self.seq = events[-1].seq
        return events

    def take_recent(self, limit: int = PAGE) -> list[EventView] | None:
        """The same at once, for who must not wait for the store; None if `take` must be asked."""
        events = self._feed.recent(self.seq, limit)
        if events:
            self.seq = events[-1].seq
        return events

    def close(self) -> None:
        self._feed.leave(self)
