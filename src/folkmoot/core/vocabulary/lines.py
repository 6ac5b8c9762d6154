"""What one line says, in whichever dialect it stands: a finding with its severity and place, or a count of tests."""

import itertools
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
# Pictures and signs before the words: `🔴 Critical: …`, `[x] High: …`.
_ADORNED = re.compile(r"\A(?:\[[ xX]\]|[^\w\s\[(]|\s){1,12}")
# Between the place and the words, or at the end: `a.go:42 - High - no check`, `no check: high`.
_SEVERITY_APART = re.compile(
    r"(?:\s[-–—|]\s{1,3}|:\s{1,3})(critical|high|medium|low)(?: severity| priority)?\s{0,3}(?:\s[-–—|]\s|:\s|[.!]?\Z)",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"(?: severity| priority)?\s{0,3}[\[(]([^\[\]()]{1,300})[\])]\s{0,3}")
_TOKEN = re.compile(r"\S+")
_AROUND = "`(),;:[]"
_SIGNS = ":])–—-, "
_LINE_BEHIND = re.compile(r"[\s,;:]{0,3}(?:\(|at |on |#)?\s?(?:lines? |L)(\d{1,9})\b", re.IGNORECASE)
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
_LINES_IN = re.compile(r"(?::|#L)\d{1,9}(?:\s{0,2}[-–:]\s{0,2}L?\d{1,9}){0,2}$")
_ALL_BELOW = re.compile(r"/(?:\*\*/\*|\*\*|\*)$")


def as_path(word: str) -> str:
    """A path as it is meant: without the marks around it, and without the lines in it that are meant. `src/auth/**` is
    all that lies in a folder, and so the folder."""
    bare = _BESIDE.sub("", word).strip().strip("`'\"").strip()
    lines = _LINES_IN.search(bare)
    bare = bare[: lines.start()] if lines and lines.start() else bare
    return _ALL_BELOW.sub("/", bare)


def paths_in(words: list[str]) -> list[str]:
    """The paths that are named: one text may name several, and say of each in brackets what becomes of it."""
    found = []
    for one in words:
        parts = [as_path(part) for part in _BETWEEN.split(one)]
        found += parts if all(ONE_PATH.fullmatch(part) for part in parts) else [as_path(one)]
    return [path for path in found if path]


def severity_of(word: str) -> str | None:
    """How bad, in one of the board's words; None if nobody knows the word."""
    plain = word.strip().lower()
    return plain if plain in SEVERITIES else SEVERITY_WORDS.get(plain)


def with_range(issue: str, lines: str) -> str:
    """The words with the lines they are about, where these are more than the one that has a field."""
    bare = lines.lower().removeprefix("lines").removeprefix("line").strip(" l")
    return issue if not bare or bare in issue else f"{issue} (lines {bare})".strip()


def finding_in(point: str, kind: str = "review", severity: str | None = None) -> Finding:
    """`High: handlers/feature.go:42: Missing check`, in any order and with any markup. `severity` is the one of the
    list that it stands in: what the words say themselves goes first."""
    label = _SEVERITY_LABEL.sub("", _ADORNED.sub("", point.replace("*", "").replace("`", "").strip()))
    head = label[:60].lower().lstrip("[( ")
    found = _SEVERITY.match(label)
    said = found.group(1).lower() if found else None
    rest = label
    if found is not None:
        head, rest = _behind(label[found.end() :], label)
    else:
        head = head.split(":")[0] if ":" in head else ""
    file, line = place_in(rest)
    told = (_SEVERITY_TOLD.search(label) or _SEVERITY_APART.search(label)) if said is None else None
    other = _OTHER_SEVERITY.match(rest) if said is None and told is None else None
    said = said or (told.group(1).lower() if told else severity_of(other.group(1)) if other else None)
    category = other.group(1).lower() if other else None
    rest = rest[other.end() :] if other else rest
    kind = "security" if "security" in head else "test" if head.strip() == "test" else kind
    return Finding(
        kind=kind, severity=said or severity or "medium", issue=rest, file=file, line=line, category=category
    )


def says_severity(point: str) -> bool:
    """Do the words themselves say how bad it is?"""
    return finding_in(point, severity=SEVERITIES[0]).severity == finding_in(point, severity=SEVERITIES[-1]).severity


def _behind(behind: str, label: str) -> tuple[str, str]:
    """What stands between a severity and the words about it (`security`, `severity`), and those words. A place there
    belongs to the words: `High (a.go:42): no check` says where."""
    bracket = _BRACKET.match(behind)
    if bracket is not None:
        inner, words = bracket.group(1), behind[bracket.end() :].lstrip(_SIGNS)
        if place_in(inner)[0] is not None:
            return "", f"{inner}: {words}"
        return inner.lower(), words
    cut = min((place for place in (behind.find(sign) for sign in ":])–—-") if place >= 0), default=-1)
    place = next((one for one in _TOKEN.finditer(behind[:80]) if PATH.fullmatch(one.group().strip(_AROUND))), None)
    if place is not None and (place.start() < cut or cut < 0):
        return "", behind.lstrip(_SIGNS)
    return (behind[:cut].lower(), behind[cut:].lstrip(_SIGNS)) if 0 <= cut <= 40 else ("", label)


def place_in(words: str) -> tuple[str | None, int | None]:
    """The first file with a line in these words, or the first file."""
    file, at = None, 0
    for token in itertools.islice(_TOKEN.finditer(words), 40):
        bare = token.group().strip(_AROUND)
        place = PATH.fullmatch(bare)
        if place is not None and place.group(1):
            return bare[: place.start(1) - 1], int(place.group(1))
        if place is not None and file is None and not bare.replace(".", "").isdigit():
            file, at = bare, token.end()
    line = _LINE_BEHIND.match(words, at) if file is not None else None
    return file, int(line.group(1)) if line else None


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


def nth_time(number: int) -> str:
    """How often something has happened, behind a sentence that tells of it; of the first time it says nothing."""
    if number < 2:
        return ""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f" for the {number}{ending} time"
