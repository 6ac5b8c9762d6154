"""Asks a forge over HTTP, once, within a time, with a token that nobody sees. No redirect is followed."""

import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from folkmoot.errors import Refused
from folkmoot.worker.forge.port import ForgeAway, ForgeLimited, ForgeRefused

SOCKET_SECONDS = 20.0  # for each look at the wire
WHOLE_SECONDS = 60.0  # for all of it, however slowly it drips
BYTES_MAX = 32_000_000
WORDS_SHOWN = 300
SECONDARY_SECONDS = 60.0  # where a forge does not say for how long
LONGEST_SECONDS = 3_600.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Answer(Struct, frozen=True):
    status: int
    told: Any = None
    etag: str = ""


class Kept(Struct, frozen=True):
    etag: str
    told: Any


class Http:
    """One forge. `token` gives who asks, and with `anew` forgets what it gave before; `wall` is the time of day."""

    def __init__(
        self,
        base: str,
        token: Callable[[bool], str],
        wall: Callable[[], float] = time.time,
        *,
        accept: str = "application/vnd.github+json",
        sign_in: str = "set MOOT_GITHUB_TOKEN where agents are run, or sign in: gh auth login",
    ) -> None:
        parts = urlsplit(base)
        if parts.hostname is None or not (parts.scheme == "https" or parts.hostname in LOOPBACK):
            words = "the forge's address {base} is none that is asked"
            raise Refused(
                "no_forge", words, "write one that begins with https://: `api` below `land` in the flow", base
            )
        self._host, self._port = parts.hostname, parts.port
        self._secure = parts.scheme == "https"
        self._path = parts.path.rstrip("/")
        self._token = token
        self._accept, self._sign_in = accept, sign_in
        self._wall = wall
        self._kept: dict[str, Kept] = {}  # what was told before, so that it is only told again where it has changed
        self.asked = 0

    def get(self, path: str) -> Any:
        known = self._kept.get(path)
        answer = self._ask("GET", path, None, {"If-None-Match": known.etag} if known else {})
        if answer.status == 304 and known is not None:
            return known.told
        if answer.etag:
            self._kept[path] = Kept(answer.etag, answer.told)
        return answer.told

    def send(self, method: str, path: str, told: Mapping[str, Any], *, whole: bool = False) -> Any:
        """`whole`: the path is from the server's root on."""
        return self._ask(method, path, msgspec.json.encode(told), {}, whole=whole).told

    def _ask(
        self, method: str, path: str, body: bytes | None, more: Mapping[str, str], *, whole: bool = False
    ) -> Answer:
        for anew in (False, True):
            answer, headers = self._exchange(method, path if whole else self._path + path, body, more, anew)
            if answer.status != 401 or anew:
                break
        self._check_limit(answer, headers)
        if answer.status // 100 == 2 or answer.status == 304:
            return answer
        if answer.status >= 500 or answer.status == 408:
            raise ForgeAway("forge_away", "the forge answers {status}", "", answer.status)
        raise refused(method, path, answer, self._sign_in)

    def _exchange(
        self, method: str, path: str, body: bytes | None, more: Mapping[str, str], anew: bool
    ) -> tuple[Answer, Mapping[str, str]]:
        headers = {
            "Authorization": f"Bearer {self._token(anew)}",
            "Accept": self._accept,
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "moot",
            **({"Content-Type": "application/json"} if body is not None else {}),
            **more,
        }
        connection = self._connection()
        over = threading.Timer(WHOLE_SECONDS, _hang_up, [connection])
        over.daemon = True
        over.start()
        self.asked += 1
        try:
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            data = reply.read(BYTES_MAX + 1)
            told = {name.casefold(): value for name, value in reply.getheaders()}
        except TimeoutError:
            raise ForgeAway("forge_away", "the forge does not answer in time", "") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            words = str(getattr(error, "strerror", None) or "it did not answer in good form")
            raise ForgeAway("forge_away", "the forge {host} cannot be reached: {why}", "", self._host, words) from None
        finally:
            over.cancel()
            connection.close()
        return Answer(reply.status, _read(data), told.get("etag", "")), told

    def _connection(self) -> http.client.HTTPConnection:
        if not self._secure:
            return http.client.HTTPConnection(self._host, self._port, timeout=SOCKET_SECONDS)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(self._host, self._port, timeout=SOCKET_SECONDS, context=context)

    def _check_limit(self, answer: Answer, headers: Mapping[str, str]) -> None:
        """What is used up comes back at a time that is said; of what is too fast it is said for how long to rest."""
        if answer.status not in (403, 429):
            return
        words = _message(answer.told)
        again = _number(headers.get("retry-after"))
        if again is not None:
            raise ForgeLimited(min(max(again, 1.0), LONGEST_SECONDS), words or "it was asked too often")
        reset = _number(headers.get("x-ratelimit-reset"))
        if headers.get("x-ratelimit-remaining") == "0" and reset is not None:
            raise ForgeLimited(min(max(reset - self._wall(), 1.0), LONGEST_SECONDS), words or "its limit is used up")
        if answer.status == 429 or "secondary rate limit" in words.casefold():
            raise ForgeLimited(SECONDARY_SECONDS, words or "it was asked too often")


def refused(method: str, path: str, answer: Answer, sign_in: str) -> ForgeRefused:
    words = _message(answer.told) or "it says no more"
    hint = "see whether the token may read and write pull requests of this repository" if answer.status < 405 else ""
    if answer.status == 401:
        hint = sign_in
    where = path.partition("?")[0]
    return ForgeRefused(
        "forge_refused",
        "the forge answers {status} to {method} {where}: {why}",
        hint,
        answer.status,
        method,
        where,
        words,
    )


def _read(data: bytes) -> Any:
    if not data or len(data) > BYTES_MAX:
        return None
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return msgspec.json.decode(data)
    with suppress(ValueError, RecursionError):  # half a letter in somebody's words is no fault of all the others
        return _whole(json.loads(data.decode("utf-8", "replace")))
    return None


def _whole(told: Any) -> Any:
    """Half a letter becomes a mark: no store would take it."""
    if isinstance(told, str):
        return told.encode("utf-8", "replace").decode("utf-8")
    if isinstance(told, list):
        return [_whole(one) for one in told]
    return {name: _whole(one) for name, one in told.items()} if isinstance(told, dict) else told


def _message(told: Any) -> str:
    """What the forge says of it, with its details."""
    if not isinstance(told, dict):
        return ""
    details = told.get("errors") or []
    more = [str(one.get("message") or one.get("code") or "") if isinstance(one, dict) else str(one) for one in details]
    return ": ".join(word for word in [str(told.get("message") or ""), *more] if word)[:WORDS_SHOWN]


def _number(text: str | None) -> float | None:
    with suppress(ValueError, TypeError, OverflowError):
        return float(int(text or ""))
    return None


def _hang_up(connection: http.client.HTTPConnection) -> None:
    with suppress(OSError, AttributeError):
        connection.sock.shutdown(2)
