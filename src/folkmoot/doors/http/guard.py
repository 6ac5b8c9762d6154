"""What stands in front of every route: whose name the request used, which page sent it, how often and how much."""

from collections.abc import Iterable

from folkmoot.core.access.rate import Bucket
from folkmoot.doors.http.problems import Wrong
from folkmoot.errors import Refused

BODY_BYTES_MAX = 2_000_000  # a command has at most half of it
RATES = {"run": (20.0, 200.0), "owner": (1_000.0, 5_000.0), "person": (200.0, 1_000.0), "observer": (50.0, 500.0)}
STRANGERS = (5.0, 50.0)  # who shows no good token: by the address they come from
CALLERS_MAX = 1_000
SAFE_SITES = ("same-origin", "none")


class Names:
    """The exact names under which this server may be spoken to: else any page could, by a name that leads here."""

    def __init__(self, hosts: Iterable[str], *, https: bool = False) -> None:
        self.hosts = frozenset(host.lower() for host in hosts)
        self.https = https
        self.origins = frozenset(f"{'https' if https else 'http'}://{host}" for host in self.hosts)

    def check(self, headers: dict[str, str]) -> None:
        if headers.get("host", "").lower() not in self.hosts:
            words = f"this server is not {headers.get('host', 'without a name')!r}"
            raise Wrong("bad_host", words, f"speak to it as: {', '.join(sorted(self.hosts))}")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self.origins:
            raise Wrong("bad_origin", f"{origin!r} is not a page of this server", "open the board's own address")
        site = headers.get("sec-fetch-site")
        if site is not None and site not in SAFE_SITES and headers.get("sec-fetch-mode") != "navigate":
            raise Wrong("bad_origin", "the page that asks is of another site", "open the board's own address")

    def check_cookie(self, headers: dict[str, str], *, writes: bool) -> None:
        """A browser shows its cookie by itself, whoever made it ask: so it must also say which page that was."""
        if writes and headers.get("origin", "").lower() not in self.origins:
            raise Wrong("bad_origin", "a browser must say which page asks", "send the header Origin")


class Rates:
    """How often each caller may ask, and each stranger may try."""

    def __init__(self) -> None:
        self._buckets: dict[str, Bucket] = {}

    def take(self, who: str, role: str | None, now: float) -> None:
        rate, burst = RATES[role] if role else STRANGERS
        bucket = self._buckets.get(who)
        if bucket is None:
            self._forget(now)
            bucket = self._buckets[who] = Bucket(now, rate, burst)
        if not bucket.take(now):
            words = "more than {limit:g} requests in a second"
            hint = "wait {seconds:g} s, then go on"
            raise Refused("too_fast", words, hint, rate, max(1.0, round(bucket.wait(), 1)))

    def _forget(self, now: float) -> None:
        """Who has been silent for long is like somebody new; where none has, the oldest goes."""
        if len(self._buckets) < CALLERS_MAX:
            return
        for who in [who for who, bucket in self._buckets.items() if bucket.is_full(now)]:
            del self._buckets[who]
        while len(self._buckets) >= CALLERS_MAX:
            del self._buckets[next(iter(self._buckets))]
