"""What went wrong, as `application/problem+json` (RFC 9457): the same codes as at every other door."""

from typing import Any
from urllib.parse import quote

import msgspec

from folkmoot.api.errors import ERRORS
from folkmoot.doors.http.routes import PREFIX
from folkmoot.engine.registry import BY_NAME
from folkmoot.errors import MootError, Step

PROBLEM = "application/problem+json"
# Refused before a route was found: they have no code of the board's.
WIRE: dict[str, tuple[int, str]] = {
    "bad_host": (421, "the request is for another host than this server's"),
    "bad_header": (400, "a header stands there twice"),
    "bad_origin": (403, "the page that asks is not this server's own"),
    "no_route": (404, "there is no such route"),
    "bad_method": (405, "the route has another method"),
    "too_large": (413, "the request is too large"),
    "bad_media": (415, "the request must be JSON"),
    "too_slow": (408, "the request did not come in time"),
    "too_many_streams": (429, "there are as many streams as there may be"),
    "not_acceptable": (406, "this route gives something else"),
    "bad_signature": (401, "a forge's call is not signed with the secret of this server"),
    "replayed": (409, "a forge's call has come before"),
    "failed": (500, "the server failed; it has been written down"),
}
# Where HTTP has a status of its own for what the table says more generally.
STATUS = {"version_changed": 412, "too_large": 413}


class Wrong(Exception):
    """A request that does not get as far as the board."""

    def __init__(self, code: str, words: str, hint: str = "", headers: dict[str, str] | None = None) -> None:
        super().__init__(words)
        self.code, self.words, self.hint, self.headers = code, words, hint, headers or {}


def status_of(error: MootError) -> int:
    return STATUS.get(error.code) or ERRORS[error.code].http


def problem(error: MootError) -> bytes:
    row = ERRORS[error.code]
    told: dict[str, Any] = {
        "type": f"urn:folkmoot:error:{error.code}",
        "title": row.meaning,
        "status": status_of(error),
        "detail": error.message,
        "code": error.code,
        "hint": error.told(as_request, _field),
        "details": error.details,
        "next": [_link(step) for step in error.next if step.call in BY_NAME],
    }
    return msgspec.json.encode(told)


def wire_problem(wrong: Wrong) -> bytes:
    status, meaning = WIRE[wrong.code]
    told = {
        "type": f"urn:folkmoot:error:{wrong.code}",
        "title": meaning,
        "status": status,
        "detail": str(wrong),
        "code": wrong.code,
        "hint": wrong.hint,
        "details": {},
        "next": [],
    }
    return msgspec.json.encode(told)


def _link(step: Step) -> dict[str, Any]:
    """A request that can be sent as it is: what is known of it stands in the address, or in `args`, which is its body.
    What the caller must choose is null in `args`."""
    if BY_NAME[step.call].writes:
        return {"call": step.call, "method": "POST", "href": PREFIX + step.call, "args": step.args}
    known = {name: value for name, value in step.args.items() if value is not None}
    return {"call": step.call, "method": "GET", "href": _address(Step(step.call, known)), "args": step.args}


def as_request(step: Step) -> str:
    """A call as a request: what the reader must choose stands as …"""
    if step.call not in BY_NAME:
        return f"moot {step.call}"
    if BY_NAME[step.call].writes:
        given = {name: "…" if value is None else value for name, value in step.args.items()}
        return f"POST {PREFIX}{step.call}{f' with {msgspec.json.encode(given).decode()}' if given else ''}"
    return f"GET {_address(step)}"


def _address(step: Step) -> str:
    fields = [f"{name}={_in_query(value)}" for name, value in step.args.items()]
    return f"{PREFIX}{step.call}{'?' if fields else ''}{'&'.join(fields)}"


def _in_query(value: Any) -> str:
    if value is None:
        return "…"
    return quote(value if isinstance(value, str) else msgspec.json.encode(value).decode(), safe="")


def _field(name: str) -> str:
    return "the header Idempotency-Key" if name == "key" else f"the field {name!r}"
