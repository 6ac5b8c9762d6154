"""A page that needs no server: script, styles and data in one file, which asks for nothing and sends nothing.

What agents and people wrote is data in it, and must stay that: no byte of it can end the element that it stands in,
and the page's policy lets no script run but the one whose hash it names.
"""

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template

from folkmoot.errors import Unavailable

BUILT, SCRIPT, STYLE, PAGE = "built", "export.js", "export.css", "saved.html"
# In JSON each of these can stand as its number. As itself it could end the element, begin a comment, or end a line.
NUMBERED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def saved_page(title: str, data: str) -> str:
    """`data` is JSON."""
    script, style = _part(SCRIPT), _part(STYLE)
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {"policy": policy, "title": escape(title), "style": style, "data": as_data(data), "script": script}
    return Template((files(__package__) / PAGE).read_text("utf-8")).substitute(parts)


def as_data(json: str) -> str:
    for letter, number in NUMBERED.items():
        json = json.replace(letter, number)
    return json


def _part(name: str) -> str:
    found = files(__package__) / BUILT / name
    if not found.is_file():
        words = "the page of the board is not built: {name} is missing"
        raise Unavailable("not_built", words, "cd web && npm ci && npm run build", name)
    text = found.read_text("utf-8")
    # It is ours, and is looked at all the same: an end of the element inside would cut it off there.
    if "</script" in text.lower() or "</style" in text.lower() or "<!--" in text:
        words = "{name} of the page cannot stand in one file: it holds the end of its own element"
        raise Unavailable("not_built", words, "build it anew: cd web && npm run build", name)
    return text


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
