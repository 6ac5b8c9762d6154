"""A request as it comes over the wire, as a request of the contract."""

from typing import Any, get_args, get_origin
from urllib.parse import parse_qsl

import msgspec

from folkmoot.api.call import Call
from folkmoot.api.requests import OfferReport, Request, SendReport
from folkmoot.core.decoding import converted, misfit, reader
from folkmoot.core.input_limits import checked_key
from folkmoot.errors import Invalid

FIELDS_MAX = 2_000  # of one query: no call has so many, nor do its lists


def from_query(call: Call, query: bytes) -> Request[Any]:
    """Each field once; of a list one for each of its values. What is no text is written as in JSON."""
    kinds = {field.encode_name: field.type for field in msgspec.structs.fields(call.request)}
    found: dict[str, Any] = {}
    for name, text in _pairs(query):
        if name not in kinds:
            raise _bad(call, f"it has no field {name!r}; its fields: {', '.join(kinds) or 'none'}")
        if _is_list(kinds[name]):
            found.setdefault(name, []).append(text)
        elif name in found:
            raise _bad(call, f"the field {name!r} stands there twice")
        else:
            found[name] = _value(kinds[name], text)
    return _typed(call, found)


def plain_query(query: bytes, names: tuple[str, ...]) -> dict[str, str]:
    """The few words of a route that carries no call."""
    pairs = _pairs(query)
    unknown = next((name for name, _ in pairs if name not in names), None)
    if unknown is not None or len(dict(pairs)) < len(pairs):
        words = "this route takes {known}, each once, and not {given!r}"
        raise Invalid("bad_request", words, "see: GET /openapi.json", [*names], unknown or pairs[0][0])
    return dict(pairs)


def from_body(call: Call, body: bytes) -> Request[Any]:
    try:
        fields = reader(dict[str, Any])(body or b"{}")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _bad(call, misfit(error)) from error
    if call.request in (SendReport, OfferReport):
        return _said(call, fields, body)
    return _typed(call, fields)


def key_of(text: str | None) -> str | None:
    """The header Idempotency-Key: the same key twice has one effect, and one answer."""
    return checked_key(text.strip().strip('"')) if text is not None else None


def _said(call: Call, fields: dict[str, Any], body: bytes) -> Request[Any]:
    """A report is looked at as closely as one that an agent wrote into a file."""
    from folkmoot.reports.canonical import checked_report, decoder

    report = fields.get("report")
    if not isinstance(report, dict):
        raise _bad(call, "it needs the field 'report', an object")
    try:
        decoder().decode(body.decode("utf-8"))  # no key twice
    except ValueError as error:
        raise _bad(call, misfit(error)) from error
    read = checked_report(report)
    rest = {name: value for name, value in fields.items() if name != "report"}
    asked: Any = _typed(call, {**rest, "report": {"outcome": "done"}})
    said: Request[Any] = msgspec.structs.replace(asked, report=read)
    return said


def _typed(call: Call, fields: dict[str, Any]) -> Request[Any]:
    try:
        made: Request[Any] = converted(fields, call.request)
        return made
    except (msgspec.ValidationError, RecursionError, OverflowError, ValueError) as error:
        raise _bad(call, misfit(error)) from error


def _bad(call: Call, why: str) -> Invalid:
    words = "this is no request for {call}: {why}"
    return Invalid("bad_request", words, "see what it may be: GET /openapi.json", call.name, why)


def _pairs(query: bytes) -> list[tuple[str, str]]:
    if not query:
        return []
    try:
        return parse_qsl(query.decode("ascii"), True, True, errors="strict", max_num_fields=FIELDS_MAX)
    except ValueError as error:
        raise Invalid("bad_request", "the query cannot be read: {why}", "write it anew", str(error)) from error


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is list or any(get_origin(one) is list for one in get_args(kind))


def _value(kind: Any, text: str) -> Any:
    """A text where a text is wanted; else what it says as JSON."""
    options = () if get_origin(kind) is dict else get_args(kind)
    if kind is str or any(one is str or isinstance(one, str) for one in options):
        return text
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return text  # of another kind than is wanted, as will be said
