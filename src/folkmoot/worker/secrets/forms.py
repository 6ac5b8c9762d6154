"""How a value may be written: in JSON, in URLs, in hex, in base64, and there also over several lines."""

import base64
import json
import re
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

VALUE_CHARS_MIN = 6  # a shorter value is in every text: hiding it would destroy the output and hide nothing
ENCODED_CHARS_MIN = 8  # what is left of it in base64, without the ends that depend on its neighbours
FOLDED_CHARS = 24  # programs that encode fold their lines: a long value is known by so much of its encoded form


def forms_of(value: str) -> set[str]:
    """How a value may be written: plain, in JSON, in URLs, in hex, in base64 (also as a part of something longer)."""
    raw = value.encode("utf-8", "surrogatepass")
    in_json = json.dumps(value, ensure_ascii=False)[1:-1]
    in_url = quote(raw, safe="")
    forms = {
        value,
        in_json,
        in_json.replace("/", "\\/"),
        json.dumps(value)[1:-1],
        json.dumps(in_json)[1:-1],  # JSON in JSON, as streams of clients carry it
        json.dumps(json.dumps(value)[1:-1])[1:-1],
        in_url,
        quote(raw),
        quote_plus(raw),
        re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), in_url),
        raw.hex(),
        raw.hex().upper(),
    }
    for core in _in_base64(raw):
        if len(core) >= ENCODED_CHARS_MIN:
            forms |= {core, core.replace("+", "-").replace("/", "_"), core.replace("/", "\\/")}
    return {form for form in forms if "\n" not in form and "\r" not in form and len(form) >= VALUE_CHARS_MIN}


def _in_base64(raw: bytes) -> Iterator[str]:
    """In each of the three ways in which bytes may stand in a longer row of bytes."""
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + raw).decode("ascii").rstrip("=")
        # The characters at both ends mix in bits of the neighbours.
        yield whole[(0, 2, 3)[shift] : len(whole) - (1 if (shift + len(raw)) % 3 else 0)]


def folded_parts(value: str) -> Iterator[str]:
    """Parts of its encoded forms, close enough that of a longer line of them one is whole."""
    raw = value.encode("utf-8", "surrogatepass")
    for form in (*_in_base64(raw), raw.hex(), raw.hex().upper()):
        if len(form) >= 2 * FOLDED_CHARS:
            for start in range(0, len(form) - FOLDED_CHARS + 1, FOLDED_CHARS // 2):
                yield form[start : start + FOLDED_CHARS]
