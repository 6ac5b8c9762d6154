"""Why a client failed, from the words it used: the cause, and when its quota is there again.

Only ever asked about what a client says as an error: the same words in an agent's own text mean nothing.
"""

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from msgspec import Struct

from folkmoot.core.enums import ReportedCause

WHY_MAX = 500  # characters of a reason that are shown
_READ_MAX = 20_000  # characters of an error that are looked at
_RESET_MAX = 35 * 86_400.0

Now = Callable[[], float]  # seconds since the epoch: some clients tell the hour at which a quota is there again


class Cause(Struct, frozen=True):
    cause: ReportedCause
    why: str
    reset_after: float | None = None


_SIZE = re.compile(
    r"context[ _-]?(?:length|window|limit)[ _-]?(?:(?:is|still)[ _])?(?:exceeded|reached)|maximum context length"
    r"|exceed\w{0,4}.{0,40}context (?:window|length|limit|size)|ContextWindowExceeded|ContextOverflow|context_too_large"
    r"|(?:prompt|input) is too long|too many (?:input )?tokens|input token count.{0,40}exceeds"
    r"|ran out of room in the model's context|request too large for model|reduce the length of the (?:messages|prompt)",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"\b429\b|rate[ _-]?limit|quota|too many requests|usage[ _-]limit|(?:limit|allowance) (?:has been )?reached"
    r"|RESOURCE_EXHAUSTED|insufficient_quota|credit balance|out of credits|hit your (?:[\w-]{1,20} ){0,2}limit|\b402\b"
    r"|billing",
    re.IGNORECASE,
)
# Statuses below 500 are also said for an empty purse.
_PURSE = re.compile(r"quota|usage[ _-]limit|credit balance|rate[ _-]limit", re.IGNORECASE)
_ENVIRONMENT = re.compile(
    r"\b40[0134]\b|unauthori[sz]ed|authenticat|auth (?:method|type)|ProviderAuth|api[ _-]key|permission[_ ]?denied"
    r"|forbidden|invalid[ _](?:request|argument|configuration)|bad ?request|not logged in|please (?:log ?in|run /login)"
    r"|not[ _]?found|no such|unknown model|no (?:provider|model) (?:is )?configured|not (?:supported|configured)",
    re.IGNORECASE,
)
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
    return Cause("environment" if _ENVIRONMENT.search(text) else "transient", shown(text))


def recognised(error: str, status: int | None = None, now: Now | None = None) -> Cause | None:
    """The cause, if the words leave no doubt: a status of HTTP, a quota, a context that is full."""
    text = error[:_READ_MAX]
    why = shown(text) or f"status {status}"
    status = status if status is not None else _status_in(text)
    if _SIZE.search(text) or status == 413:
        return Cause("size", why)
    if _is_quota(text, status):
        return Cause("quota", why, reset_after(text, now))
    if status is None:
        return None
    return Cause("transient" if status >= 500 or status in (408, 409, 425) else "environment", why)


def shown(text: str) -> str:
    """A reason on one line, not too long."""
    return " ".join(text[:_READ_MAX].split())[:WHY_MAX]


def _is_quota(text: str, status: int | None) -> bool:
    if status is None:
        return bool(_QUOTA.search(text))
    if status in (429, 402):
        return True
    # Some say an empty purse with 400 or 403; an overloaded server is no quota of ours.
    return status < 500 and bool(_PURSE.search(text))


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
