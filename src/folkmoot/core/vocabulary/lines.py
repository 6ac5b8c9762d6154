"""What one line says, in whichever dialect it stands: a finding with its severity and place."""

import itertools
import re
from typing import Any

from folkmoot.core.enums import SEVERITIES, FindingKind, Severity, is_severity
from folkmoot.core.report import Finding
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.mended import mended_in, says_mended
from folkmoot.core.vocabulary.phrases.reds import failed_test_named
from folkmoot.core.vocabulary.phrases.tallies import NUMERALS

PATH = pattern(r"[\w@.+/\\-]{0,300}[\w+-](?:\.\w{1,12}|/)(?::(\d{1,9})(?:-\d{1,9})?(?::\d{1,9})?)?", re.ASCII)
_SEVERITY = pattern(r"[\[( ]{0,3}(critical|high|medium|low)\b(?!-(?!severity|priority|risk)\w)", re.IGNORECASE)
_SEVERITY_LABEL = pattern(
    r"\A[\[(]?sev(?:erity)?[\])]?\s{0,3}[:=]\s{0,3}(?=[\[(]?(?:critical|high|medium|low)\b)", re.IGNORECASE
)
# Behind the words: `(High)`, `[critical severity]`, `severity: low`.
_SEVERITY_TOLD = pattern(
    r"[\[(](?:severity\s{0,3}[:=]\s{0,3})?(critical|high|medium|low)(?: severity| priority)?[\])]", re.IGNORECASE
)
# `Blocker: …` and `[minor] …`; the same words in a sentence say nothing about it.
_OTHER_SEVERITY = pattern(
    r"(?:\[|\()?(blocker|blocking|severe|major|serious|urgent|moderate|minor|informational|info|trivial|nit|cosmetic|crit"
    r"|show[- ]?stopper|(?:sev(?:erity)?|p|prio(?:rity)?)[ -]?\d{1,2})"
    r"(?:\]|\))?\s{0,3}(?::|(?<=[\])])|[–—]|-\s)\s{0,3}",
    re.IGNORECASE,
)
# `Crtical: …`, `Very high: …`: before its colon a line has words that are close to a grave severity, and none.
_LABEL = pattern(r"[\[(]?([a-z][a-z -]{2,30})[\])]?\s{0,3}:\s", re.IGNORECASE)
_GRAVE = ("critical", "high")
# What each field of a finding is called, the nearest name first.
NAMES: dict[str, tuple[str, ...]] = {
    "severity": ("severity", "sev"),
    "issue": ("issue", "error", "description", "message", "title", "problem", "finding", "details", "summary"),
    "file": ("file", "location", "path", "where", "filename", "file_path"),
    "line": ("line", "line_number", "lineno", "lines"),
    "recommendation": (
        *("recommendation", "fix", "likely_fix", "suggestion", "suggested_fix", "remediation", "solution"),
        *("recommended_fix", "proposed_fix", "mitigation"),
    ),
    "test": ("test", "test_name"),
    "exploit": ("exploit",),
    "why": ("why", "rationale", "impact", "why_it_matters", "consequence", "because"),
    "category": ("category", "type", "rule"),
    "kind": ("kind",),
}
_MORE_OR_LESS = {
    *("very", "quite", "rather", "fairly", "pretty", "extremely", "super", "potentially", "possibly", "probably"),
    *("likely", "maybe", "medium", "moderate", "mid", "low", "to", "or"),
}
# Pictures and signs before the words: `🔴 Critical: …`, `[x] High: …`.
# A number sign before a number names something.
_ADORNED = pattern(r"\A(?:\[[ xX]\]|(?!#\d)[^\w\s\[(]|\s){1,12}")
# Between the place and the words, or at the end: `a.go:42 - High - no check`, `no check: high`.
_SEVERITY_APART = pattern(
    r"(?:\s[-–—|]\s{1,3}|:\s{1,3})(critical|high|medium|low)(?: severity| priority)?\s{0,3}(?:\s[-–—|]\s|:\s|[.!]?\Z)",
    re.IGNORECASE,
)
_BRACKET = pattern(r"(?: severity| priority)?\s{0,3}[\[(]([^\[\]()]{1,300})[\])]\s{0,3}")
_PARTS = pattern(r"[,;|/()\[\]]")
_ONLY_KIND = pattern(
    r"(?:\s|severity|priority|risk|level|impact|issues?|findings?|problems?|bugs?|vulnerabilit(?:y|ies)|security|tests?"
    r"|review|quality|code|a|an|the)*",
    re.IGNORECASE,
)
# Marks of markdown. A sign that marks nothing is none of them: `2 * n`, `src/**/*.go`, `(*T).String`.
_CODE = pattern(r"(?<!`)(`{1,2})(?!`)([^\n]{1,2000}?)(?<!`)\1(?!`)")
_HIDDEN = pattern(r"\x00(\d{1,6})\x00")
_EMPHASIS = pattern(r"(?<![\w*])(\*{1,3})(?=[^\s*./)])([^*]{1,2000}?)(?<=[^\s*])\1(?![\w*])")
_HALF_A_MARK = pattern(r"\A\*{2,3}(?=\S)|(?<=[^\s*/])\*{2,3}(?=:|\Z)|(?<!`)`(?!`)")
_TOKEN = pattern(r"\S+")
_SPACE = pattern(r"\s")
_AROUND = "`(),;:[]"
_SIGNS = ":])–—-, "
_LINE_BEHIND = pattern(r"[\s,;:]{0,3}(?:\(|at |on |#)?\s?(?:lines? |L)(\d{1,9})\b", re.IGNORECASE)
# Other words for how bad a finding is, as trackers and linters have them.
SEVERITY_WORDS: dict[str, Severity] = {
    **dict.fromkeys(("blocker", "blocking", "severe", "fatal", "crit", "showstopper", "show stopper"), "critical"),
    **dict.fromkeys(("major", "error", "serious", "important", "urgent"), "high"),
    **dict.fromkeys(("moderate", "normal", "warning", "warn", "med"), "medium"),
    **dict.fromkeys(("minor", "info", "informational", "trivial", "nit", "note", "cosmetic", "suggestion"), "low"),
}
# `P0` and `Sev 1` are the gravest of their scales; a ball has the colour that such lists give it.
_SCALE = pattern(r"(sev(?:erity)?|p|prio(?:rity)?) ?(\d{1,2})")
_SCALES: dict[str, tuple[Severity, ...]] = {
    "s": ("critical", "critical", "high", "medium", "low", "low"),
    "p": ("critical", "high", "medium", "low", "low"),
}
_BALLS: dict[str, Severity] = {
    **dict.fromkeys("🔴🛑🚨", "critical"),
    **dict.fromkeys("🟠", "high"),
    **dict.fromkeys("🟡", "medium"),
    **dict.fromkeys("🟢🔵", "low"),
}
LINE = pattern(r"(?:lines?\s{0,3}|L)?(\d{1,9})(\s{0,3}[-–,].{1,40})?", re.IGNORECASE | re.ASCII)  # `L42`, `42-45`
PLACE = pattern(r"(.{1,1000}?):(\d{1,9})((?:-\d{1,9})?(?::\d{1,9})?)", re.DOTALL)
_BETWEEN_PLACES = pattern(r"\s{0,3}[,;\n]\s{0,3}(?:and\s)?|\s(?:and|&)\s")

# Several paths in one text: only where each has an ending, is a folder or lies in one, or has a name that everybody
# knows, so that a name with a comma stays whole.
_BETWEEN = pattern(r"\s{0,3}[,;]\s{0,3}|\s{1,3}and\s{1,3}")
ONE_PATH = pattern(r"[^\s,;]{0,300}(?:\.\w{1,10}|/)")
_IN_FOLDER = pattern(r"[^\s,;]{1,300}/[^\s,;/]{1,300}")
_KNOWN = pattern(
    r"(?:Make|Docker|Container|Proc|Gem|Rake|Vagrant|Jenkins|Just|Cask|Brew|Pod)file"
    r"|justfile|makefile|LICENSE|NOTICE|README|CHANGELOG|CODEOWNERS|VERSION"
)
_BESIDE = pattern(
    r"\s{1,3}\((?:new|modif|creat|updat|delet|edit|exist|test|shared)[^()]{0,60}\)\s{0,3}$", re.IGNORECASE
)
# `a/b.ts - adds the type`, `a/b.ts (adds the type)`, `NEW: a/b.ts`: what is said of a path before it or behind it.
_SAID_OF = pattern(
    r"(?:(?:new|create|modify|update|edit|delete|add|change)(?::\s{0,3}|\s{1,3}(?=\S{1,300}/)))?"
    r"([^\s,;:]{1,300}(?:\.\w{1,10}|/)[`'\"]?)"
    r"(?:(?:\s{1,3}[-–—]|:)\s{1,3}(?!.{0,300}\.\w{1,10}$).{1,300}|\s{1,3}\([^()]{1,300}\))?",
    re.IGNORECASE,
)
_LINES_IN = pattern(r"(?::|#L)\d{1,9}(?:\s{0,2}[-–:]\s{0,2}L?\d{1,9}){0,2}$")
_EITHER = pattern(r"\{([^{}/]{0,200},[^{}/]{0,200})\}")
EITHER_MAX = 50  # paths that one text may stand for
_NO_PATH = pattern(
    r"(?:tbd|to be (?:decided|determined|defined)|unknown|various|several|multiple|none|n/?a|\?+)", re.IGNORECASE
)
# A colon before words, or words behind the ending of a file in a folder: no path has these.
_WITH_WORDS = pattern(r":\s|/[^\s/]{1,300}\.\w{1,10}\s{1,3}\w[^./\\]{0,300}$")
_ALL_BELOW = pattern(r"/(?:\*\*/\*|\*\*|\*)$")


def as_path(word: str) -> str:
    """A path as it is meant: without the marks around it, and without the lines in it that are meant. `src/auth/**` is
    all that lies in a folder, and so the folder."""
    said_of = _SAID_OF.fullmatch(word.strip())
    bare = (said_of.group(1) if said_of else _BESIDE.sub("", word)).strip().strip("`'\"").strip()
    lines = _LINES_IN.search(bare)
    bare = bare[: lines.start()] if lines and lines.start() else bare
    return _ALL_BELOW.sub("/", bare)


def paths_in(words: list[str]) -> list[str]:
    """The paths that are named: one text may name several, and say of each in brackets what becomes of it."""
    found = []
    for one in words:
        parts = [as_path(part) for part in _BETWEEN.split(one)]
        found += parts if _are_paths(parts) else _each_of(as_path(one))
    return [path for path in found if path]


def _each_of(path: str) -> list[str]:
    """`src/{a,b}.ts` is two files."""
    found: list[str] = []
    left = [path]
    while left and len(found) + len(left) < EITHER_MAX:
        one = left.pop(0)
        either = _EITHER.search(one)
        if either is None:
            found.append(one)
            continue
        head, tail = one[: either.start()], one[either.end() :]
        left = [f"{head}{part.strip()}{tail}" for part in either.group(1).split(",")] + left
    return found + left


def names_no_path(word: str) -> bool:
    """Is it a description of files, and the path of none: `all tests for auth`, `TBD`, `only: a.ts`, `a/b.ts and its
    tests`?"""
    bare = word.strip()
    return (
        _WITH_WORDS.search(bare) is not None
        or _NO_PATH.fullmatch(bare) is not None
        or (len(bare.split()) > 2 and not set("/.\\") & set(bare))
    )


def _are_paths(parts: list[str]) -> bool:
    """A folder alone makes a path only where the others lie in one too: `docs/salt and pepper.md` is one file."""
    return all(ONE_PATH.fullmatch(part) or _KNOWN.fullmatch(part) for part in parts) or all(
        _IN_FOLDER.fullmatch(part) or _KNOWN.fullmatch(part) for part in parts
    )


def severity_of(word: str) -> Severity | None:
    """How bad, in one of the board's words; None if nobody knows the word."""
    plain = word.strip().lower().replace("-", " ").replace("_", " ")
    if is_severity(plain) or plain in SEVERITY_WORDS:
        return plain if is_severity(plain) else SEVERITY_WORDS[plain]
    scale = _SCALE.fullmatch(plain)
    if scale is None:
        return _BALLS.get(plain)
    grades, grade = _SCALES[plain[0]], int(scale.group(2))
    return grades[grade] if grade < len(grades) else None


def unmarked(words: str) -> str:
    """Words without the marks of markdown; what stands in code is kept letter by letter, since it is what is meant."""
    codes: list[str] = []

    def hide(found: re.Match[str]) -> str:
        codes.append(found.group(2))
        return f"\0{len(codes) - 1}\0"

    bare = _CODE.sub(hide, words.replace("\0", ""))
    bare = _HALF_A_MARK.sub("", _EMPHASIS.sub(r"\2", bare))
    return _HIDDEN.sub(lambda found: codes[int(found.group(1))], bare).strip()


def places_in(file: str) -> list[str]:
    """`a.go:3, b.go:7` names two places, and no file of that name; anything else is one as it stands."""
    parts = [part for part in _BETWEEN_PLACES.split(file.strip()) if part]
    several = len(parts) > 1 and all(PLACE.fullmatch(part) and not _SPACE.search(part) for part in parts)
    return parts if several else [file]


def with_range(issue: str, lines: str) -> str:
    """The words with the lines they are about, where these are more than the one that has a field."""
    bare = lines.lower().removeprefix("lines").removeprefix("line").strip(" l")
    return issue if not bare or bare in issue else f"{issue} (lines {bare})".strip()


def finding_in(point: str, kind: FindingKind = "review", severity: Severity | None = None) -> Finding:
    """`High: handlers/feature.go:42: Missing check`, in any order and with any markup. `severity` is the one of the
    list that it stands in: what the words say themselves goes first."""
    point, fixed = mended_in(point)
    bare = unmarked(point)
    signs = _ADORNED.match(bare)
    label = _SEVERITY_LABEL.sub("", bare[signs.end() :] if signs else bare)
    head = label[:60].lower().lstrip("[( ")
    found = _SEVERITY.match(label)
    said = severity_of(found.group(1)) if found else None
    rest = label
    if found is not None:
        head, rest, mark = _behind(label[found.end() :], label)
        fixed = fixed or mark
    else:
        head = head.split(":")[0] if ":" in head else ""
    file, line = place_in(rest)
    told = (_SEVERITY_TOLD.search(label) or _SEVERITY_APART.search(label)) if said is None else None
    other = _OTHER_SEVERITY.match(rest) if said is None and told is None else None
    worded = told or other
    said = said or (severity_of(worded.group(1)) if worded else None)
    said = said or next((_BALLS[sign] for sign in (signs.group() if signs else "") if sign in _BALLS), None)
    category = other.group(1).lower() if other else None
    rest = rest[other.end() :] if other else rest
    kind = "security" if "security" in head else "test" if head.strip() == "test" else kind
    test = failed_test_named(rest) if kind == "review" else None
    return Finding(
        kind="test" if test else kind,
        severity=said or severity or "medium",
        issue=rest,
        file=file,
        line=line,
        category=category,
        test=test,
        fixed=fixed or None,
    )


def unknown_severity(point: str) -> str | None:
    """What stands where a severity would, and is none that anybody knows: `Sev 9: …`, `Crtical: …`, `Very high: …`."""
    bare = _ADORNED.sub("", unmarked(point))
    other = _OTHER_SEVERITY.match(bare)
    if other is not None:
        return other.group(1) if severity_of(other.group(1)) is None else None
    label = _LABEL.match(f"{bare} ")
    return label.group(1) if label and _is_almost_grave(label.group(1)) else None


def _is_almost_grave(label: str) -> bool:
    *before, last = label.lower().replace("-", " ").split()
    return not set(before) - _MORE_OR_LESS and (bool(before) if last in _GRAVE else is_misspelt(last, *_GRAVE))


def is_misspelt(word: str, *meant: str) -> bool:
    """Is it one of these words with letters that changed places, or one too many or too few in a long one?"""
    return word not in meant and any(_is_close(word, one) for one in meant)


def _is_close(word: str, meant: str) -> bool:
    if sorted(word) == sorted(meant):
        return True
    if len(meant) < 6 or word[:1] != meant[0] or abs(len(word) - len(meant)) > 2:
        return False
    from difflib import SequenceMatcher  # hardly a word comes so far

    return SequenceMatcher(None, word, meant).ratio() > 0.87


def says_severity(point: str) -> bool:
    """Do the words themselves say how bad it is?"""
    return finding_in(point, severity=SEVERITIES[0]).severity == finding_in(point, severity=SEVERITIES[-1]).severity


def _behind(behind: str, label: str) -> tuple[str, str, str]:
    """What stands between a severity and the words about it (`security`, `severity`), those words, and the mark that it
    is mended (`Critical (fixed): …`). A place there belongs to the words: `High (a.go:42): no check` says where; and so
    does all that says more than how bad it is."""
    bracket = _BRACKET.match(behind)
    if bracket is not None:
        inner, words = bracket.group(1), behind[bracket.end() :].lstrip(_SIGNS)
        if place_in(inner)[0] is not None:
            return "", f"{inner}: {words}", ""
        more, mark = _between(inner)
        return inner.lower(), f"{words} ({more})" if more else words, mark
    cut = min((place for place in (behind.find(sign) for sign in ":])–—-") if place >= 0), default=-1)
    place = next((one for one in _TOKEN.finditer(behind[:80]) if PATH.fullmatch(one.group().strip(_AROUND))), None)
    if place is not None and (place.start() < cut or cut < 0):
        return "", behind.lstrip(_SIGNS), ""
    if not 0 <= cut <= 40:
        return "", label, ""
    more, mark = _between(behind[:cut])
    words, own = mended_in(behind[cut:].lstrip(_SIGNS))
    return behind[:cut].lower(), f"{more}: {words}" if more else words, mark or own


def _between(words: str) -> tuple[str, str]:
    """What they say beyond the kind of finding and how bad it is, and the mark that it is mended."""
    parts = [part.strip(" []()") for part in _PARTS.split(words)]
    mark = next((part for part in parts if says_mended(part)), "")
    more = [part for part in parts if part != mark and not _ONLY_KIND.fullmatch(part)]
    return ", ".join(more), mark


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


def number_in(value: Any) -> int | None:
    """A whole number, however it is written; None if it is something else. Zero in a word says that there is none."""
    digits = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if digits.casefold() in NUMERALS[1:]:
        return NUMERALS.index(digits.casefold())
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def nth_time(number: int) -> str:
    """How often something has happened, behind a sentence that tells of it; of the first time it says nothing."""
    if number < 2:
        return ""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f" for the {number}{ending} time"


def named_by(part: dict[str, Any], names: set[str], about: str, kind: str | None) -> dict[str, Any]:
    """A finding, with these names, that stands under one of its own: that is its place if it looks like one, its
    number, the test that failed, or what the finding is called."""
    if number_in(about) is not None:
        return part
    placed = bool(names & {"files", *NAMES["file"]})
    is_place = PATH.fullmatch(about) is not None or bool(names & {*NAMES["line"]})
    if is_place and not placed and (kind != "test" or "/" in about):
        return {**part, "file": about}
    is_name = "name" not in names and (kind == "test" or not names & {*NAMES["category"]})
    return {**part, "name" if is_name else "listed as": about}
