"""Addresses on this machine that a client is told, and at which nobody listens."""

import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urlsplit

from folkmoot.worker.clients.catalogue import Start
from folkmoot.worker.logins.placing import Files
from folkmoot.worker.logins.signed_in import provider_of
from folkmoot.worker.logins.without_refresh import parsed

Answers = Callable[[str, int], bool]  # does somebody listen at this port of this machine?

_ADDRESS = re.compile(r"(?:_BASE_URL|_API_BASE|_HOST|_ENDPOINT|_PROXY)$", re.IGNORECASE)
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
PORTS = {"http": 80, "https": 443}


def unanswered(start: Start, files: Files, env: Mapping[str, str], answers: Answers) -> tuple[str, str] | None:
    """The first address on this machine that a client is told, and at which nobody listens: who tells it, and where."""
    for name, value in _addresses(start, files, env):
        place = loopback(value)
        if place is not None and not answers(*place):
            return name, value
    return None


def _addresses(start: Start, files: Files, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    given = {**{name: env[name] for name in start.env if env.get(name)}, **start.set}
    yield from ((name, value) for name, value in given.items() if _ADDRESS.search(name))
    for name, text in files.texts.items():
        _, settings = parsed(name, text)
        told = (provider_of(settings) or {}).get("base_url")
        if isinstance(told, str):
            yield name, told
        for key, value in settings.items() if isinstance(settings, dict) else ():
            if isinstance(key, str) and key not in given and _ADDRESS.search(key) and isinstance(value, str):
                yield name, value


def loopback(value: str) -> tuple[str, int] | None:
    """Host and port of an address on this machine; None for any other."""
    try:
        split = urlsplit(value if "://" in value else f"http://{value}")
        host, port = split.hostname or "", split.port or PORTS.get(split.scheme)
    except ValueError:
        return None
    return (host, port) if host in LOOPBACK and port else None
