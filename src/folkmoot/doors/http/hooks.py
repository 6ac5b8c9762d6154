"""What a forge calls when something has happened there. Whatever stands in it is believed in nothing: it wakes whoever
asks the forge, and is let in only so that strangers cannot.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence

from folkmoot.doors.http.problems import Wrong

# Notes that a delivery has come, by its names, and wakes. False: one of that name has come before.
Hook = Callable[[Sequence[str]], bool]

SECRET_CHARS_MIN = 16
NAME_MAX = 200
GITHUB, GITHUB_NAME = "x-hub-signature-256", "x-github-delivery"
GITLAB, GITLAB_NAMES = "x-gitlab-token", ("webhook-id", "idempotency-key", "x-gitlab-event-uuid")


def check_signed(headers: Mapping[str, str], body: bytes, secret: str) -> list[str]:
    """The names by which this delivery is known again. GitHub signs the body, and not the delivery's name: so the body
    is a name too. GitLab shows the secret itself."""
    made = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    if GITHUB in headers:
        is_good = _same(headers[GITHUB], f"sha256={made}")
        names = [headers.get(GITHUB_NAME, "")]
    else:
        is_good = _same(headers.get(GITLAB, ""), secret)
        names = [next((headers[name] for name in GITLAB_NAMES if headers.get(name)), "")]
    if not is_good:
        words = "the call is not signed with the secret of this server"
        raise Wrong("bad_signature", words, "give the forge the value of MOOT_WEBHOOK_SECRET")
    if not names[0] or len(names[0]) > NAME_MAX:
        raise Wrong("bad_signature", "the delivery has no name", "call as GitHub or GitLab does")
    return [names[0], f"body {made}"]


def _same(given: str, expected: str) -> bool:
    """In constant time."""
    return hmac.compare_digest(given.encode("latin-1", "replace"), expected.encode())
