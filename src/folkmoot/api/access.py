"""Tokens: what is asked about them, and what is answered. No digest and no secret is ever shown again."""

from typing import Literal

from msgspec import UNSET, UnsetType

from folkmoot.api.requests import Request
from folkmoot.api.views import View
from folkmoot.core.enums import Role


class TokenView(View, frozen=True, gc=False, kw_only=True):
    name: str
    role: Role
    made_at: str | None
    expires_at: str | None  # null: it is good until it is revoked
    state: Literal["good", "expired", "revoked"]


class Tokens(View, frozen=True, gc=False, kw_only=True):
    tokens: list[TokenView]


class NewToken(TokenView, frozen=True, gc=False, kw_only=True):
    """The only time that the token itself is told."""

    token: str
    note: str | UnsetType = UNSET


class LoginCode(View, frozen=True, gc=False, kw_only=True):
    """A code that signs one browser in, once."""

    code: str
    path: str  # where the server takes it
    expires_at: str | None


class ListTokens(Request[Tokens], frozen=True, kw_only=True):
    """The tokens of this board: names, roles and ends."""


class MakeToken(Request[NewToken], frozen=True, kw_only=True):
    """Make a token for somebody who speaks to the board through HTTP or MCP. It is told once."""

    name: str  # whoever shows the token speaks under this name
    role: str = "person"
    days: float | None = None  # how long it is good; left out: until it is revoked


class RevokeToken(Request[Tokens], frozen=True, kw_only=True):
    """Take a token back; whoever shows it from now on is refused."""

    name: str


class MakeLoginCode(Request[LoginCode], frozen=True, kw_only=True):
    """Make a code for a browser: its link can be opened once, within ten minutes."""

    observer: bool = False  # the browser only looks, as a screen on the wall should
