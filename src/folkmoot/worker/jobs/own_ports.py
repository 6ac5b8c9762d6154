"""The ports that a run has for itself, taken when something of it is first started."""

from collections.abc import Callable

from folkmoot.errors import Unavailable
from folkmoot.worker.environment import note_port
from folkmoot.worker.ports import PortRange


class OwnPorts:
    """Where none are free it goes on without: an agent with a network can take them all, and is to stop nobody by it.
    `say` tells in the run's output why `MOOT_PORT` is missing."""

    def __init__(self, take: Callable[[int], PortRange], say: Callable[[str], None]) -> None:
        self._take = take
        self._say = say
        self._range: PortRange | None = None
        self._is_tried = False

    def variables(self, count: int, root: str) -> dict[str, str]:
        if not self._is_tried:
            self._is_tried = True
            try:
                self._range = self._take(count)
                note_port(root, self._range.first)
            except Unavailable as error:
                self._say(f"folkmoot: MOOT_PORT is not set: {error.message}\n")
        return {} if self._range is None else {"MOOT_PORT": str(self._range.first)}

    def close(self) -> None:
        if self._range is not None:
            self._range.close()
