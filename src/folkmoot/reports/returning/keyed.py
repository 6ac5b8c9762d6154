"""A return in lines of `Key: value`, with a Status among them: `Status: Completed`, `Commit: abc123`, `Notes: …`.

The form reads what it knows (Status, Issues, Tests); the other lines say what they would say as an object's fields.
So do lines between `---` at the very beginning; what follows these is told in words.
"""

from typing import Any

from msgspec import Struct

from folkmoot.core.enums import Outcome
from folkmoot.core.vocabulary.lines import number_in
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.loose.headings import SECTIONS
from folkmoot.reports.loose.names import in_known_case
from folkmoot.reports.page import Line, Page
from folkmoot.reports.placeholders import is_placeholder
from folkmoot.reports.returning.returns import list_in
from folkmoot.reports.status import read_status

LINES_MAX = 60  # of one return
VALUE_CHARS_MAX = 2000
_KEY = pattern(
    r"\s{0,3}(?:[-*+]\s{1,3})?[*_`]{0,3}([A-Za-z][A-Za-z_-]{1,28}(?: [A-Za-z_-]{1,20}){0,2})[*_`]{0,3}"
    r"\s?:[*_`]{0,3}(?:\s+(.*))?"
)
_WORD_OF: dict[Outcome, str] = {
    "done": "completed",
    "incomplete": "incomplete",
    "stuck": "blocked",
    "failed": "failed",
    "changes_requested": "changes_requested",
}
# Whoever goes on like this takes back what the lines say: that is asked back, and no summary.
_TAKES_BACK = ("but", "except", "however", "although", "though")
_SUMMARY = "## Summary"


class Keyed(Struct):
    """What the lines say beside the form's own."""

    told: dict[str, Any]
    line: int  # of its Status


def keyed_in(page: Page) -> list[Keyed]:
    """Every such return. Its lines are taken out of the page, all but those that the form reads itself."""
    found = []
    for chunk in _chunks(page):
        one = _read(page, chunk)
        found += [one] if one is not None else []
    return found


def _chunks(page: Page) -> list[list[Line]]:
    """Lines that stand together with nothing between them; long ones are no returns."""
    found: list[list[Line]] = [[]]
    for line in page.lines:
        words = line.text.strip()
        if not words or line.quoted or _is_rule(words) or (found[-1] and found[-1][-1].fence != line.fence):
            found.append([])
        if words and not line.quoted and not _is_rule(words):
            found[-1].append(line)
    return [chunk for chunk in found if 1 < len(chunk) <= LINES_MAX or (chunk and _in_front(page, chunk))]


def _is_rule(words: str) -> bool:
    return len(words) >= 3 and not words.strip("-")


def _in_front(page: Page, chunk: list[Line]) -> bool:
    """Does it stand between two rules, the first of which begins the text?"""
    before, behind = chunk[0].number - 1, chunk[-1].number + 1
    if before < 0 or behind >= len(page.lines):
        return False
    rules = all(_is_rule(page.lines[number].text.strip()) for number in (before, behind))
    return rules and not any(line.text.strip() for line in page.lines[:before])


def _read(page: Page, chunk: list[Line]) -> Keyed | None:
    told: dict[str, Any] = {}
    taken: list[Line] = []
    status, outcome = -1, None
    open_section = False  # do the lines that follow belong to a title above them?
    for line in chunk:
        words = line.text.strip()
        key = _KEY.fullmatch(line.text.rstrip())
        if words.startswith("#") or key is None:
            open_section = open_section or words.startswith("#")
            continue
        name, value = key.group(1), (key.group(2) or "").strip().strip("*_`").strip()
        known = SECTIONS.get(name.lower().replace("_", " "))
        if known is not None:
            open_section = not value
        if known == "status":
            said = read_status([(line.number, value)])
            if status >= 0 or said.outcome is None:
                return None  # the form says what is wrong with it
            status, outcome = line.number, said.word or _WORD_OF.get(said.outcome, "")
        elif known is None and not open_section and value and _is_value(value):
            name = name.lower().replace(" ", "_")  # in such lines capitals are only style
            if name in told:
                return None
            told[name] = _value(value)
            taken.append(line)
    rest = [
        line for line in page.lines[chunk[-1].number + 1 :] if line.text.strip() and not _is_rule(line.text.strip())
    ]
    if rest and rest[0].text.strip().lower().startswith(_TAKES_BACK):
        return None
    if status < 0 or not outcome or not told or page.only_shows(chunk[0].number):
        return None
    for line in taken:
        line.text = ""
    _tell_rest(page, chunk)
    return Keyed(in_known_case({"status": outcome, **told}), status)


def _is_value(value: str) -> bool:
    return len(value) <= VALUE_CHARS_MAX and "{" not in value and not is_placeholder(value)


def _value(value: str) -> Any:
    if value.startswith("["):
        listed, rest = list_in(value)
        return value if listed is None or rest else listed
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    number = number_in(value)
    return value if number is None else number


def _tell_rest(page: Page, chunk: list[Line]) -> None:
    """Words below the lines are what was done: a summary, unless they begin a section of their own."""
    if _in_front(page, chunk):
        page.lines[chunk[0].number - 1].text = page.lines[chunk[-1].number + 1].text = ""
    behind = chunk[-1].number + 1
    rest = [line for line in page.lines[behind:] if line.text.strip()]
    if not rest or rest[0].number == behind or rest[0].quoted or rest[0].fence != chunk[0].fence:
        return
    first = rest[0].text.strip()
    begins = _KEY.fullmatch(rest[0].text.rstrip()) is not None or first[:1] in "#{[`~*-"
    if begins or any("summary" in line.text[:20].lower() for line in rest):
        return
    page.lines[behind].text = _SUMMARY
