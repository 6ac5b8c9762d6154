"""Brings notices to one target, one after the other, in a thread of its own: no run and no other target waits for it.

`step` does one thing, and says in how many seconds there is more to do; the thread calls it, and a test does so with a
clock of its own. The log is the queue: nothing is held here but the place in it.
"""

import threading
import time
from collections.abc import Callable

from msgspec import Struct

from folkmoot.core.events import Event
from folkmoot.core.notices.notice import (
    NOTICES,
    REPEAT_MS,
    Notice,
    Rows,
    at_rest,
    idle_notice,
    is_repeat,
    notice_of,
    question_notice,
    shows_work,
)
from folkmoot.core.notices.targets import Target, quiet_minutes
from folkmoot.engine.application import Application
from folkmoot.engine.reads.snapshot import Snapshot
from folkmoot.errors import MootError
from folkmoot.wiring.notifying.cursor import Cursor, Told

PAGE = 500
KEEP_EVERY = 1_000  # events without a notice, before the place is written down all the same
FIRST_PAUSE, LONGEST_PAUSE = 2.0, 300.0
RETRY_AFTER_MAX = 3_600.0
GIVEN_UP_MS = 24 * 3_600_000  # then the next one goes first
LOCK_PAUSE = 5.0
QUIET_LOOK = 300.0  # the clock of the day may be set anew while it is quiet


class Failed(Exception):
    """A notice did not arrive. `why` holds no address and no secret."""

    def __init__(self, why: str, again: float | None = None, *, never: bool = False) -> None:
        super().__init__(why)
        self.why, self.again, self.never = why, again, never


class Delivery(Struct, frozen=True):
    id: str
    notice: Notice


Send = Callable[[Delivery], None]


class Times(Struct, frozen=True):
    """The clocks: one that only goes forward, in seconds; the wall's, in milliseconds; the minute of the local day."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], int] = lambda: round(time.time() * 1000)
    minute: Callable[[], int] = lambda: time.localtime().tm_hour * 60 + time.localtime().tm_min


class Courier:
    def __init__(
        self,
        application: Application,
        target: Target,
        cursor: Cursor,
        send: Send,
        fault: Callable[[str], None],
        times: Times,
    ) -> None:
        self.target = target
        self._application = application
        self._cursor = cursor
        self._send = send
        self._fault = fault
        self._times = times
        self._faulty = False
        self._tries = 0
        self._again_at = 0.0
        self._kept = 0  # the place as it stands in the file
        self._woken = threading.Event()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="moot-notify", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        self._woken.set()

    def end(self) -> None:
        """What can be sent at once still is; nothing is waited for."""
        self._ending.set()
        self._woken.set()

    def join(self, seconds: float) -> None:
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        try:
            while True:
                wait = self.step()
                if self._ending.is_set() and (wait is None or wait > 0):
                    break
                self._woken.wait(wait)
                self._woken.clear()
        finally:
            self._cursor.close()

    def step(self) -> float | None:
        """Seconds until there may be more to do; None: when the board has changed."""
        try:
            return self._step()
        except MootError as error:
            self._tell(error.message)
        except OSError as error:
            self._tell(error.strerror or "the place in the log cannot be kept")
        return LONGEST_PAUSE

    def _step(self) -> float | None:
        if (left := self._again_at - self._times.monotonic()) > 0:
            return left
        if (minutes := quiet_minutes(self.target.quiet, self._times.minute())) > 0:
            return min(minutes * 60.0, QUIET_LOOK)
        if not self._cursor.take():
            return LOCK_PAUSE
        told = self._cursor.told or self._begin()
        notice, seq, more = self._application.queries.at_one_moment(lambda snapshot: self._next(snapshot, told))
        if notice is None:
            if seq - self._kept >= KEEP_EVERY or (self._ending.is_set() and told.seq != seq):
                self._advance(told, None, seq)
            told.seq = seq
            return 0.0 if more else None
        try:
            self._send(Delivery(self._cursor.delivery(notice.key), notice))
        except Failed as failed:
            return self._failed(told, notice, seq, failed)
        self._tries = 0
        self._advance(told, notice, seq)
        return 0.0

    def _begin(self) -> Told:
        def look(snapshot: Snapshot) -> tuple[int, list[str], str]:
            reading = snapshot.reading
            first = reading.events(0, limit=1)[0]  # when a board was made, no other was by the same clock
            return reading.head().seq, [question.id for question in reading.inbox()], f"{first.at} {first.time!r}"

        return self._cursor.begin(*self._application.queries.at_one_moment(look))

    def _next(self, snapshot: Snapshot, told: Told) -> tuple[Notice | None, int, bool]:
        """The next notice for this target, how far the log is told with it, and whether more stands there."""
        reading = snapshot.reading
        for name in list(told.waiting):
            question = reading.question(name)
            notice = question_notice(question, reading.item(question.item)) if question else None
            if notice is not None and "question" in self.target.on:
                return notice, told.seq, True
            told.waiting.remove(name)
        events = reading.events(told.seq, limit=PAGE)
        for event in events:
            told.worked = told.worked or shows_work(event)
            notice = notice_of(event, _rows(snapshot, event)) if event.name in NOTICES else None
            if notice is not None and notice.topic in self.target.on and not is_repeat(notice, told.same):
                return notice, event.seq, True
        seq = events[-1].seq if events else told.seq
        if len(events) < PAGE and told.worked and not reading.open_runs() and at_rest(reading.open_items()):
            if "idle" in self.target.on:
                return idle_notice(seq, snapshot.moment.at, len(reading.inbox())), seq, True
            told.worked = False
        return None, seq, len(events) == PAGE

    def _advance(self, told: Told, notice: Notice | None, seq: int) -> None:
        told.seq, told.failing = seq, None
        if notice is not None and notice.question in told.waiting:
            told.waiting.remove(notice.question)
        if notice is not None and notice.topic == "idle":
            told.worked = False
        if notice is not None and notice.same:
            told.same = {same: at for same, at in told.same.items() if notice.at - at < REPEAT_MS}
            told.same[notice.same] = notice.at
        self._cursor.keep()
        self._kept = seq

    def _failed(self, told: Told, notice: Notice, seq: int, failed: Failed) -> float:
        now = self._times.wall()
        told.failing = now if told.failing is None else told.failing
        if failed.never or now - told.failing >= GIVEN_UP_MS:
            self._tell(f"{failed.why}; this notice is given up")
            self._tries = 0
            self._advance(told, notice, seq)
            return 0.0
        self._tell(failed.why)
        self._cursor.keep()
        pause = min(FIRST_PAUSE * 2.0**self._tries, LONGEST_PAUSE)
        self._tries = min(self._tries + 1, 20)
        pause = max(pause, min(failed.again or 0.0, RETRY_AFTER_MAX))
        self._again_at = self._times.monotonic() + pause
        return pause

    def _tell(self, why: str) -> None:
        """Once: a target that fails would fail for each notice."""
        if not self._faulty:
            self._faulty = True
            self._fault(f"nobody could be notified by {self.target.name}: {why}; questions are in: moot inbox")


def _rows(snapshot: Snapshot, event: Event) -> Rows:
    asked = event.context.get("question") if event.name == "agent_seeks_guidance" else None
    return Rows(
        item=snapshot.reading.item(event.item) if event.item is not None else None,
        question=snapshot.reading.question(asked) if isinstance(asked, str) else None,
    )
