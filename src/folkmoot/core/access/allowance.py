"""What one run may ask of a board, by whichever door it speaks: how often, how much, and for how long."""

from folkmoot.core.access.rate import Bucket
from folkmoot.errors import Refused

RATE, BURST = 20.0, 100.0  # questions per second, and how many may come at once after a silence
BYTE_RATE, BYTE_BURST = 4_000_000.0, 16_000_000.0  # of questions and answers together, in the same way
SECONDS_RATE, SECONDS_BURST = 0.2, 3.0  # that its calls take, likewise: leases are renewed in the same process
WRITTEN_MAX = 64_000_000  # what the commands of one run may put on the board, all in all
KEPT_BYTES_MAX = 64_000_000  # of answers that are kept for it under keys, all in all


class Allowance:
    """Of one run. Only one thread at a time may use it."""

    def __init__(self, now: float) -> None:
        self._asked = Bucket(now, RATE, BURST)
        self._bytes = Bucket(now, BYTE_RATE, BYTE_BURST)
        self._seconds = Bucket(now, SECONDS_RATE, SECONDS_BURST)
        self._written = 0

    def admit(self, now: float, size: int) -> None:
        """A question of this size comes."""
        if not self._asked.take(now):
            raise Refused("too_fast", "more than {limit:g} commands in a second", "wait a second, then go on", RATE)
        if not self._seconds.take(now, 0.001):
            words = "its questions take more than {limit:.0%} of the board's time"
            hint = "wait some seconds, then go on; ask for less: <.limit>, <.after>"
            raise Refused("too_fast", words, hint, SECONDS_RATE)
        if not self._bytes.take(now, size):
            words = "more than {limit:.0f} bytes in a second"
            raise Refused("too_fast", words, "wait a second, then go on; keep large texts in files", BYTE_RATE)

    def write(self, size: int) -> None:
        """It would put so much on the board."""
        if self._written + size > WRITTEN_MAX:
            words = "the commands of this run have {limit} bytes, and may have no more"
            raise Refused("too_much", words, "keep large texts in files; report what was done", WRITTEN_MAX)
        self._written += size

    def took(self, now: float, seconds: float) -> None:
        self._seconds.owe(now, seconds)

    def answered(self, now: float, size: int) -> None:
        self._bytes.owe(now, size)


def check_kept(kept: int, more: int) -> None:
    """An answer that is kept under a key is as large as the item it shows: a run that repeats itself under ever new
    keys would fill the disk with them."""
    if kept + more > KEPT_BYTES_MAX:
        words = "the answers that are kept for this run under keys have {limit} bytes, and may have no more"
        raise Refused("too_much", words, "go on without <.key>; report what was done", KEPT_BYTES_MAX)
