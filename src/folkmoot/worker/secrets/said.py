"""The secrets that a file of the user's says by their names, in the forms that such files usually have.

`NAME=value` and `name: value`, quoted or not, with a note behind it; the same in JSON; parts of a connection string;
`.netrc`, `.pgpass`, and settings in XML. More counts rather than less: a value may be told in several ways.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress

from folkmoot.worker.secrets.looks import looks_secret

PLAIN_MAX = 1_000
# The value is only looked at, not passed over: in a text that is a value itself another name may stand.
SAID = re.compile(
    r"(?<![\w.\-])(?P<name>[A-Za-z_][\w.\-]{0,200})[\"']?[ \t]*[=:][ \t]*"
    rf"(?=\"(?P<double>(?:[^\"\\\n]|\\.)*)\"|'(?P<single>[^'\n]*)'|(?P<plain>[^\s\"'][^\n]{{0,{PLAIN_MAX}}}))"
)
ENDS = (re.compile(r"[ \t]+[#;]"), re.compile(r"[;,\"'}\]]"), re.compile("&"))  # of a value that is not quoted
XML = re.compile(r"(?:key|name)=\"([^\"<>]{1,200})\"\s{1,200}value=\"([^\"<>]{0,1000})\"", re.IGNORECASE)
NETRC = re.compile(r"\bpassword[ \t\n]{1,200}(\S{1,1000})")
NETRC_FILES, PGPASS_FILES = (".netrc", "_netrc", "netrc"), (".pgpass", "pgpass.conf")


def secrets_in(file: str, text: str) -> Iterator[tuple[str, str]]:
    """Each with the name under which it stands."""
    for match in SAID.finditer(text):
        if looks_secret(match["name"]):
            yield from ((match["name"], value) for value in _values(match))
    yield from ((name, value) for name, value in XML.findall(text) if looks_secret(name))
    if os.path.basename(file) in NETRC_FILES:
        yield from (("password", value) for value in NETRC.findall(text))
    if os.path.basename(file) in PGPASS_FILES:
        rows = (line.split(":") for line in text.splitlines() if not line.startswith("#"))
        yield from (("password", row[-1]) for row in rows if len(row) == 5)


def _values(match: "re.Match[str]") -> Iterator[str]:
    if match["double"] is not None:
        yield match["double"]
        if "\\" in match["double"]:
            with suppress(ValueError):
                yield json.loads(f'"{match["double"]}"')
    elif match["single"] is not None:
        yield match["single"]
    else:
        value: str = match["plain"].strip()
        yield value
        for end in ENDS:  # each may as well be a part of it
            value = end.split(value, maxsplit=1)[0]
            yield value
