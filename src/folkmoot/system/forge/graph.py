"""What the answers of forges are made of."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from folkmoot.worker.forge.port import OWN, ForgeAway

WORDS_MAX = 8_000
WHY_SHOWN = 300
PAGE, PAGES_MAX = 100, 11  # of issues: one page more than may be brought in, so that too many are refused


@contextmanager
def in_good_form() -> Iterator[None]:
    """An answer that is not what was asked for, as of a machine between: like no answer, it passes by itself."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        why = f"{type(error).__name__}: {error}"[:WHY_SHOWN]
        raise ForgeAway("forge_away", "the forge does not answer in good form: {why}", "", why) from error


def cut(text: object, most: int = WORDS_MAX) -> str:
    """What no store would take is left out: a forge passes on whatever somebody sent."""
    words = str(text or "")[:most].replace("\0", "")
    return words.encode("utf-8", "replace").decode("utf-8")


def nodes(connection: Any) -> list[dict[str, Any]]:
    return [one for one in (connection or {}).get("nodes") or [] if one]


def login(one: Any) -> str:
    return cut((one or {}).get("login"))


def has_all(connection: Any) -> bool:
    """Is nothing before what is here? Where that is not said, it is not known."""
    return ((connection or {}).get("pageInfo") or {}).get("hasPreviousPage") is False


def is_own(text: str) -> bool:
    """Has the board written it, where its account has? Whoever quotes the board's own words has written something below
    them, or an answer above. In reviews the board writes nothing."""
    return text.rstrip().endswith(OWN) and not text.lstrip().startswith(("/", ">"))
