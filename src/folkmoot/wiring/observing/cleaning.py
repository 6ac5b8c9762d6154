"""Makes texts fit for a log: no value of this process's environment that is secret, and nothing that looks like one."""

import re
from collections.abc import Callable, Iterable, Mapping

from folkmoot.worker.secrets.looks import is_plain
from folkmoot.worker.secrets.redactor import Known, Redactor

HIDDEN = "[secret]"
WORD = re.compile(r"[A-Za-z0-9_\-+/=.~%]{24,}")  # no run's id and no request's is so long
GIVEN = re.compile(  # `token=…`, `"password": "…"`, `Cookie: …`, in whatever text it stands
    r"((?:auth|cookie|token(?!s)|secret|passw|passphrase|credential|api.?key|session)\w{0,20}[\"'\\]{0,4}\s{0,4}[:=]\s{0,4}"
    r"(?:[\"'\\]{0,4}(?:bearer|basic|token)\s{1,4})?[\"'\\]{0,4})([^\s\"'&;,<>{}\[\]]{4,})",
    re.I,
)


def cleaner(environ: Mapping[str, str], values: Iterable[str] = ()) -> Callable[[str], str]:
    """`values` are further secrets of this process, such as the token that it was just given."""
    known = Known()
    known.add_environment(environ)
    for value in values:
        known.add("value", value)
    redactor = Redactor(known)

    def clean(text: str) -> str:
        text = redactor.clean(text)
        text = GIVEN.sub(lambda found: found[1] + HIDDEN, text)
        return WORD.sub(lambda found: found[0] if is_plain(found[0]) else HIDDEN, text)

    return clean
