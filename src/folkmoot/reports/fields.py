"""Taking the fields of a JSON dialect one by one, so that what nobody took survives under its own name."""

from typing import Any

from folkmoot.core.report import KINDS, SEVERITIES, Choice, Finding, Report
from folkmoot.core.text import has_unstorable
from folkmoot.core.vocabulary.lines import LINE, PLACE, finding_in, severity_of, with_range
from folkmoot.core.vocabulary.words import meaning_of
from folkmoot.reports.canonical import FIELDS, UNSTORABLE, Faulty, canonical_report, shown, unknown_cause
from folkmoot.reports.loose.options import options_in

# What only a single finding has; an object without any of it lists several under their names.
_OF_FINDING = {
    *("severity", "issue", "error", "description", "message", "title", "file", "location", "line", "kind", "category"),
    *("type", "exploit", "recommendation", "fix", "likely_fix", "suggestion", "test"),
}


class Taken:
    """The fields of one object, which of them were understood, and what was wrong."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.used: set[str] = set()
        self.faults: list[str] = []

    def has(self, *names: str) -> bool:
        return any(name in self.data for name in names)

    def text(self, *names: str) -> str | None:
        """The first of these fields that holds words; a number is words too."""
        for name in names:
            value = self.data.get(name)
            if name in self.used or isinstance(value, bool) or not isinstance(value, str | int | float):
                continue
            self.used.add(name)
            return str(value)
        return None

    def texts(self, *names: str) -> list[str]:
        """All words of these fields: one text or a list of them each."""
        found: list[str] = []
        for name in names:
            value = self.data.get(name)
            if isinstance(value, str):
                found += [value] if value.strip() else []
                self.used.add(name)
            elif isinstance(value, list) and all(isinstance(part, str) for part in value):
                found += value
                self.used.add(name)
        return found

    def word(self, name: str) -> str | None:
        """A field that holds one of a few words. It stays among what survives: it may say more than our word for it."""
        value = self.data.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            self.faults.append(f"{name}: {shown(value)} is not a word")
            return None
        return value.strip().lower().replace(" ", "_").replace("-", "_")

    def left(self) -> dict[str, Any]:
        return {name: value for name, value in self.data.items() if name not in self.used}

    def options(self, name: str = "options") -> list[Choice]:
        value = self.data.get(name)
        if value is None:
            return []
        self.used.add(name)
        if isinstance(value, str) and value.strip():
            return options_in(value)
        if not isinstance(value, list):
            self.faults.append(f"{name}: {shown(value)} is not a list")
            return []
        found = []
        for part in value:
            if isinstance(part, dict) and isinstance(part.get("option"), str):
                why = part.get("why_insufficient")
                found.append(Choice(option=part["option"], why_insufficient=why if isinstance(why, str) else None))
                if part.keys() - {"option", "why_insufficient"}:
                    self.used.discard(name)  # it says more than we have a place for
            elif isinstance(part, str | int | float):
                found.append(Choice(option=str(part)))
            else:
                self.faults.append(f"{name}: {shown(part)} is not an option")
        return found

    def findings(self, name: str, kind: str) -> list[Finding]:
        value = self.data.get(name)
        if value is None:
            return []
        if isinstance(value, dict):
            value = self._listed(name, value)
        if not isinstance(value, list):
            self.faults.append(f"{name}: {shown(value)} is not a list")
            return []
        self.used.add(name)
        found = []
        for part in value:
            if isinstance(part, str):
                found.append(finding_in(part, kind))
            elif isinstance(part, dict):
                inner = Taken(part)
                found.append(_finding(inner, kind))
                self.faults += [f"{name}: {fault}" for fault in inner.faults]
                if inner.left():
                    self.used.discard(name)
            else:
                self.faults.append(f"{name}: {shown(part)} is not a finding")
        return found

    def _listed(self, name: str, value: dict[str, Any]) -> list[Any]:
        """A single one, or several under the names of their files, their tests or whatever they are about."""
        if value.keys() & _OF_FINDING or not value:
            return [value]
        found: list[Any] = []
        for about, told in value.items():
            for part in told if isinstance(told, list) else [told]:
                if isinstance(part, str):
                    found.append(f"{about}: {part}")
                elif isinstance(part, dict) and part.keys() & _OF_FINDING:
                    place = {} if "file" in part or "location" in part else {"file": about}
                    found.append({**part, **place})
                else:
                    self.faults.append(f"{name}: {shown(about)} tells no finding: {shown(part)}")
        return found


def _finding(said: Taken, kind: str) -> Finding:
    file, line, lines = _place(said)
    word = (said.text("severity") or "medium").strip().lower()
    severity = severity_of(word)
    if severity is None:
        said.faults.append(f"severity {shown(word)} is not one of {', '.join(SEVERITIES)}")
    own_kind = (said.text("kind") or kind).strip().lower()
    if own_kind not in KINDS:
        said.faults.append(f"kind {shown(own_kind)} is not one of {', '.join(KINDS)}")
    category = said.text("category", "type")
    if word not in SEVERITIES and category is None:
        category = word
    elif word not in SEVERITIES:
        said.used.discard("severity")  # the word survives as it was said
    exploit = said.text("exploit")
    issue = said.text("issue", "error", "description", "message", "title") or category or exploit or ""
    return Finding(
        kind=own_kind,
        severity=severity or word,
        issue=with_range(issue, lines),
        file=file,
        line=line,
        recommendation=said.text("recommendation", "fix", "likely_fix", "suggestion"),
        test=said.text("test"),
        exploit=exploit,
        category=category,
    )


def _place(said: Taken) -> tuple[str | None, int | None, str]:
    """A file and a line, whether apart or written `file:line`, and more lines as they were said."""
    name = "file" if isinstance(said.data.get("file"), str) else "location"
    file = said.text(name)
    line: int | None = None
    lines = ""
    told = said.data.get("line")
    if told is not None:
        digits = LINE.fullmatch(str(told).strip()) if not isinstance(told, bool) else None
        if digits is not None:
            line = int(digits.group(1))
            if digits.group(2):
                lines = str(told).strip()
            else:
                said.used.add("line")
        elif not isinstance(told, str):
            said.faults.append(f"line: {shown(told)} is no line")
    place = PLACE.fullmatch(file) if file is not None and line is None else None
    if place is not None:
        if place.group(3):
            said.used.discard(name)
        return place.group(1), int(place.group(2)), f"{place.group(2)}{place.group(3)}" if "-" in place.group(3) else ""
    return file, line, lines


def _take_cause(said: Taken, parts: dict[str, Any]) -> list[str]:
    """The cause in the documents' words or ours; one that nobody knows is a fault. As it was said it survives."""
    word = said.data.get("cause")
    if word is None or parts.get("cause"):
        return []
    meaning = meaning_of(word) if isinstance(word, str) else None
    if meaning is None:
        return [unknown_cause(word)]
    if word == meaning.cause:
        said.used.add("cause")
    if meaning.cause:
        parts["cause"] = meaning.cause
    elif not said.has("escalation_reason"):
        parts["escalation_reason"] = meaning.reason
    return []


def finish(outcome: str, said: Taken, extra: dict[str, Any] | None = None, **parts: Any) -> Report:
    """The report: what was understood, the fields it shares with the canonical form, and the rest as it was said."""
    if has_unstorable(said.data) or has_unstorable(extra or {}):
        raise Faulty([UNSTORABLE])
    faults = list(said.faults)
    faults += _take_cause(said, parts)
    for name, value in said.left().items():
        if name not in FIELDS or name in ("outcome", "extra", "cause") or name in parts:
            continue
        try:
            parts[name] = getattr(canonical_report({"outcome": outcome, name: value}), name)
        except Faulty:
            continue  # another meaning of the same name: it survives as it stands
        said.used.add(name)
    if faults:
        raise Faulty(faults)
    kept = {**(extra or {}), **said.left()}
    return Report(outcome=outcome, extra=kept, **{name: value for name, value in parts.items() if value is not None})
