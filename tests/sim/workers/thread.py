"""Something that a worker's process does beside all else that it does."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from folkmoot.sim.world import Script
    from tests.sim.workers.worker import SimWorker


class Thread:
    """It stands still with the process, dies with it, and can be woken."""

    def __init__(self, worker: "SimWorker") -> None:
        self.worker = worker
        self.world = worker.world
        self.asleep = False  # it waits for something to happen, not for an answer
        self._alarm = 0
        self._at = 0.0
        self._script: Script | None = None

    def start(self, script: "Script") -> None:
        self._script = script
        self._set(0.0)

    def wake(self, after: float = 0.0) -> None:
        if self.asleep and self.world.clock.time + after < self._at:
            self._set(after)

    def sleep(self, seconds: float) -> "Script":
        self.asleep = True
        yield seconds
        self.asleep = False

    def _set(self, after: float) -> None:
        self._alarm += 1
        self._at = self.world.clock.time + after
        self.world.enter(self._ring(self._alarm), after)

    def _ring(self, alarm: int) -> "Script":
        while alarm == self._alarm and (left := self.worker.thawed_at - self.world.clock.time) > 0:
            yield left
        if alarm == self._alarm and self.worker.alive and self._script is not None:
            pause = next(self._script, None)
            if pause is not None:
                self._set(pause)
