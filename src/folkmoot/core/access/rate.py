"""A token bucket: so much at once, and then no more than so much in a second."""


class Bucket:
    def __init__(self, now: float, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = burst, now

    def take(self, now: float, amount: float = 1.0) -> bool:
        self._fill(now)
        if self._left < min(amount, self._burst):
            return False
        self._left -= amount
        return True

    def owe(self, now: float, amount: float) -> None:
        """What has been spent already: others wait until it is made up for."""
        self._fill(now)
        self._left -= amount

    def wait(self, amount: float = 1.0) -> float:
        """Seconds until so much may be taken, from when it was last looked at."""
        return max(0.0, (amount - self._left) / self._rate)

    def is_full(self, now: float) -> bool:
        self._fill(now)
        return self._left >= self._burst

    def _fill(self, now: float) -> None:
        self._left = min(self._burst, self._left + max(0.0, now - self._at) * self._rate)
        self._at = now
