"""The server of a board: an ASGI application over the registry. It translates, and decides nothing."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from contextlib import AbstractAsyncContextManager, nullcontext
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from folkmoot.api.requests import Claim, Show
from folkmoot.api.views import ClaimView, ItemView
from folkmoot.core.access.tokens import SECRET_BYTES, is_page_key, page_key
from folkmoot.doors.http import reading
from folkmoot.doors.http.briefs import in_requests
from folkmoot.doors.http.exchange import COOKIE, JSON, Exchange, Gone, Receive, Scope, Send
from folkmoot.doors.http.guard import Names, Rates
from folkmoot.doors.http.hooks import Hook, check_signed
from folkmoot.doors.http.problems import PROBLEM, WIRE, Wrong, problem, status_of, wire_problem
from folkmoot.doors.http.routes import PAGES, Route, routes
from folkmoot.doors.http.shares import Shares
from folkmoot.doors.http.streams import Streams, place_of
from folkmoot.doors.web.pages import ASK_AGAIN, POLICY, pages
from folkmoot.engine import registry
from folkmoot.engine.access.callers import Caller
from folkmoot.engine.access.rights import RoleCalls
from folkmoot.engine.access.tokens import (
    KnownRuns,
    access_of,
    bad_token,
    caller_at_once,
    caller_of,
    one_of_ours,
    run_token,
    signed_in,
)
from folkmoot.errors import Invalid, MootError, Refused

if TYPE_CHECKING:
    from folkmoot.api.call import Call
    from folkmoot.engine.application import Application
    from folkmoot.engine.reads.feed import Feed

App = Callable[[Scope, Receive, Send], Awaitable[None]]
COOKIE_SECONDS = 30 * 86_400
PAGE_KEY = "moot-page"  # the header in which a page of the board's shows its key
LANDING = "/"  # where a browser that has signed in goes
FAILED = Wrong("failed", "the server failed", "try again with the same Idempotency-Key; then look at the server's log")
Result = TypeVar("Result")


class Counters(Protocol):
    """What the server counts of itself."""

    def request(self, call: str, status: int, seconds: float) -> None: ...
    def streams(self, by: int) -> None: ...


class Log(Protocol):
    def request(self, exchange: Exchange, seconds: float) -> None: ...
    def failed(self, exchange: Exchange, error: Exception) -> None: ...


class Parts:
    """What the server is given beside the board; each has a part of its own to show."""

    def __init__(
        self,
        *,
        names: Names,
        pool: Executor,
        slow_pool: Executor,
        counters: Counters,
        log: Log,
        metrics: Callable[[], str],
        is_sound: Callable[[], bool],
        openapi: Callable[[], bytes],
        hook: Hook | None = None,
        hook_secret: str | None = None,
        mcp: App | None = None,
        mcp_life: Callable[[], AbstractAsyncContextManager[object]] | None = None,
    ) -> None:
        self.names, self.counters, self.log = names, counters, log
        self.pool, self.slow_pool = pool, slow_pool
        self.metrics, self.is_sound, self.openapi = metrics, is_sound, openapi
        self.hook, self.hook_secret = hook, hook_secret
        self.mcp, self.mcp_life = mcp, mcp_life


class HttpDoor:
    def __init__(self, board: "Application", feed: "Feed", parts: Parts) -> None:
        self._cookie = COOKIE + sha256(os.path.abspath(board.board_dir).encode()).hexdigest()[:8]
        self._board, self._parts = board, parts
        self._routes = routes(registry.CALLS)
        self._pages = pages()
        self._rates = Rates()
        self._shares = Shares(board.now)
        self._runs = KnownRuns()
        self._page_secret = access_of(board).secret(SECRET_BYTES)
        self.streams = Streams(feed, parts.pool, parts.counters)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._exchange(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})

    async def _live(self, receive: Receive, send: Send) -> None:
        """From the server's start to its end: what serves MCP lives as long."""
        await receive()
        async with self._parts.mcp_life() if self._parts.mcp_life else nullcontext():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _exchange(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = self._board.now()
        exchange: Exchange | None = None
        try:
            exchange = Exchange(scope, receive, send)
            await self._serve(exchange)
        except Gone:
            return
        except Wrong as wrong:
            exchange = exchange or Exchange({**scope, "headers": []}, receive, send)
            await exchange.answer(WIRE[wrong.code][0], wire_problem(wrong), PROBLEM, wrong.headers)
        except MootError as error:
            assert exchange is not None
            await exchange.answer(status_of(error), problem(error), PROBLEM, _headers_of(error))
        except Exception as error:  # a fault of ours: it is written down, and whoever asked is told that it is ours
            assert exchange is not None
            self._parts.log.failed(exchange, error)
            if exchange.status:
                raise  # the answer has begun: cutting it off is all that is left to say
            await exchange.answer(500, wire_problem(FAILED), PROBLEM)
        finally:
            if exchange is not None:
                seconds = self._board.now() - began
                self._parts.counters.request(exchange.call or "none", exchange.status, seconds)
                self._parts.log.request(exchange, seconds)

    async def _serve(self, exchange: Exchange) -> None:
        self._parts.names.check(exchange.headers)
        route = self._routes.get(PAGES if exchange.path in self._pages else exchange.path)
        if route is not None:
            exchange.call = route.call.name if route.call else route.special or ""
        if route is not None and route.may is None:
            _check_method(route, exchange)
            await self._open(route, exchange)
            return
        writes = route is not None and route.call is not None and route.call.writes
        caller = await self._caller(exchange, self._runs if writes else None)
        if route is None:
            raise Wrong("no_route", f"there is no {exchange.path[:200]!r} here", "see what there is: GET /openapi.json")
        if route.call is not None:
            await self._call(route, route.call, caller, exchange)
        else:
            await self._special(route, caller, exchange)

    # Who asks

    async def _caller(self, exchange: Exchange, runs: KnownRuns | None) -> Caller:
        token = exchange.bearer()
        try:
            shown = exchange.token = token or one_of_ours(self._board, exchange.cookies(self._cookie)) or ""
            if not shown:
                words = "no token was shown"
                raise Refused("no_credentials", words, "send the header Authorization: Bearer TOKEN")
            is_page = is_page_key(self._page_secret, shown, exchange.headers.get(PAGE_KEY))
            # A thread more for each request costs as much as all else that is done for it here.
            known = caller_at_once(self._board, shown, runs, is_page=is_page)
            caller = known if known else await self._in_thread(lambda: caller_of(self._board, shown, is_page=is_page))
            if (caller.by == "browser") != (token is None):
                raise bad_token("it is of another kind than the way it was shown")
        except Refused:
            self._rates.take(f"stranger {exchange.address}", None, self._board.now())
            raise
        exchange.caller = caller.name
        exchange.known()
        if caller.by == "browser":
            self._parts.names.check_cookie(exchange.headers, writes=exchange.method not in ("GET", "HEAD"))
        self._rates.take(f"{caller.by} {caller.actor.run or caller.name}", caller.role, self._board.now())
        return caller

    # What is asked

    async def _call(self, route: Route, call: "Call", caller: Caller, exchange: Exchange) -> None:
        calls = RoleCalls(self._board, caller.actor, caller.role)
        if call.writes and caller.by == "browser" and caller.role == "observer" and PAGE_KEY in exchange.headers:
            words = "{call} needs a page that was signed in since this server began; this one only looks"
            raise Refused("not_for_role", words, "open a new link: moot token link", call.name)
        calls.check(call)
        _check_method(route, exchange)
        if caller.ended and not call.writes:
            raise bad_token("its run is over")
        body = await exchange.body() if call.writes else b""
        request = reading.from_body(call, body) if call.writes else reading.from_query(call, exchange.query)
        request = _expecting(request, exchange.headers.get("if-match"))
        key = reading.key_of(exchange.headers.get("idempotency-key")) if call.writes else None
        is_slow = call.is_slow is not None and call.is_slow(caller, request)
        pool = self._parts.slow_pool if is_slow else self._parts.pool
        status, data, headers = await self._measured(caller, body, pool, lambda: self._asked(calls, request, key))
        if headers.get("etag") and _matches(exchange.headers.get("if-none-match"), headers["etag"]):
            status, data = 304, b""
        await exchange.answer(status, data, JSON, headers)

    async def _measured(
        self, caller: Caller, body: bytes, pool: Executor, call: Callable[[], tuple[int, bytes, dict[str, str]]]
    ) -> tuple[int, bytes, dict[str, str]]:
        """The answer to a call. What a run asks is counted, as at its socket: by number, size and time."""
        allowed, now, spent = self._shares.of_run(caller), self._board.now, 0.0

        def timed() -> tuple[int, bytes, dict[str, str]]:
            nonlocal spent
            began = now()
            try:
                return call()
            finally:
                spent = now() - began

        with self._shares.call(caller):
            if allowed is not None:
                allowed.admit(now(), len(body))
                allowed.write(len(body))
            try:
                answer = await self._in_thread(timed, pool)
            finally:
                if allowed is not None:
                    allowed.took(now(), spent)
            if allowed is not None:
                allowed.answered(now(), len(answer[1]))
            return answer

    def _asked(self, calls: RoleCalls, request: Any, key: str | None) -> tuple[int, bytes, dict[str, str]]:
        answer = calls(request, key)
        if isinstance(answer, ClaimView) and isinstance(request, Claim):
            bearer = run_token(self._board, answer.run, answer.token)
            self._runs.note(answer.agent, answer.run, answer.token, cloned=request.clone)
            answer = in_requests(msgspec.structs.replace(answer, bearer=bearer))
        data = msgspec.json.encode(answer)
        if isinstance(answer, ItemView) and isinstance(request, Show):
            return 200, data, {"etag": f'"{answer.version}.{sha256(data).hexdigest()[:16]}"'}
        return 200, data, {}

    async def _special(self, route: Route, caller: Caller, exchange: Exchange) -> None:
        if caller.role not in (route.may or ()):
            words = "{call} is not for the role {role}"
            hint = "it is for: {may}"
            raise Refused("not_for_role", words, hint, exchange.call, caller.role, sorted(route.may or ()))
        _check_method(route, exchange)
        if caller.ended:
            raise bad_token("its run is over")
        if route.special == "events":
            asked = reading.plain_query(exchange.query, ("after", "item"))
            after = place_of(exchange.headers.get("last-event-id"), asked.get("after"))
            with self._shares.stream(caller):
                await self.streams.serve(exchange, after, asked.get("item"), lambda: self._is_good(exchange.token))
        elif route.special == "metrics":
            text = await self._in_thread(self._parts.metrics)
            await exchange.answer(200, text.encode(), "text/plain; version=0.0.4; charset=utf-8")
        elif route.special == "openapi":
            await exchange.answer(200, self._parts.openapi())
        elif self._parts.mcp is None:
            raise Wrong("no_route", "this server has no MCP", 'install it: pip install "folkmoot[mcp]"')
        else:
            exchange.scope.setdefault("state", {})["caller"] = caller
            with self._shares.call(caller):
                await self._parts.mcp(exchange.scope, exchange.receive, self._noting(exchange))

    async def _open(self, route: Route, exchange: Exchange) -> None:
        if route.special == "healthz":  # it looks at the board; a page is the same for all, and a code is good or not
            self._rates.take(f"open {exchange.address}", "observer", self._board.now())
            sound = await self._in_thread(self._parts.is_sound)
            await exchange.answer(200 if sound else 503, msgspec.json.encode({"ok": sound}))
            return
        if route.special == "page":
            await self._page(exchange)
            return
        if route.special == "hook":
            await self._hook(exchange)
            return
        code = reading.plain_query(exchange.query, ("code",)).get("code", "")
        token = await self._in_thread(lambda: signed_in(self._board, code))
        if token is None:
            self._rates.take(f"stranger {exchange.address}", None, self._board.now())
            raise bad_token("the link was used before, or is too old", "make another: moot token link")
        secure = "; Secure" if self._parts.names.https else ""
        cookie = f"{self._cookie}={token}; HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_SECONDS}{secure}"
        # The key stands behind the #: it is never sent, and the page that finds it there keeps it.
        place = f"{LANDING}#page={page_key(self._page_secret, token)}"
        await exchange.answer(303, headers={"set-cookie": cookie, "location": place})

    async def _hook(self, exchange: Exchange) -> None:
        hook, secret = self._parts.hook, self._parts.hook_secret
        if hook is None or secret is None:
            self._rates.take(f"stranger {exchange.address}", None, self._board.now())
            raise Wrong("no_route", "no forge calls here", "set MOOT_WEBHOOK_SECRET where moot serve begins")
        try:
            names = check_signed(exchange.headers, await exchange.body(), secret)
        except Wrong:
            self._rates.take(f"stranger {exchange.address}", None, self._board.now())
            raise
        self._rates.take("forge", "observer", self._board.now())
        if not await self._in_thread(lambda: hook(names)):
            raise Wrong("replayed", "this call has come before", "whatever happened since is asked for once a minute")
        await exchange.answer(202)

    async def _page(self, exchange: Exchange) -> None:
        page = self._pages[exchange.path]
        headers = {"etag": page.etag, "cache-control": ASK_AGAIN, "content-security-policy": POLICY}
        headers["vary"] = "accept-encoding"
        if _matches(exchange.headers.get("if-none-match"), page.etag):
            await exchange.answer(304, headers=headers)
            return
        packs = "gzip" in exchange.headers.get("accept-encoding", "")
        if packs:
            headers["content-encoding"] = "gzip"
        await exchange.answer(200, page.packed if packs else page.plain, page.kind, headers)

    def _is_good(self, token: str) -> bool:
        try:
            return not caller_of(self._board, token).ended
        except MootError:
            return False

    def _noting(self, exchange: Exchange) -> Send:
        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
            await exchange.send(message)

        return send

    async def _in_thread(self, work: Callable[[], Result], pool: Executor | None = None) -> Result:
        return await asyncio.get_running_loop().run_in_executor(pool or self._parts.pool, work)


def _check_method(route: Route, exchange: Exchange) -> None:
    has_head = "GET" in route.methods and route.special not in ("events", "login")  # these do something
    allowed = (*route.methods, *(("HEAD",) if has_head else ()))
    if exchange.method not in allowed:
        words = f"{exchange.path} takes {' and '.join(route.methods)}, not {exchange.method[:20]}"
        raise Wrong("bad_method", words, "see: GET /openapi.json", {"allow": ", ".join(allowed)})


def _expecting(request: Any, match: str | None) -> Any:
    """The header If-Match says which version of an item was read; its number is all that counts."""
    if match is None or match.strip() == "*":
        return request
    number = match.strip().removeprefix("W/").strip('"').partition(".")[0]
    if "version" not in type(request).__struct_fields__ or not (number.isascii() and number.isdecimal()):
        words = "If-Match {given!r} does not fit this call"
        hint = "send the ETag that show gave for the item, to a call that takes it: see GET /openapi.json"
        raise Invalid("bad_request", words, hint, match[:80])
    return msgspec.structs.replace(request, version=int(number[:18]))


def _matches(given: str | None, etag: str) -> bool:
    return given is not None and (
        given.strip() == "*" or etag in [one.strip().removeprefix("W/") for one in given.split(",")]
    )


def _headers_of(error: MootError) -> dict[str, str]:
    if status_of(error) == 401:
        return {"www-authenticate": 'Bearer realm="folkmoot"'}
    if error.code == "too_fast":
        return {"retry-after": str(int(error.details.get("seconds", 1)) or 1)}
    return {}
