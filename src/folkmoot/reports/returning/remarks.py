"""A comment of the disputes document in labels: `- Artifact: …`, `**Status:** resolved`, and its words below them.

Only the document's own labels and its own words for a status make one; anything else under Status is a form's.
"""

import re
from dataclasses import dataclass, field

from msgspec import Struct

from folkmoot.core.enums import COMMENT_STATUSES, RESOLUTIONS
from folkmoot.core.report import Remark
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.canonical import PARTS
from folkmoot.reports.loose.names import label_in
from folkmoot.reports.page import Line, Page
from folkmoot.reports.placeholders import is_placeholder
from folkmoot.reports.signals import starts_block

_LABELS = {name: name for name in PARTS["comments"]} | {"reply to": "parent", "in reply to": "parent"}
_MARKED = ("- ", "* ", "+ ", "**", "__", "#")  # without a mark it is a mapping in YAML, or a sentence
_REPLY = pattern(r"#{1,6}\s{0,3}[*_`]{0,3}(?:in )?repl(?:y|ies) to[*_`: ]{1,4}(c\d{1,9})\b[^\w]{0,9}", re.IGNORECASE)
_CLOSED = {"status": COMMENT_STATUSES, "resolution": RESOLUTIONS}
# What says of a comment where it belongs, or how its thread ends: a status alone may be anything's.
_PLACED = {"artifact", "target", "parent", "resolution"}
_AROUND = " \t`*_\"'."


class Marked(Struct):
    """A comment as it was found, and the lines that it stands on."""

    remark: Remark
    lines: set[int]


@dataclass(slots=True)
class _Block:
    parent: str = ""  # whom the heading above it answers
    told: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    last: str = ""  # the label that was read last, while its words may go on
    over: bool = False  # a line that is no part of it has come

    def take(self, line: Line, name: str, rest: str) -> None:
        self.told[name] = rest.strip()
        self.lines.append(line.number)
        self.last = name

    def add(self, line: Line) -> None:
        """Words below the labels: of the content, where that has a label, else the content itself."""
        words = line.text.strip()
        if not words:
            self.last = self.last if self.last == "content" else ""
            self.words += [""] if self.words else []
            return
        if line.text[:1].isspace() and self.last:
            self.told[self.last] = f"{self.told[self.last]}\n{words}".strip()
        elif self.told.get("content"):
            self.over = True
            return
        else:
            self.words.append(words)
        self.lines.append(line.number)

    def remark(self) -> Marked | None:
        """The comment, if its labels are those of one and its words are the document's."""
        told = {name: words.strip(_AROUND) for name, words in self.told.items() if name != "content"}
        told |= {"parent": self.parent} if self.parent and "parent" not in told else {}
        closed = {name: told[name].lower() for name in _CLOSED if name in told}
        content = self.told.get("content", "").removeprefix("|").strip(" \t\n*_") or "\n".join(self.words).strip()
        if not closed or not told.keys() & _PLACED or is_placeholder(content):
            return None
        if not content or any(word not in _CLOSED[name] for name, word in closed.items()):
            return None
        fields = {name: told[name] for name in ("artifact", "target", "parent", "author", "id") if told.get(name)}
        return Marked(Remark(content=content, **fields, **closed), set(self.lines))  # type: ignore[arg-type]


def remarks_in(page: Page, taken: set[int]) -> list[Marked]:
    """Every such comment in the text, outside of fences, quotations and what was already read."""
    found: list[_Block] = []
    block = _Block()
    shown = False  # an example has begun: all of its labels are part of it
    for line in page.lines:
        said = label_in(line.text.strip(), _LABELS) if line.text.lstrip().startswith(_MARKED) else None
        shown = page.only_shows(line.number) if said and not (shown or block.told) else shown and _goes_on(line, said)
        apart = shown or line.quoted or line.fence is not None or line.number in taken
        if said is not None and not apart:
            if said[0] in block.told or block.over or block.words:
                found.append(block)
                block = _Block()
            block.take(line, *said)
        elif apart or _ends(line):
            found.append(block)
            answered = None if apart else _REPLY.match(line.text.strip())
            block = _Block(answered.group(1).lower(), lines=[line.number]) if answered else _Block()
        elif block.told and not block.over:
            block.add(line)
    return [marked for one in [*found, block] if one.told and (marked := one.remark()) is not None]


def _goes_on(line: Line, said: object) -> bool:
    return said is not None or not line.text.strip() or line.text[:1].isspace()


def _ends(line: Line) -> bool:
    """A heading, another label, JSON or a signal is no part of a comment's words."""
    words = line.text.strip()
    if words.startswith(("#", "{", "[", "---", "===")) or starts_block(line):
        return True
    return words.startswith(_MARKED) and label_in(words, None) is not None
