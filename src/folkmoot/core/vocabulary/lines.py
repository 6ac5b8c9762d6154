"""What one line says, in whichever dialect it stands: a finding with its severity and place, or a count of tests."""

import re
from typing import Any

from folkmoot.core.report import SEVERITIES, Finding, Tests

PATH = re.compile(r"[\w@.+/\\-]{0,300}[\w+-](?:\.\w{1,12}|/)(?::(\d{1,9})(?:-\d{1,9})?(?::\d{1,9})?)?", re.ASCII)
_SEVERITY = re.compile(r"[\[( ]{0,3}(critical|high|medium|low)\b(?!-(?!severity|priority|risk)\w)", re.IGNORECASE)
_SEVERITY_LABEL = re.compile(
    r"\A[\[(]?severity[\])]?\s{0,3}[:=]\s{0,3}(?=[\[(]?(?:critical|high|medium|low)\b)", re.IGNORECASE
)
# Behind the words: `(High)`, `[critical severity]`, `severity: low`.
_SEVERITY_TOLD = re.compile(
    r"[\[(](?:severity\s{0,3}[:=]\s{0,3})?(critical|high|medium|low)(?: severity| priority)?[\])]", re.IGNORECASE
)
# `Blocker: …` and `[minor] …`; the same words in a sentence say nothing about it.
_OTHER_SEVERITY = re.compile(
    r"(?:\[|\()?(blocker|blocking|severe|major|serious|moderate|minor|informational|info|trivial|nit|cosmetic)"
    r"(?:\]|\))?\s{0,3}(?::|(?<=[\])])|[–—])\s{0,3}",
    re.IGNORECASE,
)
_OF = r"\b(\d{1,7})\s{0,3}(?:/|of|out of)\s{0,3}(?:the )?(\d{1,7})(?: \w{1,20})?(?: tests?| cases?)?(?: have| were)?"
_COUNT = re.compile(_OF + r" (pass|fail)")
_PASSED_FAILED = re.compile(r"\b(\d{1,7})(?: tests?)? pass\w{0,3}[,;/]?(?: and| but)? {0,2}(\d{1,7})(?: tests?)? fail")
_FAILED_PASSED = re.compile(r"\b(\d{1,7})(?: tests?)? fail\w{0,3}[,;/]?(?: and| but)? {0,2}(\d{1,7})(?: tests?)? pass")
_ONLY_FAILED = re.compile(r"\s{0,3}(\d{1,7})(?: tests?)? fail(?:ed|ures?|ing)?[.!]?\s{0,3}")
# Other words for how bad a finding is, as trackers and linters have them.
SEVERITY_WORDS = {
    **dict.fromkeys(("blocker", "blocking", "severe", "fatal"), "critical"),
    **dict.fromkeys(("major", "error", "serious", "important"), "high"),
    **dict.fromkeys(("moderate", "normal", "warning", "warn"), "medium"),
    **dict.fromkeys(("minor", "info", "informational", "trivial", "nit", "note", "cosmetic", "suggestion"), "low"),
}
LINE = re.compile(r"(?:lines?\s{0,3}|L)?(\d{1,9})(\s{0,3}[-–,].{1,40})?", re.IGNORECASE | re.ASCII)  # `L42`, `42-45`
PLACE = re.compile(r"(.{1,1000}?):(\d{1,9})((?:-\d{1,9})?(?::\d{1,9})?)", re.DOTALL)

# Several paths in one text: only where each has an ending or is a folder, so that a name with a comma stays whole.
_BETWEEN = re.compile(r"\s{0,3}[,;]\s{0,3}|\s{1,3}and\s{1,3}")
ONE_PATH = re.compile(r"[^\s,;]{0,300}(?:\.\w{1,10}|/)")
_BESIDE = re.compile(
    r"\s{1,3}\((?:new|modif|creat|updat|delet|edit|exist|test|shared)[^()]{0,60}\)\s{0,3}$", re.IGNORECASE
)


def paths_in(words: list[str]) -> list[str]:
    """The paths that are named: one text may name several, and say of each in brackets what becomes of it."""
    found = []
    for one in words:
        parts = [_BESIDE.sub("", part).strip() for part in _BETWEEN.split(one)]
        found += parts if all(ONE_PATH.fullmatch(part) for part in parts) else [_BESIDE.sub("", one).strip()]
    return [path for path in found if path]


def severity_of(word: str) -> str | None:
    """How bad, in one of the board's words; None if nobody knows the word."""
    plain = word.strip().lower()
    return plain if plain in SEVERITIES else SEVERITY_WORDS.get(plain)


def with_range(issue: str, lines: str) -> str:
    """The words with the lines they are about, where these are more than the one that has a field."""
    bare = lines.lower().removeprefix("lines").removeprefix("line").strip(" l")
    return issue if not bare or bare in issue else f"{issue} (lines {bare})".strip()


def finding_in(point: str, kind: str = "review") -> Finding:
    """`High: handlers/feature.go:42: Missing check`, in any order and with any markup."""
    label = _SEVERITY_LABEL.sub("", point.replace("*", "").replace("`", "").strip())
    head = label[:60].lower().lstrip("[( ")
    found = _SEVERITY.match(label)
    severity = found.group(1).lower() if found else None
    rest = label
    if found is not None:
        behind = label[found.end() :]
        cut = min((place for place in (behind.find(sign) for sign in ":])–—-") if place >= 0), default=-1)
        if 0 <= cut <= 40:
            head, rest = behind[:cut].lower(), behind[cut:].lstrip(":])–—- ")
    else:
        head = head.split(":")[0] if ":" in head else ""
    file, line = _place(rest)
    told = _SEVERITY_TOLD.search(label) if severity is None else None
    other = _OTHER_SEVERITY.match(rest) if severity is None and told is None else None
    severity = severity or (told.group(1).lower() if told else severity_of(other.group(1)) if other else None)
    category = other.group(1).lower() if other else None
    rest = rest[other.end() :] if other else rest
    severity = severity or "medium"
    kind = "security" if "security" in head else "test" if head.strip() == "test" else kind
    return Finding(kind=kind, severity=severity, issue=rest, file=file, line=line, category=category)


def _place(words: str) -> tuple[str | None, int | None]:
    """The first file with a line in these words, or the first file."""
    file = None
    for word in words.split(None, 40)[:40]:
        bare = word.strip("`(),;:[]")
        place = PATH.fullmatch(bare)
        if place is not None and place.group(1):
            return bare[: place.start(1) - 1], int(place.group(1))
        if place is not None and file is None:
            file = bare
    return file, None


def counted(words: str) -> Tests | None:
    """What the words count: `8/10 passed`, `2 of 10 tests failed`, or `8 passed, 2 failed`. Of the same tests the last
    count holds, since they were run again; others are added."""
    words = words.lower()
    counts: dict[int, int] = {}
    for found in _COUNT.finditer(words):
        some, total = int(found.group(1)), int(found.group(2))
        counts[total] = some if found.group(3) == "pass" else total - some
    if not counts:
        counts = {int(a) + int(b): int(a) for a, b in _PASSED_FAILED.findall(words)}
    if not counts:
        counts = {int(a) + int(b): int(b) for a, b in _FAILED_PASSED.findall(words)}
    alone = _ONLY_FAILED.fullmatch(words) if not counts else None
    if alone:
        counts = {int(alone.group(1)): 0}
    if not counts or any(not 0 <= passed <= total for total, passed in counts.items()):
        return None
    total, passed = sum(counts), sum(counts.values())
    return Tests(total=total, passed=passed, failed=total - passed)


def number_in(value: Any) -> int | None:
    """A whole number, however it is written; None if it is something else."""
    digits = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None
