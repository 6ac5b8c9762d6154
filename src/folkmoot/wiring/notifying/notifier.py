"""The couriers of a board, as the flow in force wants them."""

import time
from collections.abc import Callable

from folkmoot.core.notices.targets import Target
from folkmoot.engine.application import Application
from folkmoot.wiring.notifying import sending
from folkmoot.wiring.notifying.courier import Courier, Times
from folkmoot.wiring.notifying.cursor import Cursor, id_of
from folkmoot.wiring.notifying.sending import Sender


class Notifier:
    """Called by the worker's loop now and then, and by `finish` at its end. It waits for nobody in between."""

    def __init__(
        self,
        application: Application,
        home: str,
        targets: Callable[[], list[Target]],  # of the flow in force
        sender: Sender,
        fault: Callable[[str], None],
    ) -> None:
        self._application = application
        self._home = home
        self._targets = targets
        self._sender = sender
        self._fault = fault
        self._now: list[Target] = []
        self._couriers: list[Courier] = []
        self._leaving: list[Courier] = []  # of a flow that is in force no more: each ends by itself

    def __call__(self) -> None:
        targets = self._targets()
        if targets != self._now:
            self._change(targets)
        for courier in self._couriers:
            courier.wake()

    def finish(self) -> None:
        """The last look, and a last chance for what was begun. What then still runs may go on by itself."""
        self()
        self._sender.hurry()
        until = time.monotonic() + sending.LAST_PATIENCE
        couriers = [*self._leaving, *self._couriers]
        for courier in couriers:
            courier.end()
        for courier in couriers:
            courier.join(max(0.0, until + 1.0 - time.monotonic()))

    def _change(self, targets: list[Target]) -> None:
        """A courier that is left alone ends by itself; until it has, it keeps the next one out by its lock."""
        for courier in self._couriers:
            courier.end()
        self._leaving += self._couriers
        self._now = list(targets)
        self._couriers = []
        for number, target in enumerate(targets):
            cursor = Cursor(self._home, id_of(target, targets[:number]))
            send = self._sender.to(target)
            courier = Courier(self._application, target, cursor, send, self._fault, Times())
            self._couriers.append(courier)
            courier.start()
