"""The server's clock: one for all machines. It is read with each transaction, and carried on by our own in between."""

import time

BOOT = "postgresql"


class ServerClock:
    """Has the shape of the engine's clock. The boot's name never changes: a server that starts again voids no lease,
    and a clock that is set back is found by what the board has seen already."""

    def __init__(self) -> None:
        self._ahead = time.time() - time.monotonic()  # until the server was first asked

    def tell(self, server: float) -> None:
        """What the server's clock shows now."""
        self._ahead = server - time.monotonic()

    def boot(self) -> tuple[str, float]:
        return BOOT, time.monotonic() + self._ahead

    def wall(self) -> int:
        return int((time.monotonic() + self._ahead) * 1000)
