"""What the answers of forges are made of."""

from typing import Any

WORDS_MAX = 8_000


def cut(text: object, most: int = WORDS_MAX) -> str:
    """What no store would take is left out: a forge passes on whatever somebody sent."""
    words = str(text or "")[:most].replace("\0", "")
    return words.encode("utf-8", "replace").decode("utf-8")


def nodes(connection: Any) -> list[dict[str, Any]]:
    return [one for one in (connection or {}).get("nodes") or [] if one]


def login(one: Any) -> str:
    return cut((one or {}).get("login"))
