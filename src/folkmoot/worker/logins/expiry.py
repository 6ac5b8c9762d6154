"""Until when a login is good, where its file tells it. A run has no refresh token, so one that is over stays so."""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from typing import Any

from folkmoot.worker.clients.catalogue import Start
from folkmoot.worker.logins.placing import Files
from folkmoot.worker.logins.without_refresh import parsed
from folkmoot.worker.secrets.redactor import looks_secret

MARGIN = 60.0  # seconds: a login that is over so soon serves no run
_ACCESS = {"accesstoken", "access"}
_ENDS = {"expiresat", "expirydate", "expires", "expiry"}
_OTHER_WAYS = {"key", "apikey", "token", "oauthtoken"}  # beside a login: then it is not known which one is used
_MILLISECONDS = 1e11  # a moment beyond this many is no second of this millennium
_DEPTH_MAX = 20
_JWT_MAX = 20_000


def is_over(start: Start, files: Files, env: Mapping[str, str], now: float) -> str:
    """Why a client cannot sign in with these files, and the one thing to do; empty if it can, or nobody can tell."""
    renewed = {name for name in start.keeps_refresh if name in files.texts}  # it renews itself within the run
    passed = any(looks_secret(name) and (env.get(name) or name in start.set) for name in [*start.env, *start.set])
    if renewed or passed:
        return ""
    end = ends_at(files.texts)
    if end is None or end - now > MARGIN:
        return ""
    once = f"start `{start.renew}` once, it renews itself" if start.renew else "start its client once, or sign in again"
    return f"the login of {start.name} has expired: {once}"


def ends_at(texts: Mapping[str, str]) -> float | None:
    """When the last login in these files is over, in seconds since the epoch.

    None: nobody can tell, since none of them says it, or there is another way to sign in beside them.
    """
    ends: list[float] = []
    for name, text in texts.items():
        _, given = parsed(name, text)
        for level in _levels(given, 0):
            access = next((one for key, one in level.items() if _plain(key) in _ACCESS and _is_word(one)), None)
            if access is None:
                if any(_plain(key).endswith(tuple(_OTHER_WAYS)) and _is_word(one) for key, one in level.items()):
                    return None
                continue
            end = _end_of(level, access)
            if end is None:
                return None
            ends.append(end)
    return max(ends, default=None)


def _end_of(level: Mapping[str, Any], access: str) -> float | None:
    told = [_moment(one) for key, one in level.items() if _plain(key) in _ENDS]
    said = [one for one in told if one is not None]
    return max(said) if said else _end_of_jwt(access)


def _levels(value: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    if depth > _DEPTH_MAX:
        return
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for one in value if isinstance(value, list) else []:
        yield from _levels(one, depth + 1)


def _plain(key: object) -> str:
    return str(key).lower().replace("_", "").replace("-", "")


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _moment(value: object) -> float | None:
    """In seconds; clients write them as such or as milliseconds. 0 or less says nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e15:
        return None
    return value / 1000 if value > _MILLISECONDS else float(value)


def _end_of_jwt(token: str) -> float | None:
    """What the token itself says; it is only read, never believed in anything else."""
    pieces = token[:_JWT_MAX].split(".")
    if len(pieces) != 3:
        return None
    try:
        said = json.loads(base64.urlsafe_b64decode(pieces[1] + "=" * (-len(pieces[1]) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    return _moment(said.get("exp")) if isinstance(said, dict) else None
