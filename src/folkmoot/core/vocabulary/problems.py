"""Under which names whoever checks lists what it found, and what each of such a list says. Written once: readers of
reports and of messages use it, so that no list of findings is missed because it stands under another one's name."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, json
from msgspec.structs import astuple, replace

from folkmoot.core.enums import FINDING_KINDS, SEVERITIES, FindingKind, Severity, is_finding_kind, is_severity
from folkmoot.core.report import Finding
from folkmoot.core.vocabulary.lines import (
    LINE,
    NAMES,
    PLACE,
    finding_in,
    is_misspelt,
    named_by,
    number_in,
    places_in,
    severity_of,
    unknown_severity,
    with_range,
)
from folkmoot.core.vocabulary.phrases.mended import mended
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.words import plain

# The last word of a name under which problems are listed, and of which kind they are; None: as the report is.
_NOUNS: dict[str, FindingKind | None] = {
    **dict.fromkeys(("findings", "issues", "problems", "bugs", "defects", "concerns", "errors", "violations")),
    "regressions": None,
    **dict.fromkeys(("vulnerabilities", "vulns", "exploits", "weaknesses"), "security"),
    **dict.fromkeys(("failures",), "test"),
}
# What must be done before the work is good.
_REQUIRED = (
    "must fix",
    *(f"{word} {what}" for word in ("required", "requested", "needed") for what in ("changes", "fixes")),
    *(f"{what} {word}" for word in ("required", "requested", "needed") for what in ("changes", "fixes")),
)
_DEMANDS = ("must_fix", "must_be_fixed", "blocking", "blocker", "required")  # of one problem: true, or yes
_BEHIND = ("found", "list", "details", "detected")  # `issues_found`, `failureList`
_SECURITY = {"security", "vulnerability"}
_TESTS = {"test", "tests", "failing"}
# What was a problem, or is none: it stands beside the report as it was said.
_EARLIER = {"previous", "previously", "earlier", "past", "prior"}  # how it stands now each of it says itself
_OVER = {
    *("fixed", "resolved", "addressed", "closed", "solved", "mended", "handled", "accepted", "ignored", "known", "old"),
    *("false", "no", "not", "without", "zero", "existing", *_EARLIER),
}
# Names under which whoever checks tells what must be done first: `required_changes`, `must_fix`, `conditions`.
_WANTED = {"required", "requested", "needed", "necessary", "must", "blocking", "mandatory"}
_TO_DO = {"change", "changes", "fix", "fixes"}
_SINGLE = ("issue", "problem", "finding")  # what one problem is called, where an object tells of it alone
_WEIGHTS = ("level", "priority", "risk", "impact")  # where no severity is said, a word for one may stand here
_TOLD = {name for names in NAMES.values() for name in names} - {"summary", "details", "path", "where", "lines"}
TEST_NAME_MAX = 200
# A list of tests, each with how it ended: under such a name also where each only has a `name`.
_TESTED = {"test", "tests", "results", "suites", "cases", "checks"}
_TEST_NAMES = ("test", "test_name", "name")
_ENDS = ("status", "result", "outcome", "state")
_RED = {"fail", "failed", "failing", "failure", "error", "errored", "red", "broken"}
_WORD = re.compile(r"[^\W_]+")
_FILES = ("files", *NAMES["file"])
_PLACES = (*_FILES, *NAMES["line"])
# What a finding is unless it says otherwise.
_USUAL = {**dict.fromkeys(_ENDS, (*_RED, "open")), **dict.fromkeys((*_DEMANDS, "fixed", "resolved"), ("false",))}
_DEEP = 3  # objects in objects that are looked into


class Problems(Struct, frozen=True):
    """One list of what was found: under which name, of which kind, and each of it with the severity it stands under."""

    name: str
    kind: FindingKind | None
    parts: list[tuple[Any, Severity | None]]
    within: tuple[str, ...] = ()  # the names of the objects around it


class Told(Struct, frozen=True):
    """What an object says as a finding, what is wrong with it, and which of its names were understood."""

    finding: Finding
    faults: list[str]
    used: set[str]
    weighed: bool = True  # does it say how bad it is, or the name it stands under?


def listed_under(name: str) -> tuple[bool, FindingKind | None, Severity | None]:
    """Are problems listed under this name? And if so of which kind, and how bad, as far as the name says it."""
    words = plain(name).split()
    while len(words) > 1 and words[-1] in _BEHIND:
        words.pop()
    if not words or _OVER & set(words):
        return False, None, None
    if " ".join(words) in _REQUIRED:
        return True, None, "high"
    before = set(words[:-1])
    tests = words[-1] == "tests" and bool(before & {"failed", "failing", "broken", "red"})
    if words[-1] not in _NOUNS and not tests:
        return False, None, None
    kind = "security" if before & _SECURITY else "test" if tests or before & _TESTS else _NOUNS[words[-1]]
    return True, kind, next((word for word in words[:-1] if is_severity(word)), None)


def wants_change(name: str) -> bool:
    """Does the name say that what stands under it must be done before the work is good?"""
    words = set(plain(name).split())
    return words == {"conditions"} or (bool(words & _WANTED) and bool(words & _TO_DO) and not words & _OVER)


def is_over(name: str, now: bool = False) -> bool:
    """Does the name say that what it lists is no problem any more? `now`: that it was found before does not say so."""
    return bool((_OVER - _EARLIER if now else _OVER) & set(plain(name).split()))


def problems_in(
    data: Mapping[str, Any], passed_over: frozenset[str] = frozenset(), deep: int = 0
) -> Iterator[Problems]:
    """Every list of problems among these fields: by its name, or since each of it tells how bad something is."""
    for name, value in data.items():
        if name in passed_over or not isinstance(name, str):
            continue
        named, kind, severity = listed_under(name)
        if named and isinstance(value, list | dict | str) and number_in(value) is None:
            if parts := _parts(value, severity, kind):
                yield Problems(name, kind, parts)
        elif is_over(name):
            continue
        elif tells_severity(value):
            yield Problems(name, None, _parts(value, None))
        elif failing := _failing(name, value):
            yield Problems(name, "test", [(part, None) for part in failing])
        elif isinstance(value, dict) and deep < _DEEP:
            for inner in problems_in(value, deep=deep + 1):
                yield Problems(inner.name, inner.kind, inner.parts, (name, *inner.within))


def problem_itself(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The one problem that an object is about, told in its own fields: `{"issue": "…", "file": "auth.py"}`."""
    told = next((data[name] for name in _SINGLE if isinstance(data.get(name), str)), "")
    if not told.strip() or says_nothing(told) or number_in(told) is not None:
        return None
    known = {name for names in NAMES.values() for name in names} - {"summary", "details"}
    return {name: value for name, value in data.items() if plain(str(name)).replace(" ", "_") in known}


def tells_severity(value: Any) -> bool:
    """A list of objects, or an object of them, that say how bad something is: findings, whatever they are called."""
    if isinstance(value, dict) and _is_finding(value):
        return _weighs(value)
    listed = value if isinstance(value, list) else []
    return bool(listed) and any(isinstance(part, dict) and _weighs(part) for part in listed)


def _failing(name: str, value: Any) -> list[dict[str, Any]]:
    """Of a list of tests, each with how it ended, those that failed."""
    named = _TEST_NAMES if _TESTED & set(plain(name).split()) else _TEST_NAMES[:2]
    found = []
    for part in value if isinstance(value, list) else ():
        told = _folded(part) if isinstance(part, dict) else {}
        ended = (word for end in _ENDS if isinstance(word := told.get(end), str))
        if told.keys() & set(named) and any(plain(word) in _RED for word in ended):
            found.append(part)
    return found


def _weighs(part: dict[str, Any]) -> bool:
    names = _folded(part)
    word = names.get("severity")
    return "exploit" in names or (isinstance(word, str) and len(names) > 1)


def _folded(part: dict[str, Any]) -> dict[str, Any]:
    """By names in small letters with one sign between words; of two that become the same the first counts."""
    found: dict[str, Any] = {}
    for name, value in part.items():
        found.setdefault(plain(str(name)).replace(" ", "_"), value)
    return found


def _is_finding(value: dict[str, Any]) -> bool:
    return bool(_folded(value).keys() & _TOLD)


def _parts(value: Any, severity: Severity | None, kind: str | None = None) -> list[tuple[Any, Severity | None]]:
    """Each of a list, of an object that tells a single one, or of one that has them under names of its own."""
    if isinstance(value, str):
        return [] if says_nothing(value) else [(value, severity)]
    if isinstance(value, list):
        return [(part, severity) for part in value if not (isinstance(part, str) and says_nothing(part))]
    if not value or _is_finding(value):
        return [(value, severity)] if value else []
    found: list[tuple[Any, Severity | None]] = []
    for about, told in value.items():
        weight = severity_of(plain(str(about)).removesuffix(" issues").removesuffix(" severity"))
        for part in told if isinstance(told, list) else [told]:
            if isinstance(part, str):
                if not says_nothing(part):
                    found.append((part if weight else f"{about}: {part}", weight or severity))
            elif weight and isinstance(part, int):
                continue  # how many there are, and nothing of what they are
            elif isinstance(part, dict) and _is_finding(part):
                found.append(
                    (part if weight else named_by(part, {*_folded(part)}, str(about), kind), weight or severity)
                )
            else:
                found.append(({about: part}, severity))
    return found


def finding_told(part: Any, kind: FindingKind, severity: Severity | None = None) -> Told:
    """A finding in words or as an object. An object that tells none, and other values, are faults."""
    if isinstance(part, str):
        found, strange = finding_in(part, kind, severity), unknown_severity(part)
        faults = [unknown_word(strange)] if strange else []
        return Told(failed_test(found) if kind == "test" else found, faults, set())
    if not isinstance(part, dict):
        return Told(Finding(kind=kind), [f"{part!r:.80} is not a finding"], set())
    said = _Said(part)
    over = mended(part)
    said.used |= over.used if over else set()
    file, line, lines = said.place()
    category = said.text(*NAMES["category"])
    word, weight = said.severity(severity)
    exploit = said.text("exploit")
    # What can be exploited is a hole, and so is what is called one.
    own: FindingKind = "security" if exploit or plain(category or "") in _SECURITY else kind
    named = (said.text("kind") or own).strip().lower()
    if is_finding_kind(named):
        own = named
    else:
        said.faults.append(f"kind {named!r:.80} is not one of {', '.join(FINDING_KINDS)}")
    if word not in SEVERITIES and category is None:
        category = word
    elif word not in SEVERITIES:
        said.used.discard(said.names.get("severity", ""))  # the word survives as it was said
    test = said.text(*NAMES["test"])
    test = said.text("name") if test is None and own == "test" else test
    own = "test" if test and own == FINDING_KINDS[0] and "kind" not in said.names else own
    issue = said.text(*NAMES["issue"], "name") or category or exploit or (f"{test} failed" if test else "")
    issue += f" ({', '.join(said.files())})" if len(said.files()) > 1 else ""
    if not said.used:
        said.faults.append(f"{', '.join(map(str, part)) or 'an empty object'!r:.80} tells no finding: {part!r:.80}")
    finding = Finding(
        kind=own,
        severity=weight or "medium",
        issue=with_range(issue, lines),
        file=file,
        line=line,
        recommendation=said.text(*NAMES["recommendation"]),
        test=test,
        exploit=exploit,
        category=category,
        why=said.demand(said.text(*NAMES["why"])),
        fixed=over.words if over else None,
    )
    return Told(said.with_rest(finding), said.faults, said.used, severity is not None or said.weighs)


def failed_test(finding: Finding) -> Finding:
    """One of a list of failures, told in words: what stands before the colon, or all of it, names the test."""
    name = finding.issue.split(": ", 1)[0].strip("`*_. ").removesuffix(" failed").removesuffix(" fails")
    return finding if finding.test or not name else replace(finding, test=name[:TEST_NAME_MAX])


def unknown_word(word: str) -> str:
    return f"severity {word!r:.80} is not one of {', '.join(SEVERITIES)}"


def unknown_severities(payload: Mapping[str, Any]) -> list[str]:
    """What is wrong with how bad the problems in a message are said to be."""
    told = (finding_told(part, "review", weight) for one in problems_in(payload) for part, weight in one.parts)
    return [fault for one in told for fault in one.faults if fault.startswith("severity ")]


def _means_severity(name: str) -> bool:
    """`sevrity`, `severity_level`, `criticality`."""
    words = name.split("_")
    return bool({"severity", "criticality"} & {*words}) or any(is_misspelt(word, "severity") for word in words)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return value.strip() if isinstance(value, str) else json.encode(value).decode() if value is not None else ""


class _Said:
    """The fields of an object by their folded names, and which of its own names were understood."""

    def __init__(self, part: dict[str, Any]) -> None:
        self.part: dict[str, Any] = {}
        for name, value in part.items():  # a place that is an object has its fields as the finding has its own
            placed = isinstance(value, dict) and bool(_folded({name: value}).keys() & {*NAMES["file"]})
            self.part |= value if placed and not value.keys() & part.keys() else {name: value}
        self.names: dict[str, str] = {}
        for name in self.part:
            self.names.setdefault(plain(str(name)).replace(" ", "_"), name)
        self.used: set[str] = set()
        self.faults: list[str] = []
        self.weighs = False

    def get(self, name: str) -> Any:
        return self.part[self.names[name]] if name in self.names else None

    def text(self, *names: str) -> str | None:
        for name in names:
            value, own = self.get(name), self.names.get(name, "")
            if isinstance(value, list) and all(isinstance(one, str) for one in value):
                value = "; ".join(value)
            if own in self.used or isinstance(value, bool) or not isinstance(value, str | int | float):
                continue
            if value == "":
                continue
            self.used.add(own)
            return str(value)
        return None

    def severity(self, default: Severity | None) -> tuple[str, Severity | None]:
        """The word, and what it means; a word that nobody knows is a fault and means nothing."""
        told = self.text(*NAMES["severity"], *filter(_means_severity, self.names))
        if told is None:
            for name in _WEIGHTS:
                value = self.get(name)
                if isinstance(value, str) and severity_of(value):
                    told = self.text(name)
                    break
        self.weighs = told is not None
        word = (told or default or "medium").strip().lower()
        weight = severity_of(word)
        if weight is None:
            self.faults.append(unknown_word(word))
        return word, weight

    def demand(self, why: str | None) -> str | None:
        """Why it matters; also where it is only said that it must be fixed."""
        told = [name for name in _DEMANDS if str(self.get(name)).strip().lower() in ("true", "yes")]
        self.used |= {self.names[name] for name in told}
        return "; ".join(part for part in (why, "must fix") if part) if told else why

    def with_rest(self, finding: Finding) -> Finding:
        """The finding with what it says under names that have no field, each with its name: whoever acts on it reads
        the finding, and not the report."""
        fields = [value for value in astuple(finding) if isinstance(value, str)]
        known = set(_WORD.findall(f"{' '.join(fields)} {finding.line}"))
        told = [finding.why] if finding.why else []
        for folded, name in self.names.items():
            words = "" if name in self.used else _text(self.part[name])
            again = words in fields or (folded in _PLACES and known.issuperset(_WORD.findall(words)))
            usual = plain(words) in _USUAL.get(folded, ())
            if not (again or usual or says_nothing(words)):
                told.append(f"{name}: {words}")
        return replace(finding, why="; ".join(told) or None)

    def files(self) -> list[str]:
        """Where several are named for one problem."""
        told = next((v for kind in (list, str) for name in _FILES if isinstance(v := self.get(name), kind)), [])
        return [one for one in (places_in(told) if isinstance(told, str) else told) if isinstance(one, str) and one]

    def place(self) -> tuple[str | None, int | None, str]:
        """A file and a line, whether apart or written `file:line`, and more lines as they were said."""
        name = next((one for one in NAMES["file"] if isinstance(self.get(one), str)), "")
        file, line, lines = (self.text(name) if name else None) or next(iter(self.files()), None), None, ""
        key = next((one for one in NAMES["line"] if self.get(one) is not None), "")
        told = self.get(key) if key else None
        if told is not None:
            digits = LINE.fullmatch(str(told).strip()) if not isinstance(told, bool) else None
            if digits is not None:
                line = int(digits.group(1))
                if digits.group(2):
                    lines = str(told).strip()
                else:
                    self.used.add(self.names[key])
            elif isinstance(told, str):
                lines = told.strip()
            else:
                self.faults.append(f"line: {told!r:.80} is no line")
        place = PLACE.fullmatch(places_in(file)[0]) if file is not None and line is None else None
        if place is None:
            return file, line, lines
        if place.group(3):
            self.used.discard(self.names.get(name, ""))
        more = f"{place.group(2)}{place.group(3)}" if "-" in place.group(3) else ""
        return place.group(1), int(place.group(2)), more
