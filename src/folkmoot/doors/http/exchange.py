"""One request and its answer, on the wire."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from folkmoot.doors.http.guard import BODY_BYTES_MAX
from folkmoot.doors.http.problems import Wrong

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

JSON = "application/json"
BODY_SECONDS = 30.0  # for the whole of a request to come
COOKIE = "moot_session_"  # and behind it which board it is for: a browser sends it to every port of a host
COOKIES_MAX = 8  # of that name, which other servers on the same machine give away too
KNOWN = "folkmoot.known"  # of a scope: what its connection is told by once a good token was shown
# Nothing here is a page of its own, nothing may be kept by others, nothing is for other sites.
ALWAYS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


class Gone(Exception):
    """Whoever asked has hung up."""


class Exchange:
    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.receive, self.send = scope, receive, send
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: bytes = scope["query_string"]
        self.headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            key = name.decode("latin-1").lower()
            if key in self.headers and key in ("host", "origin", "authorization", "content-length"):
                raise Wrong("bad_header", f"the header {key} stands there twice", "send it once")
            self.headers[key] = value.decode("latin-1")
        self.status = 0
        self.call = ""  # what is written down of it
        self.caller = ""
        self.token = ""  # by which they were let in

    @property
    def address(self) -> str:
        client = self.scope.get("client")
        return str(client[0]) if client else "local"

    def known(self) -> None:
        """Whoever asks has shown a good token: their connection is no stranger's any more."""
        tell = self.scope.get(KNOWN)
        if tell is not None:
            tell()

    def bearer(self) -> str | None:
        kind, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() if kind.lower() == "bearer" and token.strip() else None

    def cookies(self, called: str) -> list[str]:
        """All of that name, or none if they are many. By hand: what the library reads of others' cookies takes it
        minutes where somebody wants that."""
        parts = [one.partition("=") for one in self.headers.get("cookie", "").split(";")]
        found = [value.strip().strip('"') for name, _, value in parts if name.strip() == called]
        return found if len(found) <= COOKIES_MAX else []

    async def body(self) -> bytes:
        """All of it, if it is JSON, not too large, and comes in time."""
        size = self.headers.get("content-length")
        if size is not None and (not size.isdecimal() or int(size) > BODY_BYTES_MAX):
            raise too_large()
        parts, total = [], 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while True:
                    message = await self.receive()
                    if message["type"] != "http.request":
                        raise Gone
                    total += len(message.get("body", b""))
                    if total > BODY_BYTES_MAX:
                        raise too_large()
                    parts.append(message.get("body", b""))
                    if not message.get("more_body"):
                        break
        except TimeoutError:
            raise Wrong("too_slow", f"the request was not there after {BODY_SECONDS:g} s", "send it again") from None
        body = b"".join(parts)
        if body and self.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise Wrong("bad_media", "the request is not said to be JSON", f"send the header Content-Type: {JSON}")
        return body

    async def answer(
        self, status: int, body: bytes = b"", kind: str = JSON, headers: dict[str, str] | None = None
    ) -> None:
        self.status = status
        given = [(name.encode(), value.encode("latin-1")) for name, value in (headers or {}).items()]
        shown = [(b"content-type", kind.encode())] if body else []
        length = [] if status in (204, 304) else [(b"content-length", str(len(body)).encode())]
        own = {name for name, _ in given}
        await self.begin(status, [*(one for one in ALWAYS if one[0] not in own), *shown, *length, *given])
        await self.send({"type": "http.response.body", "body": b"" if self.method == "HEAD" else body})

    async def begin(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        self.status = status
        await self.send({"type": "http.response.start", "status": status, "headers": headers})


def too_large() -> Wrong:
    return Wrong("too_large", f"a request has at most {BODY_BYTES_MAX} bytes", "keep large texts in files")
