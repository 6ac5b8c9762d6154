"""Hearing what a role returns: in braces without quotation marks, or in lines of `Key: value` around a Status."""

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.canonical import Faulty
from folkmoot.reports.json_dialects import return_from_object
from folkmoot.reports.loose.handed import fault_in_words
from folkmoot.reports.page import SPOKEN, Line, Page, is_showing
from folkmoot.reports.placeholders import is_choice, is_placeholder
from folkmoot.reports.quest import status_report
from folkmoot.reports.returning.keyed import keyed_in
from folkmoot.reports.returning.returns import returned
from folkmoot.reports.uniting.heard import Heard

RETURN_LINES_MAX = 40  # over so many lines the braces of one return may go
_YAML = ("yaml", "yml")
_LIST_ITEM = pattern(r"\d{1,3}\.\s+[A-Z]{3,}")


def hear_keyed(page: Page, heard: list[Heard]) -> None:
    """Lines of `Key: value` around a Status: what the form does not know is read as the fields of an object."""
    if not any("status" in line.text.lower() for line in page.lines):
        return
    for one in keyed_in(page):
        try:
            heard.append(Heard(one.line, 1, 0, status_report(one.told), [], keyed=True))
        except Faulty as error:
            heard.append(Heard(one.line, 1, 0, None, error.faults))


def hear_returns(page: Page, covered: set[int], heard: list[Heard]) -> set[int]:
    """`Returns: {status: completed, commit: "abc123"}`, as the handoff document writes it, on lines of its own; the
    answer is these lines."""
    told_in_list = False
    taken: set[int] = set()
    spoken = {fence.number for fence in page.fences if fence.language in SPOKEN} | {None}
    # A message in YAML cannot be sent, and must not be lost for it.
    heard_in = spoken | {fence.number for fence in page.fences if fence.language in _YAML}
    for line in page.lines:
        words = line.text.strip()
        if words[:1].isdigit() and _LIST_ITEM.match(words):
            told_in_list = True  # a narration of what each role returned, not a report of one
        elif words and not line.text[:1].isspace():
            told_in_list = False
        if len(words) > 2100 or line.quoted or line.number in covered or told_in_list or line.fence not in heard_in:
            continue
        in_words = fault_in_words(words) if not page.only_shows(line.number) else ""
        if in_words:
            heard.append(Heard(line.number, 1, 0, None, [in_words], adds=True))
        elif line.fence in spoken and ("{" in words or "return" in words[:12].lower()):
            one = _returned(page, line)
            if one is not None:
                heard.append(one)
                taken |= set(range(line.number, one.line + 1)) if not one.alone else set()
    return taken


def _returned(page: Page, line: Line) -> Heard | None:
    """The return that this line begins; its braces may close some lines below."""
    words, end = line.text.strip(), line.number
    while words.count("{") > words.count("}") and end + 1 < len(page.lines) and end - line.number < RETURN_LINES_MAX:
        end += 1
        words = f"{words} {page.lines[end].text.strip()}"
    found = returned(words)
    if found is None or not found.told.keys() & {"status", "outcome"} or page.only_shows(line.number):
        return None
    if found.label and is_showing(found.label, page.speakers):
        return None
    if any(isinstance(value, str) and (is_choice(value) or is_placeholder(value)) for value in found.told.values()):
        return None
    anybodys = not found.named and found.told.keys() == {"status"} and end < page.end
    try:
        report = return_from_object(found.told)
    except Faulty as error:
        return Heard(end, 1, 0, None, error.faults, alone=anybodys)
    return Heard(end, 1, 0, report, [], alone=anybodys) if report is not None else None
