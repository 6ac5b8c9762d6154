"""Taking the fields of a JSON dialect one by one, so that what nobody took survives under its own name."""

from typing import Any

from msgspec import json, to_builtins

from folkmoot.core.enums import SEVERITIES, FindingKind, Outcome
from folkmoot.core.input_limits import has_unstorable
from folkmoot.core.report import Choice, Finding, Report
from folkmoot.core.vocabulary.lines import number_in
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.problems import Problems, finding_told, listed_under, problems_in
from folkmoot.core.vocabulary.ways import AN_OPTION, options_told
from folkmoot.core.vocabulary.words import meaning_of
from folkmoot.reports.canonical import FIELDS, UNSTORABLE, Faulty, canonical_report, shown, unknown_cause
from folkmoot.reports.loose.options import options_in

_ELSEWHERE = frozenset(FIELDS) - {"findings", "tests"}  # fields that have a reading of their own


class Taken:
    """The fields of one object, which of them were understood, and what was wrong."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.used: set[str] = set()
        self.read: set[str] = set()  # whose problems were taken, also where more than that stands there
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

    def words(self, *names: str) -> list[str]:
        """All words of these fields, also where they stand in objects: then each with its name, unless it says
        nothing."""
        found: list[str] = []
        for name in names:
            value = self.data.get(name)
            parts = value if isinstance(value, list) else [value]
            told = [_told(part) for part in parts] if any(isinstance(part, dict) for part in parts) else [None]
            if any(part is None for part in told):
                found += self.texts(name)
                continue
            listed = [part or [] for part in told]
            found += listed[0] if isinstance(value, dict) else ["; ".join(part) for part in listed if part]
            self.used.add(name)
        return found

    def whole(self, *names: str) -> str | None:
        """The first of these fields that says something, in words whatever it holds: a person is to read it."""
        for name in names:
            value = self.data.get(name)
            told = self.text(name) or "\n".join(self.words(name))
            if not told and isinstance(value, list | dict) and value:
                self.used.add(name)
                told = json.encode(value).decode()
            if told.strip():
                return told
        return None

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
        if not isinstance(value, list | dict):
            self.faults.append(f"{name}: {shown(value)} is not a list")
            return []
        told = options_told(
            [str(one) if isinstance(one, bool) else one for one in value] if isinstance(value, list) else value
        )
        self.faults += [f"{name}: {shown(one)} is not an option; {AN_OPTION}" for one, option in told if option is None]
        return [Choice(option=option[0], why_insufficient=option[1]) for _, option in told if option is not None]

    def problems(self, kind: FindingKind, words: bool = True) -> list[Finding]:
        """What was found, under whichever names it is listed; `words`: also where it is told in plain words."""
        found: list[Finding] = []
        for listed in problems_in(self.data, _ELSEWHERE.union(self.used, self.read)):
            outer = listed.within[0] if listed.within else listed.name
            value = self.data[outer]
            if isinstance(value, str) and not words and outer == "findings":
                continue  # what somebody found out need be no problem
            if isinstance(value, str) and len(value.split()) < 2:
                self.faults += [f"{outer}: {shown(value)} is not a list"] if words else []
                continue
            if listed.within and all(isinstance(part, str) for part, _ in listed.parts):
                continue  # words within something else may be about anything
            self.read.add(outer)
            whole = self._read(listed, kind, found)
            if whole and not listed.within:
                self.used.add(listed.name)
        for name, value in self.data.items():
            if listed_under(name)[0] and _is_empty(value):
                self.used.add(name)
        return found

    def _read(self, listed: Problems, kind: FindingKind, found: list[Finding]) -> bool:
        """Was all of this list understood?"""
        whole = True
        for part, severity in listed.parts:
            told = finding_told(part, listed.kind or kind, severity)
            found.append(told.finding)
            self.faults += [f"{listed.name}: {fault}" for fault in told.faults]
            if kind == "security" and told.finding.kind != "test" and not told.weighed:
                # What is critical goes to a person, and the rest does not: how bad a hole is must not be guessed.
                words = f"{shown(told.finding.issue)} has no severity, one of {', '.join(SEVERITIES)}"
                self.faults.append(f"{listed.name}: {words}")
            whole = whole and not (isinstance(part, dict) and part.keys() - told.used)
        return whole


def _told(part: Any) -> list[str] | None:
    """The words of one object, or of a text in a list with objects; None if it holds more than words."""
    if isinstance(part, str):
        return [part]
    if not isinstance(part, dict):
        return None
    found: list[str] = []
    for name, value in part.items():
        texts = value if isinstance(value, list) else [value]
        if not all(isinstance(text, str) for text in texts):
            return None
        found += [f"{name}: {text}" for text in texts if text.strip() and not says_nothing(text)]
    return found


def _is_empty(value: Any) -> bool:
    return value in ([], {}) or (isinstance(value, str) and says_nothing(value) and number_in(value) is None)


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


def _take_question(said: Taken) -> None:
    """Options and words that stand beside a question, and not in it, are its own."""
    asked = said.data.get("question")
    asked = {"question": asked} if isinstance(asked, str) and asked.strip() else asked
    if not isinstance(asked, dict):
        return
    beside: dict[str, Any] = {}
    if "options" not in asked and said.has("options"):
        beside["options"] = to_builtins(said.options())
    for name in ("context", "default"):
        if name not in asked and isinstance(said.data.get(name), str):
            beside[name] = said.text(name)
    said.data = {**said.data, "question": {**asked, **beside}}


def finish(outcome: Outcome, said: Taken, extra: dict[str, Any] | None = None, **parts: Any) -> Report:
    """The report: what was understood, the fields it shares with the canonical form, and the rest as it was said."""
    if has_unstorable(said.data) or has_unstorable(extra or {}):
        raise Faulty([UNSTORABLE])
    more = said.problems("review", words=False)
    if more:
        parts["findings"] = [*(parts.get("findings") or []), *more]
    if "question" not in parts:
        _take_question(said)
    faults = list(said.faults)
    faults += _take_cause(said, parts)
    for name, value in said.left().items():
        if name not in FIELDS or name in ("outcome", "extra", "cause") or name in parts:
            continue
        try:
            parts[name] = getattr(canonical_report({"outcome": outcome, name: value}), name)
        except Faulty as fault:
            # Another meaning of the same name: it survives as it stands. Attempts that may count are asked back.
            counts = name == "attempts" and outcome in ("failed", "stuck", "incomplete")
            faults += fault.faults if counts and isinstance(value, list | dict) else []
            continue
        said.used.add(name)
    if faults:
        raise Faulty(faults)
    kept = {**(extra or {}), **said.left()}
    return Report(outcome=outcome, extra=kept, **{name: value for name, value in parts.items() if value is not None})
