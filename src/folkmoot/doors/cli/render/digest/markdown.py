"""A digest as Markdown. Words of others stay words: nothing in them is a mark."""

import re

from folkmoot.api.summary.digest import Digest
from folkmoot.doors.cli.render.digest import words

MARKS = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")


def digest(view: Digest) -> str:
    lines = [f"# {_safe(words.head(view))}", ""]
    if words.is_empty(view):
        return "\n".join([*lines, "Nothing happened, and nothing waits for you.", ""])
    lines += [_safe(words.summary(view)), ""]
    for part in words.parts(view):
        lines += [f"## {_safe(part.title)}", ""]
        for line in part.lines:
            name = f"**{_safe(line.name)}** " if line.name else ""
            more = f" _{_safe(line.more)}_" if line.more else ""
            lines.append(f"- {name}{_safe(line.words)}{more}")
            lines += [f"  - {_safe(below)}" for below in line.below]
        if part.left_out:
            lines.append(f"- and {part.left_out} more: `{part.command}`")
        lines.append("")
    return "\n".join(lines)


def _safe(text: str) -> str:
    return MARKS.sub(r"\\\1", text)
