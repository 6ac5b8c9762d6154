"""A digest as one page that needs nothing else: it can be mailed, or opened from disk."""

from html import escape

from folkmoot.api.summary.digest import Digest
from folkmoot.doors.cli.render.digest import words
from folkmoot.doors.cli.render.digest.words import Line, Part

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --edge: #d9d9e0; --good: #18794e; --care: #ab6400;
  --bad: #ce2c31; --paper: #fcfcfd }
@media (prefers-color-scheme: dark) {
  :root { --ink: #edeef0; --soft: #b0b4ba; --edge: #363a3f; --good: #3dd68c; --care: #ffca16; --bad: #ff9592;
    --paper: #111113 }
}
body { margin: 2rem auto; max-width: 44rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.4rem; margin: 0 }
h2 { font-size: 1rem; margin: 1.75rem 0 .4rem; padding-bottom: .25rem; border-bottom: 1px solid var(--edge) }
.bad h2 { color: var(--bad) }
.good h2 { color: var(--good) }
.care h2 { color: var(--care) }
.lead, .more { color: var(--soft) }
.lead { margin: .25rem 0 0 }
.more, code { font-size: .875rem }
ul { list-style: none; margin: 0; padding: 0 }
li { margin: .35rem 0; overflow-wrap: anywhere }
li ul { padding-left: 1.25rem; list-style: disc }
"""


def digest(view: Digest) -> str:
    title = escape(words.head(view))
    said = "Nothing happened, and nothing waits for you." if words.is_empty(view) else words.summary(view)
    shown = "" if words.is_empty(view) else "\n".join(_section(part) for part in words.parts(view))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{STYLE}</style></head>\n'
        f'<body><main><h1>{title}</h1><p class="lead">{escape(said)}</p>\n{shown}\n</main></body></html>\n'
    )


def _section(part: Part) -> str:
    lines = [_line(line) for line in part.lines]
    if part.left_out:
        lines.append(f'<li class="more">and {part.left_out} more: <code>{escape(part.command)}</code></li>')
    return f'<section class="{part.mood}"><h2>{escape(part.title)}</h2><ul>{"".join(lines)}</ul></section>'


def _line(line: Line) -> str:
    name = f"<b>{escape(line.name)}</b> " if line.name else ""
    more = f' <span class="more">{escape(line.more)}</span>' if line.more else ""
    below = "".join(f"<li>{escape(one)}</li>" for one in line.below)
    return f"<li>{name}{escape(line.words)}{more}{f'<ul>{below}</ul>' if below else ''}</li>"
