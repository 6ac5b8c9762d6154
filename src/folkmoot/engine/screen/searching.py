"""Items in which words are said: in what they ask for, what was said about them, asked, and reported."""

from collections.abc import Callable
from typing import Any

from folkmoot.api.screen import Found
from folkmoot.core.item import Item
from folkmoot.engine.reads.snapshot import Snapshot

AROUND = 60  # characters before and behind the first of the words
# By table: of which item a row is, and what of it was said in words.
SAID: dict[str, Callable[[Any], tuple[str, list[str]]]] = {
    "items": lambda item: (item.id, [item.title, item.body]),
    "comments": lambda comment: (comment.item, [comment.content]),
    "questions": lambda asked: (asked.item, [asked.question, asked.context, asked.answer or ""]),
    "runs": lambda run: (run.item, [run.report.summary if run.report else ""]),
}


def found(snapshot: Snapshot, text: str, limit: int) -> Found:
    """What changed last stands first. Of each table no more is read than it takes to find so many items."""
    words = text.casefold().split()
    places: dict[str, str] = {}
    for table, said in SAID.items() if words else ():
        seen: set[str] = set()
        for row in snapshot.reading.holding(table, words):
            item, texts = said(row)
            place = next((one for one in texts if all(word in one.casefold() for word in words)), None)
            if place is not None:
                places.setdefault(item, around(place, words[0]))
                seen.add(item)
            if len(seen) >= limit:
                break
    rows = [one for item in places if (one := snapshot.reading.item(item)) is not None]
    newest = sorted(rows, key=lambda row: (row.updated_at, row.number), reverse=True)
    named = _named(snapshot, text)
    shown = [*named, *(row for row in newest if row not in named)][:limit]
    items = [snapshot.summary(row) for row in shown]
    return Found(items=items, matches={item.id: places.get(item.id, item.title) for item in items})


def _named(snapshot: Snapshot, text: str) -> list[Item]:
    """The item of that number."""
    number = text.strip().removeprefix("#")
    row = snapshot.reading.item(number) if number.isascii() and number.isdecimal() and len(number) < 19 else None
    return [row] if row is not None else []


def around(text: str, word: str) -> str:
    """One line with the word and what stands around it."""
    line = " ".join(text.split())
    at = max(0, line.casefold().find(word))
    begin, end = max(0, at - AROUND), at + len(word) + AROUND
    return f"{'…' if begin else ''}{line[begin:end]}{'…' if end < len(line) else ''}"
