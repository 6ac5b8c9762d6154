"""What an agent says in plain words around the headings of a form: part of its answer, and kept with the report."""

from collections.abc import Iterable

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.page import Line
from folkmoot.reports.placeholders import is_placeholder
from folkmoot.reports.signals import starts_block

PROSE_MAX = 20_000  # characters that are kept of it
# The heading of every prompt: an agent that repeats its own before the report says nothing by it.
PROMPT = pattern(r"You are .{1,120}, and this is item \S{1,80}")
_TITLE_WORDS = 5  # a heading with nothing below it and no more words is a title
_LEADS_IN = pattern(r".{0,120}:[*_ ]{0,4}")
_RULE = pattern(r"[-=*_]{3,}")


def told_in(lines: Iterable[Line], fence: int | None) -> list[Line]:
    """The lines that say something in plain words. Messages, quotations and blocks that are read for themselves are no
    part of them."""
    found: list[Line] = []
    for line in lines:
        words = line.text.strip()
        if line.fence == fence and not line.quoted and starts_block(line):
            break
        told = not line.quoted or words.startswith("|")  # a table is told, and no quotation
        if told and not _RULE.fullmatch(words) and not words.startswith(("```", "~~~")) and not is_placeholder(words):
            found.append(line)
    return found


def said_around(title: str, lines: Iterable[Line], fence: int | None) -> str:
    """The words under a heading that is none of the form's, or before all headings (no title)."""
    body = "\n".join(line.text.rstrip() for line in told_in(lines, fence)).strip()
    if not body and len(title.split()) <= _TITLE_WORDS and ":" not in title:
        return ""
    if not title and "\n" not in body and _LEADS_IN.fullmatch(body):
        return ""  # "Here is my report:"
    return "\n".join(part for part in (title, body) if part)[:PROSE_MAX]
