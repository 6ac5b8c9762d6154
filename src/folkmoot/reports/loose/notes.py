"""The disputes document's YAML: comments on an artifact, and the reason why an item is stuck, fenced or bare."""

import re
from typing import Any

import yaml
from msgspec import Struct, field
from msgspec.structs import replace

from folkmoot.core.report import Remark, Report
from folkmoot.core.text import has_unstorable
from folkmoot.reports.canonical import UNSTORABLE, Faulty, canonical_report
from folkmoot.reports.json_dialects import report_from_object
from folkmoot.reports.page import Line, Page
from folkmoot.reports.quest import is_status_report

NOTES_CHARS_MAX = 20_000
_LANGUAGES = {"yaml", "yml", ""}
_BEGINS = re.compile(r"comments:\s*(?:#.*)?|-\s+id:\s*\S.*|escalation_reason:\s*[^\s#].*")
_OUTCOME = re.compile(r"(?:outcome|status):\s*[\w-]+\s*(?:#.*)?")
_ANY_KEY = re.compile(r"([A-Za-z_]{2,30}):(?:\s.*)?")
_KEY = re.compile(r"[a-z_]{2,30}:(?:\s.*)?")
_HEAD = re.compile(r"#\s*(Artifact|Metadata):\s*(\S.*?)\s*")
# What the disputes document keeps on an item, and no agent reports.
_OF_ITEM = {"issue", "failure_count", "failure_history", "dispute_rounds", "dispute_agents", "flag"}
_OF_COMMENT = ("id", "author", "timestamp", "target", "status", "parent", "resolution", "artifact")
_TIME = "tag:yaml.org,2002:timestamp"


class Notes(Struct):
    """What the blocks of one text say beside its report."""

    comments: list[Remark] = field(default_factory=list)
    escalation_reason: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    reports: list[tuple[int, Report]] = field(default_factory=list)  # a whole report in YAML, and its last line
    lines: set[int] = field(default_factory=set)

    def beside(self, report: Report) -> Report:
        """The report with what was noted; what it says itself goes first."""
        said = {remark.content.strip() for remark in report.comments}
        comments = [*report.comments, *(one for one in self.comments if one.content.strip() not in said)]
        reason = report.escalation_reason or self.escalation_reason
        return replace(report, comments=comments, escalation_reason=reason, extra={**self.extra, **report.extra})

    def alone(self) -> Report | None:
        """Where nothing else was said: a reason means stuck, an open comment a dispute, a resolved one its end."""
        if self.escalation_reason is not None:
            return self.beside(Report(outcome="stuck", summary=self._words()))
        if not self.comments:
            return None
        last = self.comments[-1]
        resolved = last.status == "resolved" or last.resolution is not None
        said = Report(outcome="done" if resolved else "disputed", summary=self._words(), implied=True)
        return self.beside(said)

    def _words(self) -> str:
        return self.comments[-1].content.strip() if self.comments else ""


class _Loader(yaml.SafeLoader):
    """Plain values only: a time stays the text it is, and nothing stands for something else."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("an alias is not read here")
        return super().compose_node(parent, index)


_Loader.yaml_implicit_resolvers = {
    sign: [(tag, pattern) for tag, pattern in known if tag != _TIME]
    for sign, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_notes(page: Page) -> Notes:
    """All of it in a text; Faulty if a block is meant so and cannot be read."""
    notes = Notes()
    blocks = _blocks(page)
    size = sum(len(line.text) + 1 for lines in blocks for line in lines)
    if size > NOTES_CHARS_MAX:
        raise Faulty([f"the comments have {size} characters, more than {NOTES_CHARS_MAX}"])
    for lines in blocks:
        _read(notes, lines)
    return notes


def _blocks(page: Page) -> list[list[Line]]:
    found = []
    for fence in page.fences:
        if fence.language not in _LANGUAGES or page.only_shows(fence.before):
            continue
        lines = [line for line in page.inside(fence) if not line.quoted]
        whole = bool(fence.language) and any(_OUTCOME.fullmatch(line.text.rstrip()) for line in lines)
        if whole or any(_begins(line) for line in lines):
            found.append(lines)
    if _is_whole(page):
        return [page.lines]
    place = 0
    while place < len(page.lines):
        if page.lines[place].fence is not None or not _begins(page.lines[place]):
            place += 1
            continue
        start, end = _start(page.lines, place), _end(page.lines, place)
        if not page.only_shows(start):
            found.append(page.lines[start:end])
        place = end
    return [part for lines in found for part in _files(lines)]


def _files(lines: list[Line]) -> list[list[Line]]:
    """One block for each file of comments: another artifact, or another list, begins the next."""
    parts: list[list[Line]] = [[]]
    listed = False  # has this part its comments?
    for line in lines:
        words = line.text.rstrip()
        head, begins = _HEAD.fullmatch(words) is not None, words.startswith("comments:")
        if listed and (head or begins):
            parts.append([])
            listed = False
        parts[-1].append(line)
        listed = listed or begins
    return parts


def _is_whole(page: Page) -> bool:
    """Is the whole text a report in YAML, with nothing else in it?"""
    lines = [line.text.rstrip() for line in page.lines if line.text.strip()]
    keys = [found.group(1) for line in lines if (found := _ANY_KEY.fullmatch(line))]
    if page.fences or len(keys) < 2 or len(set(keys)) < len(keys) or not {"outcome", "status"} & set(keys):
        return False
    if not all(line.startswith((" ", "- ", "# ")) or _ANY_KEY.fullmatch(line) for line in lines):
        return False
    try:
        data = _load("\n".join(line.text for line in page.lines))
    except Faulty:
        return False
    if not isinstance(data, dict):
        return False
    if data.keys() & _OF_ITEM and not data.keys() & {"outcome", "comments", "escalation_reason"}:
        told = ", ".join(str(name) for name in data)
        raise Faulty(
            [f"{told}: this is an item, which the board keeps; a report says how a run ended: outcome: failed"]
        )
    return "outcome" in data or is_status_report(data)


def _begins(line: Line) -> bool:
    return not line.quoted and _BEGINS.fullmatch(line.text.rstrip()) is not None


def _start(lines: list[Line], place: int) -> int:
    """The first line of the block: other keys right above it, and what says which artifact it is about."""
    start = place
    for number in range(place - 1, -1, -1):
        line, words = lines[number], lines[number].text.rstrip()
        if line.fence is not None or line.quoted:
            break
        if _HEAD.fullmatch(words) or (start == number + 1 and _KEY.fullmatch(words)):
            start = number
        elif words or start - number > 2:
            break
    return start


def _end(lines: list[Line], place: int) -> int:
    """Behind its last line: indented, a point of its list, another key, or empty between such lines."""
    end = place + 1
    for number in range(place + 1, len(lines)):
        words = lines[number].text
        if not words.strip():
            continue
        inside = words.startswith((" ", "\t", "- ")) or (words.startswith("#") and not words.startswith("##"))
        if lines[number].fence is not None or not (inside or (number == end and _KEY.fullmatch(words.rstrip()))):
            break
        end = number + 1
    return end


def _read(notes: Notes, lines: list[Line]) -> None:
    text = "\n".join(line.text for line in lines)
    heads = {found.group(1): found.group(2) for line in lines if (found := _HEAD.fullmatch(line.text))}
    data = _load(text)
    listed = data.get("comments") if isinstance(data, dict) else data
    comments = [_comment(one, heads.get("Artifact")) for one in _comments(listed)]
    reason = data.get("escalation_reason") if isinstance(data, dict) else None
    whole = isinstance(data, dict) and ("outcome" in data or is_status_report(data))
    if not comments and reason is None and not whole:
        return
    if has_unstorable(data):
        raise Faulty([UNSTORABLE])
    notes.lines.update(line.number for line in lines)
    if whole:
        said = report_from_object({**data, "comments": comments} if comments else data)
        notes.reports += [(lines[-1].number, said)] if said is not None else []
        return
    notes.comments += canonical_report({"outcome": "done", "comments": comments}).comments
    notes.escalation_reason = str(reason) if reason is not None else notes.escalation_reason
    notes.extra |= {"Metadata": heads["Metadata"]} if "Metadata" in heads else {}


def _load(text: str) -> Any:
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Faulty([f"the comments are no YAML: {' '.join(str(error).split())[:200]}"]) from error


def _comments(listed: Any) -> list[dict[str, Any]]:
    """The list, if each of it is a comment and not something else under the same name."""
    parts = listed if isinstance(listed, list) else [listed] if isinstance(listed, dict) else []
    told = all(isinstance(one, dict) and "content" in one and one.keys() & set(_OF_COMMENT) for one in parts)
    return parts if told else []


def _comment(said: dict[str, Any], artifact: str | None) -> dict[str, Any]:
    found = {name: str(value).strip() for name, value in said.items() if value is not None}
    if artifact and "artifact" not in found:
        found["artifact"] = artifact
    return found
