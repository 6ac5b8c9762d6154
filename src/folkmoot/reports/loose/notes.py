"""The disputes document's YAML: comments on an artifact, and the reason why an item is stuck, fenced or bare.

A block is read once, as YAML has it. What it says beside comments and reason are fields of a report like any others:
those that are known are taken, what the document keeps on an item is told on, and the rest is refused by its name.
"""

from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from folkmoot.core.input_limits import has_unstorable
from folkmoot.core.report import Remark, Report
from folkmoot.core.vocabulary.words import place_said
from folkmoot.reports.canonical import FIELDS, PARTS, UNSTORABLE, Faulty, canonical_report, missing_outcome, shown
from folkmoot.reports.json_dialects import report_from_object
from folkmoot.reports.loose.blocks import OF_ITEM, blocks, head_of, is_whole, load, nested_ends
from folkmoot.reports.loose.names import with_known_names
from folkmoot.reports.messages import READERS
from folkmoot.reports.page import Line, Page
from folkmoot.reports.quest import is_status_report
from folkmoot.reports.returning.remarks import remarks_in
from folkmoot.reports.uniting.statements import joined

NOTES_CHARS_MAX = 20_000
_OF_COMMENT = frozenset(PARTS["comments"])
_FAILURES = {"failure_count", "failure_history"}


class Notes(Struct):
    """What the blocks of one text say beside its report."""

    comments: list[Remark] = field(default_factory=list)
    escalation_reason: str | None = None
    more: Report | None = None  # the other fields of a report that stand there; its outcome means nothing
    extra: dict[str, Any] = field(default_factory=dict)
    reports: list[tuple[int, Report]] = field(default_factory=list)  # a whole report in YAML, and its last line
    lines: set[int] = field(default_factory=set)
    rest: dict[int, str] = field(default_factory=dict)  # what stands behind a `#`: words, of which YAML takes none
    nested: set[int] = field(default_factory=set)  # lines in which a part of something says how that part ended

    def beside(self, report: Report) -> Report:
        """The report with what was noted; what it says itself goes first."""
        said = {remark.content.strip() for remark in report.comments}
        comments = [*report.comments, *(one for one in self.comments if one.content.strip() not in said)]
        reason = report.escalation_reason or self.escalation_reason
        report = replace(report, comments=comments, escalation_reason=reason, extra={**self.extra, **report.extra})
        return joined(report, replace(self.more, outcome=report.outcome)) if self.more is not None else report

    def alone(self) -> Report | None:
        """Where nothing else was said: a reason means stuck, an open comment a dispute, a resolved one its end."""
        if self.escalation_reason is not None:
            return self.beside(Report(outcome="stuck", summary=self._words(), implied=bool(self.comments)))
        if not self.comments:
            return None
        last = self.comments[-1]
        resolved = last.status == "resolved" or last.resolution is not None
        said = Report(outcome="done" if resolved else "disputed", summary=self._words(), implied=True)
        return self.beside(said)

    def _words(self) -> str:
        told = self.more is not None and self.more.summary.strip()
        return self.comments[-1].content.strip() if self.comments and not told else ""


def read_notes(page: Page) -> Notes:
    """All of it in a text; Faulty if a block is meant so and cannot be read."""
    notes = Notes(nested=nested_ends(page))
    found = blocks(page)
    size = sum(len(line.text) + 1 for lines in found for line in lines)
    if size > NOTES_CHARS_MAX:
        raise Faulty([f"the comments have {size} characters, more than {NOTES_CHARS_MAX}"])
    whole = is_whole(page)
    for lines in found:
        _read(notes, lines, whole)
    for marked in [] if whole else remarks_in(page, notes.lines):
        notes.comments.append(marked.remark)
        notes.lines |= marked.lines
    return notes


def _read(notes: Notes, lines: list[Line], whole: bool) -> None:
    """One block. `whole`: it is the whole text, so that it can be meant as nothing but a report."""
    heads = dict(found for line in lines if (found := head_of(line.text)))
    said, noted = load("\n".join("" if head_of(line.text) else line.text for line in lines))
    data = with_known_names(_named(said), OF_ITEM) if isinstance(said, dict) else {"comments": said}
    listed = _comments(data.get("comments"))
    for name in [name for name in data if listed and name.lower() == "artifact" and isinstance(data[name], str)]:
        heads["Artifact"] = data.pop(name)
    comments = [_comment(one, heads.get("Artifact") or heads.get("Metadata")) for one in listed]
    ends = _is_report(data)
    if not (comments or ends or data.get("escalation_reason") is not None):
        if whole or _is_comment(data) or any(_is_near(name) for name in data):
            raise Faulty(_faults(data))
        return
    if has_unstorable(data):
        raise Faulty([UNSTORABLE])
    notes.lines.update(line.number for line in lines)
    notes.rest |= {lines[place].number: words for place, words in noted.items()}
    data |= {"comments": comments} if comments else {}
    data |= {"escalation_reason": _in_words(data["escalation_reason"])} if "escalation_reason" in data else {}
    data = _with_items(data)
    if ends:
        report = report_from_object(data)
        notes.reports += [(lines[-1].number, report)] if report is not None else []
        return
    told = canonical_report({**data, "outcome": "disputed" if comments else "stuck"})
    notes.comments += told.comments
    notes.escalation_reason = told.escalation_reason or notes.escalation_reason
    notes.extra |= {"Metadata": heads["Metadata"]} if "Metadata" in heads else {}
    more = replace(told, comments=[], escalation_reason=None)
    notes.more = joined(notes.more, replace(more, outcome=notes.more.outcome)) if notes.more is not None else more


def _is_report(data: dict[str, Any]) -> bool:
    return "outcome" in data or is_status_report(data) or data.get("type") in READERS


def _is_near(name: str) -> bool:
    """`comment`, `artifact_comments`: comments were meant."""
    return name not in FIELDS and name.lower().endswith(("comment", "comments"))


def _is_comment(data: dict[str, Any]) -> bool:
    return "content" in data and data.keys() <= _OF_COMMENT


def _faults(data: dict[str, Any]) -> list[str]:
    """What is wrong with a mapping that says nothing about how it ended, and holds no comment."""
    place = place_said(data.get("status"))
    if data.keys() & OF_ITEM:
        told = f"{', '.join(data)}: this is an item, which the board keeps"
        failed = not place or bool(data.keys() & _FAILURES)  # else its status says what is meant
        return [f"{told}; a report says how a run ended: outcome: failed" if failed else f"{told}{place}"]
    if place:
        return [f"status: {shown(data['status'])} is no outcome{place}"]
    if _is_comment(data):
        return [f"{', '.join(data)}: this is a comment: it stands in a list under `comments`"]
    try:
        canonical_report({"outcome": "done", **data})
    except Faulty as error:
        return [*error.faults, missing_outcome(data)]
    return [missing_outcome(data)]


def _with_items(data: dict[str, Any]) -> dict[str, Any]:
    """What the document keeps on an item is kept here by the board, and told on."""
    told = {name: data[name] for name in data if name in OF_ITEM}
    if not told or not isinstance(data.get("extra", {}), dict):
        return data
    rest = {name: value for name, value in data.items() if name not in told}
    return {**rest, "extra": {**told, **data.get("extra", {})}}


def _comments(listed: Any) -> list[dict[str, Any]]:
    """The list, if each of it is a comment, well said or not, and not something else under the same name."""
    parts = listed if isinstance(listed, list) else [listed] if isinstance(listed, dict) else []
    named = [with_known_names(_named(one), _OF_COMMENT) if isinstance(one, dict) else {} for one in parts]
    return named if all(one.keys() & _OF_COMMENT for one in named) else []


def _comment(said: dict[str, Any], artifact: str | None) -> dict[str, Any]:
    found = {
        name: value if isinstance(value, dict | list) else str(value).strip()
        for name, value in said.items()
        if value is not None
    }
    if artifact and "artifact" not in found:
        found["artifact"] = artifact
    return found


def _named(data: dict[Any, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in data.items()}


def _in_words(value: Any) -> Any:
    """Several reasons in a list are several words: which of them holds is for the rules to say."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return value if value is None or isinstance(value, str) else str(value)
