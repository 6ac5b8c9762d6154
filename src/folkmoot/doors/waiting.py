"""Waiting: asleep until the board has changed or time has, and no longer than was wished."""

from collections.abc import Callable
from typing import TypeVar

from folkmoot.engine.application import Application
from folkmoot.errors import Invalid, NothingToDo, Refused

Result = TypeVar("Result")
SOON = 0.02  # seconds: what is due and yet not there is not asked for more often than that
NEVER = -1  # a count that no signal has


class Waiting:
    """Sleeps until something is written to the board, by whichever process. What is not seen then is seen soon after:
    a wake-up is only a hint, and the board is looked at every few seconds without one."""

    def __init__(self, application: Application, seconds: float = float("inf")) -> None:
        if not seconds >= 0:
            words = "nobody can wait {seconds:g}s"
            raise Invalid("bad_wait", words, "give a number of seconds that is not negative", seconds)
        self._application = application
        self._until = application.now() + seconds
        self._seen = NEVER

    @property
    def left(self) -> float:
        return self._until - self._application.now()

    def begin_again(self, seconds: float) -> None:
        """From now on it is this long; what was seen stays seen."""
        self._until = self._application.now() + seconds

    def sleep(self, most: float | None = None) -> None:
        """Until the next change, for `most` seconds at most. The first call does not sleep: what was written before
        it has to be looked for once."""
        left = self.left
        wanted = left if most is None else min(left, max(SOON, most))
        self._seen = self._application.changed(self._seen, max(0.0, wanted))


def patiently(application: Application, wait: float, attempt: Callable[[], Result]) -> Result:
    """What the attempt gives, made again while it is refused because others hold a path (H-06)."""

    def may_wait(error: Refused | NothingToDo) -> bool:
        return error.code == "path_held"

    return _again(application, wait, attempt, may_wait, application.next_end)


def when_ready(application: Application, agent: str | None, wait: float, attempt: Callable[[], Result]) -> Result:
    """What the attempt gives, made again while nothing is ready for the agent; without one, for any of the flow."""

    def may_wait(error: Refused | NothingToDo) -> bool:
        return isinstance(error, NothingToDo)

    def due() -> float | None:
        return application.next_wake([agent] if agent is not None else list(application.queries.flow().agents))

    return _again(application, wait, attempt, may_wait, due)


def _again(
    application: Application,
    wait: float,
    attempt: Callable[[], Result],
    may_wait: Callable[[Refused | NothingToDo], bool],
    due: Callable[[], float | None],
) -> Result:
    if wait == 0:
        return attempt()
    waiting = Waiting(application, wait)
    before = application.last()
    while True:
        try:
            return attempt()
        except (Refused, NothingToDo) as error:
            if not may_wait(error):
                raise
            if waiting.left <= 0:
                error.message += f", and so it was for {wait:g}s"
                raise
        before = _sleep_until_news(application, waiting, before, due())


def _sleep_until_news(application: Application, waiting: Waiting, before: int, due: float | None) -> int:
    """Asking again takes the board's one place for writers: only when there is a new event, or its time has come.

    Gives the number of the last event.
    """
    until = application.now() + min(application.look_again, float("inf") if due is None else max(SOON, due))
    while True:
        waiting.sleep(until - application.now())
        last = application.last()
        if last != before or waiting.left <= 0 or application.now() >= until:
            return last
