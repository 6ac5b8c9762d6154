"""Tokens of a board: making, listing, revoking; and who it is that shows one."""

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.api.access import LoginCode, NewToken, Tokens, TokenView
from folkmoot.core.access.tokens import (
    BROWSER_LIFE,
    LINK_LIFE,
    SECRET_BYTES,
    Seal,
    Sealed,
    Token,
    digest_of,
    new_token,
    sealed,
    unsealed,
    written,
)
from folkmoot.core.commands import Actor
from folkmoot.engine.access.callers import By, Caller
from folkmoot.engine.reads.views import moment_text
from folkmoot.errors import Invalid, Refused, Unavailable

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

LOGIN_PATH = "/login"
RUNS_KNOWN = 1_000


class Access(Protocol):
    """Where a board keeps its tokens: private to its owner, and the same for all processes that serve it."""

    def tokens(self) -> list[Token]: ...
    def change(self, make: Callable[[list[Token]], list[Token]]) -> None:
        """Put what `make` gives in the place of the tokens that are there; nobody else changes them meanwhile."""

    def key(self) -> bytes:
        """What seals are made with."""

    def secret(self, size: int) -> bytes:
        """Random bytes."""

    def keep_code(self, digest: str, code: "LoginFor") -> None: ...
    def take_code(self, digest: str) -> "LoginFor | None":
        """Whose browser it signs in; None if there is no such code. It is taken once, whoever asks at the same time."""


class LoginFor(Struct, frozen=True):
    """What a code is good for: a browser that speaks as the token of this digest, if it is opened in time."""

    digest: str
    expires: float
    observer: bool = False  # it only looks, whatever the token may


def access_of(board: "Application") -> Access:
    if board.access is None:
        words = "this process has no tokens of the board"
        raise Unavailable("no_access", words, "speak to the board where its files are")
    return board.access


def list_tokens(board: "Application") -> Tokens:
    now = _now(board)
    return Tokens(tokens=[TokenView(**_shown(one, now)) for one in access_of(board).tokens()])


def make_token(board: "Application", name: str, role: str, days: float | None) -> NewToken:
    store, now = access_of(board), _now(board)
    text = written(store.secret(SECRET_BYTES))
    made: list[Token] = []

    def add(known: list[Token]) -> list[Token]:
        made[:] = [new_token(known, name, role, days, text, now)]
        return [one for one in known if one.name != name] + made

    store.change(add)
    return NewToken(**_shown(made[0], now), token=text)


def revoke_token(board: "Application", name: str) -> Tokens:
    now = _now(board)

    def revoke(known: list[Token]) -> list[Token]:
        found = next((one for one in known if one.name == name), None)
        if found is None:
            words = "there is no token {name!r}"
            raise Invalid("unknown_token", words, "tokens: {known}", name, [one.name for one in known])
        if found.revoked is not None:
            raise Refused("token_revoked", "the token {name!r} is revoked already", "see: <tokens>", name)
        return [replace(one, revoked=now) if one is found else one for one in known]

    access_of(board).change(revoke)
    return list_tokens(board)


def make_login_code(board: "Application", name: str, observer: bool = False) -> LoginCode:
    """A code by which a browser speaks as the token of this name; as an observer, it only looks."""
    store, now = access_of(board), _now(board)
    token = next((one for one in store.tokens() if one.name == name and one.why_not(now) is None), None)
    if token is None:
        words = "{name} has no token, so no browser can be signed in for them"
        raise Refused("no_token", words, "make one: <make_token name>", name)
    code = written(store.secret(SECRET_BYTES))
    store.keep_code(digest_of(code), LoginFor(token.digest, now + LINK_LIFE, observer))
    expires = moment_text(int((now + LINK_LIFE) * 1000))
    return LoginCode(code=code, path=f"{LOGIN_PATH}?code={code}", expires_at=expires)


def signed_in(board: "Application", code: str) -> str | None:
    """The token of a browser that has opened its link; None if the code is used, old or nobody's."""
    store, now = access_of(board), _now(board)
    found = store.take_code(digest_of(code))
    if found is None or now >= found.expires:
        return None
    if not any(one.digest == found.digest and one.why_not(now) is None for one in store.tokens()):
        return None
    kind: Sealed = "viewer" if found.observer else "browser"
    return sealed(store.key(), Seal(kind, found.digest, int(now + BROWSER_LIFE)))


def one_of_ours(board: "Application", tokens: list[str]) -> str | None:
    """Which of these a browser means. Every server on the same machine can give it another under the same name; of two
    that are ours nobody can say whose it is."""
    key = access_of(board).key()
    sealed_here = [token for token in tokens if unsealed(key, token) is not None]
    known = sealed_here or tokens
    return known[0] if len(known) == 1 else None


def run_token(board: "Application", run: str, fence: int) -> str:
    """What a run shows at the doors: it is good for this run alone, and while it goes on."""
    return sealed(access_of(board).key(), Seal("run", run, fence))


class KnownRuns:
    """Who runs are that a server has just given out. Whether one has ended since is not known here."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._callers: dict[tuple[str, int], Caller] = {}

    def note(self, agent: str, run: str, token: int, *, cloned: bool) -> None:
        with self._lock:
            if len(self._callers) >= RUNS_KNOWN:
                del self._callers[next(iter(self._callers))]
            self._callers[run, token] = Caller("run", Actor(agent, run, token), "run", cloned=cloned)

    def of(self, run: str, token: int) -> Caller | None:
        return self._callers.get((run, token))


def caller_at_once(board: "Application", token: str, runs: KnownRuns | None, *, is_page: bool) -> Caller | None:
    """Who shows this token, without a look into the store; None: that must be asked. `runs` where it makes no
    difference whether a run has ended: every write of one is fenced by the rules."""
    seal = unsealed(access_of(board).key(), token)
    if seal is not None and seal.kind == "run":
        return runs.of(seal.name, seal.number) if runs is not None else None
    return caller_of(board, token, is_page=is_page)


def caller_of(board: "Application", token: str, *, is_page: bool = False) -> Caller:
    """Who shows this token. A browser shows its own by itself, and to every server of the same machine, whatever its
    port: one that an agent has started too. So it is good for looking; for all the rest where `is_page`: it came with
    the key of a page."""
    store = access_of(board)
    seal = unsealed(store.key(), token)
    if seal is not None and seal.kind == "run":
        return _of_run(board, seal)
    if seal is not None and _now(board) >= seal.number:
        raise bad_token("it has expired")
    digest = digest_of(token) if seal is None else seal.name
    found = next((one for one in store.tokens() if one.digest == digest), None)
    caller = _named(board, found, "token" if seal is None else "browser")
    if seal is None:
        return caller
    return caller if is_page and seal.kind != "viewer" else replace(caller, role="observer")


def bad_token(why: str, hint: str = "show another: Authorization: Bearer TOKEN") -> Refused:
    return Refused("bad_token", "the token is not good: {why}", hint, why)


def _named(board: "Application", token: Token | None, by: By) -> Caller:
    if token is None:
        raise bad_token("this board knows no such token")
    why = token.why_not(_now(board))
    if why is not None:
        raise bad_token(f"it is {why}")
    return Caller(token.role, Actor(token.name), by)


def _of_run(board: "Application", seal: Seal) -> Caller:
    run = board.engine.store.read(lambda reading: reading.run(seal.name))
    if run is None or run.token != seal.number:
        raise bad_token("this board knows no such run")
    actor = Actor(run.agent, run.id, run.token)
    return Caller("run", actor, "run", cloned=run.cloned, ended=run.ended_at is not None)


def _now(board: "Application") -> float:
    return board.engine.clock.wall() / 1000


def _shown(token: Token, now: float) -> dict[str, Any]:
    return {
        "name": token.name,
        "role": token.role,
        "made_at": moment_text(int(token.made * 1000)),
        "expires_at": None if token.expires is None else moment_text(int(token.expires * 1000)),
        "state": token.why_not(now) or "good",
    }
