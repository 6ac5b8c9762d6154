"""Sends a few bytes to an address over HTTP, once, within a time. No redirect is followed, and no word of the address
is said: it may be a secret."""

import http.client
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from time import time
from urllib.parse import urlsplit

from folkmoot.wiring.notifying.courier import Failed

SOCKET_SECONDS = 10.0  # for each look at the wire
WHOLE_SECONDS = 30.0  # for all of it, however slowly it drips
LOOK_SECONDS = 0.5
# Of this notice, not of the target: the same bytes would be refused again.
REFUSED = (400, 413, 415, 422)


def post(address: str, body: bytes, headers: Mapping[str, str]) -> None:
    connection, path = _connection(address)
    over = threading.Event()
    threading.Thread(target=_watch, args=(connection, over), name="moot-notify-clock", daemon=True).start()
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json", "User-Agent": "moot", **headers})
        answer = connection.getresponse()
        status, again = answer.status, answer.headers.get("Retry-After")
    except TimeoutError:
        raise Failed("it did not answer in time") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Failed(_why(error)) from None
    finally:
        over.set()
        connection.close()
    if status // 100 == 2:
        return
    if status // 100 == 3:
        raise Failed(f"it answers {status} and sends us elsewhere, which is not followed: name the new address")
    raise Failed(f"it answers {status}", seconds_of(again), never=status in REFUSED)


def _connection(address: str) -> tuple[http.client.HTTPConnection, str]:
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https") or parts.username is not None:
        raise Failed("its address is none that begins with http:// or https://")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=SOCKET_SECONDS, context=context), path
    return http.client.HTTPConnection(host, port, timeout=SOCKET_SECONDS), path


def _watch(connection: http.client.HTTPConnection, over: threading.Event) -> None:
    """Hang up when its time is up, and again until it is over: while it is still being connected to one address after
    the other, or a secure connection is made, there is nothing to hang up yet."""
    left = WHOLE_SECONDS
    while not over.wait(left):
        left = LOOK_SECONDS
        with suppress(OSError, AttributeError):
            connection.sock.shutdown(2)


def _why(error: Exception) -> str:
    """What the system says; the words of others may hold the address."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not good: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return "no secure connection could be made"
    told = getattr(error, "strerror", None)
    return f"it cannot be reached: {told}" if told else "it did not answer in good form"


def seconds_of(again: str | None) -> float | None:
    """In how many seconds it wants to be asked again: a number, or a date."""
    if again is None:
        return None
    with suppress(ValueError, OverflowError):
        return max(float(int(again)), 0.0)
    with suppress(ValueError, TypeError, OverflowError):
        return max(parsedate_to_datetime(again).timestamp() - time(), 0.0)
    return None
