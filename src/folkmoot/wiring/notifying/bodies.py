"""A notice as each target wants it."""

import base64
import hashlib
import hmac
import re
from datetime import UTC, datetime
from typing import Any

import msgspec

from folkmoot.core.notices.notice import Notice
from folkmoot.worker.git.words import plain

SLACK_MAX, DISCORD_MAX = 3_000, 2_000  # letters that they take
MARKS = re.compile(r"([\\\[\]()<>*_~|`#])")  # of Discord's mark-up
PREFIX = "whsec_"  # before a secret that is written in base64


def whole(notice: Notice, delivery: str, link: str | None) -> dict[str, Any]:
    """All of it, for programs."""
    return {
        "id": delivery,
        "topic": notice.topic,
        "text": notice.words,
        "at": datetime.fromtimestamp(notice.at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "seq": notice.seq,
        "item": notice.item,
        "title": notice.title,
        "question": notice.question,
        "options": notice.options,
        "link": link,
    }


def encoded(value: Any) -> bytes:
    return msgspec.json.encode(value)


def marked(words: str) -> str:
    """Words where a mark-up with < and & is read: nothing in them is a part of it."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def slack(notice: Notice, link: str | None) -> dict[str, Any]:
    """Nothing in the words is a mark-up of Slack's, so nobody is called by them."""
    words = marked(_cut(_told(notice), SLACK_MAX))
    return {"text": f"{words}\n<{link}|look at it>" if link else words, "unfurl_links": False}


def discord(notice: Notice, link: str | None) -> dict[str, Any]:
    """Nothing in the words is a mark-up of Discord's: a link of theirs could say that it leads elsewhere."""
    more = f"\n{link}" if link else ""
    words = _told(notice)
    while len(told := MARKS.sub(r"\\\1", words)) > DISCORD_MAX - len(more):
        words = _cut(words, max(1, len(words) - (len(told) - DISCORD_MAX + len(more) + 1) // 2 - 1))
    return {"content": told + more, "allowed_mentions": {"parse": []}}


def signed(body: bytes, delivery: str, seconds: int, secret: str) -> dict[str, str]:
    """Headers as the Standard Webhooks specification has them: what is signed is the id, the time and the body."""
    key = secret.encode()
    if secret.startswith(PREFIX):
        key = base64.b64decode(secret.removeprefix(PREFIX))
    made = hmac.new(key, f"{delivery}.{seconds}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": delivery,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{base64.b64encode(made).decode()}",
    }


def _told(notice: Notice) -> str:
    options = "".join(f"\n• {option}" for option in notice.options)
    return plain(f"{notice.words}{options}")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
