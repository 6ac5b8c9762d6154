"""Why a client failed, from the words it used: the trouble, its cause, and when its quota is there again.

Only ever asked about what a client says as an error: the same words in an agent's own text mean nothing. A status in an
event of the client's comes first; words are a hint, where nothing better is told.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from msgspec import Struct

from folkmoot.core.enums import ClientCause
from folkmoot.worker.clients.troubles import CAUSE_OF, CREDIT, EXPIRED, PURSE, QUOTA, SIZE, Trouble, by_words, told

_READ_MAX = 20_000  # characters of an error that are looked at
_RESET_MAX = 35 * 86_400.0

Now = Callable[[], float]  # seconds since the epoch: some clients tell the hour at which a quota is there again


Tells = Mapping[Trouble, Sequence[str]]  # words of a client, by the trouble that they tell


class Cause(Struct, frozen=True):
    """`why` is one line: what is said of the client, and its own words."""

    cause: ClientCause
    why: str
    reset_after: float | None = None
    trouble: Trouble = "unknown"
    status: int | None = None


_STATUSES: dict[int, Trouble] = {401: "login", 402: "payment", 403: "refused", 407: "proxy", 413: "size", 429: "quota"}
_LATE = (408, 409, 425)  # statuses below 500 that say that it may be answered the next time
_STATUS = re.compile(
    r"(?:\bstatus(?:[ _]?code)?\W{1,4}|\bhttp[ _/]|\berror\W{1,3}|\bcode\W{1,4}|\(|^)([45]\d\d)\b(?!\.\d)",
    re.IGNORECASE,
)

_UNIT = r"(?:ms|milliseconds?|d|days?|h|hours?|hrs?|m|minutes?|mins?|s|seconds?|secs?)"
_SPAN = rf"((?:\d{{1,9}}(?:\.\d{{1,6}})?\s{{0,2}}{_UNIT}(?![a-z])[\s,]{{0,3}}(?:and\s)?){{1,5}})"
_IN_SPAN = re.compile(
    r"(?:try again|retry|retry[ _-]?after|retry[ _-]?delay|resets?|available(?: again)?|wait)"
    rf"\W{{0,4}}(?:in|after|for)?\W{{0,4}}{_SPAN}",
    re.IGNORECASE,
)
_RETRY_AFTER = re.compile(r"retry[ _-]?after\W{1,5}(\d{1,9}(?:\.\d{1,6})?)(?![\d.]*\s{0,2}[a-z])", re.IGNORECASE)
_PIECE = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s{0,2}([a-z]{1,12})", re.IGNORECASE)
_EPOCH = re.compile(r"(?:limit reached\||resets?[ _]?at\W{1,4})(1[5-9]\d{8}|[2-9]\d{9})\b", re.IGNORECASE)
_ISO = re.compile(r"\b(20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)", re.IGNORECASE)
_HOUR = re.compile(
    r"(?:resets?|try again|available)\W{0,4}(?:at)?\s{0,3}(\d{1,2})(?::(\d\d))?\s{0,2}(am|pm)?\b"
    r"\W{0,3}([A-Z][A-Za-z_]{1,20}/[A-Za-z_/]{1,40}|UTC)?",
    re.IGNORECASE,
)
_UNITS = {"ms": 0.001, "mi": 60.0, "d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0}


def cause_of(error: str, status: int | None = None, now: Now | None = None) -> Cause:
    """What an error that a client told means for the run; what nobody knows may pass by itself."""
    known = recognised(error, status, now)
    if known is not None:
        return known
    text = error[:_READ_MAX]
    return _as(by_words(text), text, None, now)


def recognised(error: str, status: int | None = None, now: Now | None = None) -> Cause | None:
    """The cause, if the words leave no doubt: a status of HTTP, a quota, a context that is full."""
    text = error[:_READ_MAX]
    status = status if status is not None else _status_in(text)
    if SIZE.search(text) or status == 413:
        return _as("size", text, status, now)
    if _is_quota(text, status):
        return _as("payment" if status == 402 or CREDIT.search(text) else "quota", text, status, now)
    return None if status is None else _as(_by_status(text, status), text, status, now)


def told_by(tells: Tells, error: str, now: Now | None = None) -> Cause | None:
    """The cause, if the client has said it before in these words: `tells` has them by their trouble."""
    lines = error[:_READ_MAX].splitlines()
    for trouble, phrases in tells.items():
        for phrase in phrases:
            line = next((line for line in lines if phrase.lower() in line.lower()), None)
            if line is not None:
                return _as(trouble, line, _status_in(line), now)
    return None


def _as(trouble: Trouble, text: str, status: int | None, now: Now | None) -> Cause:
    cause = CAUSE_OF[trouble]
    reset = reset_after(text, now) if cause == "quota" else None
    return Cause(cause, told(trouble, text, status), reset, trouble, status)


def _by_status(text: str, status: int) -> Trouble:
    """A status says most; of one that servers use for many things, their words say which."""
    if status >= 500 or status in _LATE:
        return "outage"
    said = by_words(text)
    if status in (400, 404) and said in ("login", "model", "proxy"):
        return said
    if status == 403 and (said == "proxy" or EXPIRED.search(text)):
        return "proxy" if said == "proxy" else "login"
    return _STATUSES.get(status, "request")


def _is_quota(text: str, status: int | None) -> bool:
    if status is None:
        return bool(QUOTA.search(text))
    if status in (429, 402):
        return True
    # Some say an empty purse with 400 or 403; an overloaded server is no quota of ours.
    return status < 500 and bool(PURSE.search(text))


def _status_in(text: str) -> int | None:
    found = _STATUS.search(text)
    return int(found.group(1)) if found else None


def reset_after(text: str, now: Now | None = None) -> float | None:
    """Seconds until the quota is there again, if the text says so."""
    text = text[:_READ_MAX]
    if found := _IN_SPAN.search(text):
        return _bounded(sum(float(n) * _unit(u) for n, u in _PIECE.findall(found.group(1))))
    if found := _RETRY_AFTER.search(text):
        return _bounded(float(found.group(1)))
    if now is None:
        return None
    moment = now()
    if found := _EPOCH.search(text):
        return _bounded(float(found.group(1)) - moment)
    if found := _ISO.search(text):
        return _until(found.group(1), moment)
    if found := _HOUR.search(text):
        return _until_hour(found, moment)
    return None


def _unit(word: str) -> float:
    word = word.lower()
    if word == "m" or word.startswith("min"):
        return 60.0
    return _UNITS["ms"] if word == "ms" or word.startswith("milli") else _UNITS[word[0]]


def _bounded(seconds: float) -> float | None:
    return min(seconds, _RESET_MAX) if math.isfinite(seconds) and seconds >= 0 else None


def _until(text: str, moment: float) -> float | None:
    try:
        when = datetime.fromisoformat(text.replace(" ", "T").replace("z", "Z"))
    except ValueError:
        return None
    return _bounded((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - moment)


def _until_hour(found: re.Match[str], moment: float) -> float | None:
    """`resets 3pm (Europe/Berlin)`: the next time that a clock there shows it."""
    hour, minute, half, zone = int(found.group(1)), int(found.group(2) or 0), found.group(3), found.group(4)
    if not half and not found.group(2):
        return None  # a bare number is no hour
    if half:
        hour = hour % 12 + (12 if half.lower() == "pm" else 0)
    if hour > 23 or minute > 59:
        return None
    here = datetime.fromtimestamp(moment, tz=_zone(zone)).astimezone(_zone(zone))
    when = here.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if when <= here:
        when += timedelta(days=1)
    return _bounded(when.timestamp() - moment)


def _zone(name: str | None) -> tzinfo | None:
    """A zone by its name; None, the machine's own, without one."""
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        return None
