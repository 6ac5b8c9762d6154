"""What others wrote, as it stands in a prompt: every line marked, so that nothing in a text can end the quotation.

A mark on each line is a fence that has no end to imitate. It also holds when an agent repeats only a part of it: such
lines are never read as a report.
"""

import re
from typing import Any

from folkmoot.core.vocabulary.patterns import pattern

LABEL = "> "
LINE = "> | "
INLINE_MAX = 120
ITEMS_NAMED = 10

# What nobody sees, or what moves what is seen: controls but for tab and line end, directions, tags, half characters.
_UNSEEN = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)
_SPACES = pattern(r"\s+")


def visible(text: str) -> str:
    """The text with one kind of line end, and with everything unseen written out."""
    return _UNSEEN.sub(_written_out, text.replace("\r\n", "\n").replace("\r", "\n"))


def _written_out(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x20:
        return chr(0x2400 + code)  # the picture of that control character
    return f"\\u{{{code:x}}}"


def inline(text: object, most: int = INLINE_MAX) -> str:
    """A name or a place within a label: one line, not long, and never the end of what it stands in."""
    words = _SPACES.sub(" ", visible(str(text))).strip().replace("`", "'")
    return words if len(words) <= most else words[: most - 1] + "…"


def quoted(label: str, text: str) -> list[str]:
    """The lines of a text below a line that says whose it is. The label must hold nothing but `inline` words."""
    return [f"{LABEL}{label}:", *(LINE + line for line in visible(text).split("\n"))]


def reports_of(items: list[str]) -> str:
    """The commands that print what these items' runs reported, whole."""
    more = len(items) - ITEMS_NAMED
    named = "; ".join(f"moot show {item} --json" for item in items[:ITEMS_NAMED])
    return f"{named}; and {more} more such" if more > 0 else named


def told(value: Any, indent: str = "") -> str:
    """Plain values as an outline; what is empty is not told."""
    return "\n".join(_outline(value, indent))


def _outline(value: Any, indent: str) -> list[str]:
    lines: list[str] = []
    if isinstance(value, dict):
        for name, part in value.items():
            lines += _entry(f"{indent}{name}:", part, indent)
    elif isinstance(value, list | tuple):
        for part in value:
            lines += _entry(f"{indent}-", part, indent)
    else:
        lines += (f"{indent}{line}" for line in visible(str(value)).split("\n"))
    return lines


def _entry(head: str, part: Any, indent: str) -> list[str]:
    if part is None or part == "" or part == [] or part == {}:
        return []
    if isinstance(part, dict | list | tuple):
        lines = _outline(part, indent + "  ")
        if head.endswith("-") and lines:
            return [f"{head} {lines[0].lstrip(' ')}", *lines[1:]]
        return [head, *lines] if lines else []
    first, *rest = visible(str(part)).split("\n")
    return [f"{head} {first}", *(f"{indent}  {line}" for line in rest)]
