"""Tokens: what a caller shows at a door that anybody can reach. Only their digests are kept.

A person's token is random and has a name. A run's token and a browser's are sealed: they say what they stand for, and a
seal made with the board's key proves it. Nothing is stored of them; a run's ends with its run, a browser's with the
token that it was made for.
"""

import hmac
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Literal

from msgspec import Struct

from folkmoot.core.enums import Role
from folkmoot.core.input_limits import checked_name
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.errors import Invalid, Refused

SECRET_BYTES = 32
PREFIX = "moot_"
Sealed = Literal["run", "browser", "viewer"]  # a viewer is a browser that only looks, whoever it was made by
NAMED_ROLES: tuple[Role, ...] = ("owner", "person", "observer")
LIFE_MAX = 10 * 365 * 86_400.0  # seconds
BROWSER_LIFE = 30 * 86_400.0
LINK_LIFE = 600.0  # seconds in which a link for a browser can be used, once
_SEAL = pattern(r"moot_(run|browser|viewer)\.([A-Za-z0-9_-]+)\.(\d{1,18})\.([A-Za-z0-9_-]{43})")


class Token(Struct, frozen=True, kw_only=True):
    """A token that has a name: whoever shows it speaks under that name."""

    name: str
    role: Role
    digest: str
    made: float  # seconds since 1970, as all times here
    expires: float | None = None
    revoked: float | None = None

    def why_not(self, now: float) -> str | None:
        """Why it is good no more; None if it is."""
        if self.revoked is not None:
            return "revoked"
        if self.expires is not None and now >= self.expires:
            return "expired"
        return None


class Seal(Struct, frozen=True):
    """What a sealed token stands for: a run with its fencing number, or a browser of one token until a time. That
    token is told by its digest: another may get its name when it is gone."""

    kind: Sealed
    name: str
    number: int


def written(secret: bytes) -> str:
    return PREFIX + _text(secret)


def digest_of(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def sealed(key: bytes, seal: Seal) -> str:
    words = f"moot_{seal.kind}.{seal.name}.{seal.number}"
    return f"{words}.{_mac(key, words)}"


def unsealed(key: bytes, token: str) -> Seal | None:
    """What it stands for; None if the seal is not ours."""
    found = _SEAL.fullmatch(token)
    if found is None or not hmac.compare_digest(_mac(key, token.rpartition(".")[0]), found[4]):
        return None
    kinds: dict[str, Sealed] = {"run": "run", "browser": "browser", "viewer": "viewer"}
    return Seal(kinds[found[1]], found[2], int(found[3]))


def page_key(secret: bytes, token: str) -> str:
    """What a page shows beside its browser's token. A browser sends a cookie to every server of the same machine,
    whatever its port; this one is kept by the page alone, which another port's pages cannot look into. `secret` is of
    one server, and ends with it: whoever listens at its port afterwards gets to see the keys of open pages."""
    return _mac(secret, f"page {token}")


def is_page_key(secret: bytes, token: str, shown: str | None) -> bool:
    return hmac.compare_digest((shown or "").encode(), page_key(secret, token).encode())


def new_token(known: list[Token], name: str, role: str, days: float | None, secret: str, now: float) -> Token:
    """The rules of making one: a name of its own, a role that people have, an end that comes."""
    checked_name(name)
    if role not in NAMED_ROLES:
        words = "there is no role {role!r} for a token"
        raise Invalid("unknown_role", words, "roles: {known}; a run's token comes with its claim", role, [*NAMED_ROLES])
    if any(one.name == name and one.why_not(now) is None for one in known):
        raise Refused("token_known", "there is a token {name!r} already", "revoke it, or choose another name", name)
    if days is not None and not 0 < days * 86_400.0 <= LIFE_MAX:
        words = "a token is good for more than 0 and at most {limit:g} days, not {days:g}"
        raise Invalid("bad_value", words, "give another number of days", LIFE_MAX / 86_400.0, days)
    expires = None if days is None else now + days * 86_400.0
    return Token(name=name, role=role, digest=digest_of(secret), made=now, expires=expires)


def _mac(key: bytes, words: str) -> str:
    return _text(hmac.digest(key, words.encode(), sha256))


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
