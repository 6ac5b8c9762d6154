"""A change as git prints it, coloured where that helps; and which files it is about."""

import sys

from folkmoot.api.screen import FileChange, ItemChange
from folkmoot.doors.cli.render.page import AGENT, BAD, GOOD, HEAD, QUIET, Page, Part, count, one_line, status_words
from folkmoot.doors.cli.session import ReaderGone

BAR = 30  # cells of the longest row of plus and minus
HOW = {"created": ("+", GOOD), "deleted": ("-", BAD)}


def change(view: ItemChange, *, stat: bool) -> None:
    page = Page()
    if stat:
        _stat(page, view)
    elif not sys.stdout.isatty():
        as_it_is(view.diff)
    else:
        _stat(page, view)
        page.blank()
        diff_lines(page, view.diff)


def as_it_is(text: str) -> None:
    """For `git apply` nothing may be added to it, or be shown as something else. No screen reads along."""
    sys.stdout.flush()
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        raise ReaderGone from error


def _stat(page: Page, view: ItemChange) -> None:
    where = f"landed on {one_line(view.landed_on)}" if view.landed_on else f"{status_words(view.status)}, not landed"
    page.row((f"#{view.item}", "bold"), f"  {one_line(view.title)}", (f"  {where}", GOOD if view.landed_on else QUIET))
    wide = max((page.text(one_line(one.path)).cell_len for one in view.files), default=0)
    wide = min(wide, max(page.row_width - BAR - 14, 20))
    most = max((_total(one) for one in view.files), default=0)
    for one in view.files:
        _file(page, one, wide, most)
    added, removed = sum(one.added or 0 for one in view.files), sum(one.removed or 0 for one in view.files)
    page.line((f"{count(len(view.files), 'file')}, ", QUIET), (f"+{added}", GOOD), " ", (f"-{removed}", BAD))


def _total(one: FileChange) -> int:
    return (one.added or 0) + (one.removed or 0)


def _file(page: Page, one: FileChange, wide: int, most: int) -> None:
    mark, style = HOW.get(one.how, ("~", AGENT))
    path = page.cut(page.text(one_line(one.path)), wide)
    path.append(" " * (wide - path.cell_len))
    lead: list[Part] = ["  ", (mark, style), " ", path, "  "]
    if one.added is None:
        page.row(*lead, ("not text", QUIET))
        return
    scale = min(1.0, BAR / most) if most else 1.0
    plus = max(round(one.added * scale), bool(one.added))
    minus = max(round((one.removed or 0) * scale), bool(one.removed))
    page.row(*lead, (f"{_total(one):>4} ", QUIET), ("+" * plus, GOOD), ("-" * minus, BAD))


def diff_lines(page: Page, text: str) -> None:
    """The change itself: no line is cut, and none is broken."""
    for line in text.removesuffix("\n").split("\n") if text else []:
        page.exact(line.expandtabs(8), style=_style(line))


def _style(line: str) -> str:
    if line.startswith(("diff ", "index ", "--- ", "+++ ", "new file", "deleted file", "old mode", "new mode")):
        return HEAD
    if line.startswith("@@"):
        return AGENT
    return GOOD if line.startswith("+") else BAD if line.startswith("-") else ""
