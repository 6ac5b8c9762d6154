"""A board on a server, and one connection to it that is made when it is needed and made again when it was lost."""

from hashlib import sha256
from time import monotonic, sleep

from folkmoot.store.postgres.address import Address
from folkmoot.store.postgres.clock import ServerClock
from folkmoot.store.postgres.listening import channel
from folkmoot.store.postgres.wire import Lost, Wire

PATIENCE = 10.0  # seconds a writer waits for the others, and for a server that is away
PAUSE = 0.05  # seconds between two tries to connect
STATEMENT, LOCK, IDLE = "60s", f"{PATIENCE:.0f}s", "30s"  # what the server allows a transaction of ours
IDLE_WRITER = "9s"  # of one that has the board's lock, for which all others wait; a landing needs eight for its push


class Place:
    def __init__(self, address: Address, version: int) -> None:
        self.address = address
        self.path = address.shown
        self.version = version  # of the schema: the last migration that we know
        self.clock = ServerClock()
        self.limits = (address.schema, STATEMENT, LOCK, IDLE)
        self.writer_limits = (*self.limits[:3], IDLE_WRITER)
        # One lock for each board of a database. Two names with the same number would only wait for each other.
        self.lock = int.from_bytes(sha256(address.schema.encode()).digest()[:8], "big", signed=True)
        self.channel = channel(address.schema)
        self.prepares = True
        self._wire: Wire | None = None

    def another(self) -> "Place":
        """For a second connection; the clock is the same."""
        place = Place(self.address, self.version)
        place.clock, place.prepares = self.clock, self.prepares
        return place

    @property
    def is_connected(self) -> bool:
        return self._wire is not None and self._wire.is_open

    def wire(self) -> Wire:
        if self._wire is None:
            self._wire = Wire(self.address.connect, self.prepares)
        elif not self._wire.is_open:
            self.close()
            raise Lost("the connection is gone")
        return self._wire

    def renew(self, *, prepares: bool) -> None:
        """The next use connects anew."""
        self.prepares = self.prepares and prepares
        self.close()

    def reconnect(self) -> None:
        """Try for a while: a server that is started again is soon back."""
        self.close()
        until = monotonic() + PATIENCE
        while True:
            try:
                self.wire()
                return
            except Lost:
                if monotonic() > until:
                    raise
            sleep(PAUSE)

    def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None
