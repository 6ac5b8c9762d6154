"""What was found in another tool's list, before it is anything of ours."""

from collections import Counter
from typing import Any

from msgspec import Struct, field

from folkmoot.core.enums import PRIORITIES, Priority, Type, is_priority
from folkmoot.core.proposals.issue import IssueLink
from folkmoot.errors import Invalid

ITEMS_MAX = 1000
TITLE_MAX = 500
BYTES_MAX = 20_000_000
DONE = frozenset({"done", "closed", "completed", "complete", "cancelled", "canceled", "archived", "skipped"})
KINDS: dict[str, Type] = {
    "bug": "bugfix",
    "bugfix": "bugfix",
    "fix": "bugfix",
    "chore": "refactor",
    "refactor": "refactor",
}
FIRST_TO_LAST: tuple[Priority, ...] = (*PRIORITIES, "low")  # of numbers from 0 on


class Thing(Struct, kw_only=True):
    """One piece of work, by the other tool's own id."""

    id: str
    title: str
    body: str = ""
    status: str = ""
    priority: Priority = "medium"
    type: Type = "feature"
    tags: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    parent: str | None = None
    issue: IssueLink | None = None  # that the item is to follow

    @property
    def is_done(self) -> bool:
        return self.status in DONE


class Found(Struct, kw_only=True):
    """A list, and what of it has no place on a board: each in words, with how often it was found."""

    tool: str
    source: str
    things: list[Thing] = field(default_factory=list)
    left: "Counter[str]" = field(default_factory=Counter)

    def take(self, thing: Thing) -> None:
        if len(thing.title) > TITLE_MAX:
            thing.body = f"{thing.title}\n\n{thing.body}".strip()
            thing.title = f"{thing.title[: TITLE_MAX - 1]}…"
        self.things.append(thing)
        if len(self.things) > ITEMS_MAX:
            raise bad(self.source, f"it lists more than {ITEMS_MAX} items")

    def fields_left(self, given: dict[str, Any], known: frozenset[str]) -> None:
        """Note what is said and cannot be taken over."""
        for name, value in given.items():
            if name not in known and value not in (None, "", [], {}, 0, False):
                self.left[f"the field {name[:60]}"] += 1


def bad(source: str, what: str) -> Invalid:
    return Invalid("bad_file", "{source}: {what}; nothing was added", "see: moot add --help", source, what)


def folded(status: object) -> str:
    """`In Progress`, `in_progress` and `in-progress` are one."""
    return "-".join(str(status or "").strip().casefold().replace("_", " ").replace("-", " ").split())


def priority_of(found: Found, said: object) -> Priority:
    if said in (None, ""):
        return "medium"
    word = str(said).strip().casefold().removeprefix("p")
    if len(word) < 5 and word.isdecimal() and int(word) < len(FIRST_TO_LAST):
        return FIRST_TO_LAST[int(word)]
    word = {"urgent": "critical", "highest": "critical", "normal": "medium", "lowest": "low"}.get(word, word)
    if is_priority(word):
        return word
    found.left[f"the priority {str(said)[:40]!r}: it is medium"] += 1
    return "medium"


def texts(value: object) -> list[str]:
    """A list of words; one word is a list too, and several may stand in one text, with commas."""
    parts = value if isinstance(value, list) else str(value).split(",") if value not in (None, "") else []
    return [word for part in parts if (word := str(part).strip())]


def sections(parts: dict[str, object]) -> str:
    """The texts that a tool keeps apart, as one."""
    told = [(name, str(text).strip()) for name, text in parts.items() if text not in (None, "", [], {})]
    return "\n\n".join(text if not name else f"## {name}\n\n{text}" for name, text in told if text)
