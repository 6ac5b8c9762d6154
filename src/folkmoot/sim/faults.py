"""Processes that die at the worst moment: inside a transaction, or after it before anyone was told."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from folkmoot.core.events import Event, Row
from folkmoot.core.order import QueuePosition
from folkmoot.store.port import Reading, Store, Stretch, Transaction

Result = TypeVar("Result")

BEFORE_SAVE, AFTER_SAVE, BEFORE_COMMIT, AFTER_COMMIT = "before save", "after save", "before commit", "after commit"
PLACES = (BEFORE_SAVE, AFTER_SAVE, BEFORE_COMMIT, AFTER_COMMIT)


class Crash(Exception):
    """The process of the caller is gone. After the commit its answer was already there, but nobody heard it."""

    def __init__(self, answer: object = None) -> None:
        super().__init__("the process died")
        self.answer = answer


class FaultyStore:
    """A store whose next transaction can be made to die. Everything else goes straight to the real one."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._place = ""
        self._saves = 0

    def die(self, place: str, saves: int) -> None:
        """Let the next transaction die at this place; `saves` is how many saves come before it."""
        self._place, self._saves = place, saves

    def live(self) -> None:
        self._place = ""

    def transact(self, work: Callable[[Transaction], Result], *, alone: bool = False) -> Result:
        if not self._place:
            return self.store.transact(work, alone=alone)
        place, saves = self._place, self._saves
        self.live()
        if place == AFTER_COMMIT:
            raise Crash(self.store.transact(work, alone=alone))

        def dying(tx: Transaction) -> Result:
            work(cast("Transaction", DyingTransaction(tx, place, saves)))
            raise Crash

        return self.store.transact(dying, alone=alone)

    def read(self, work: Callable[[Reading], Result]) -> Result:
        return self.store.read(work)

    def broken_links(self) -> list[str]:
        return self.store.broken_links()

    def prove(self, after: int, limit: int) -> Stretch:
        return self.store.prove(after, limit)

    def try_write(self, seconds: float) -> int | None:
        return self.store.try_write(seconds)

    def close(self) -> None:
        self.store.close()


class DyingTransaction:
    """A transaction that ends in the middle of its work."""

    def __init__(self, tx: Transaction, place: str, saves: int) -> None:
        self._tx = tx
        self._place = place
        self._saves = saves

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)

    def save(
        self, events: Sequence[Event], rows: Sequence[tuple[str, Row, bool]], places: dict[str, QueuePosition]
    ) -> None:
        if self._saves == 0 and self._place == BEFORE_SAVE:
            raise Crash
        self._tx.save(events, rows, places)
        if self._saves == 0 and self._place == AFTER_SAVE:
            raise Crash
        self._saves -= 1
