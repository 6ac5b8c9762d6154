"""What is said of findings by their numbers or their words: by whoever mends them, and by whoever looks again.

A brief numbers what must change. A fixer answers `{"fixes": {"1": "fixed", "2": "wont_fix: by design"}}`, a reviewer
says `#2 is still open`: the next agent has other numbers, so that the words must come along.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from folkmoot.core.report import Finding
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.words import plain

REPLIES_MAX = 100
WORDS_MAX = 500
_PART_MIN = 8  # characters: a shorter text is in too many findings to mean one of them
# Fields that tell of each finding what became of it. By the second kind the name itself says it.
_OF_EACH = frozenset(
    {"fixes", "fix", "responses", "response", "resolutions", "resolution", "issue status", "issues status", "results"}
)
_ALL_ARE = pattern(
    "(?:(?:issues?|findings?) )?(?:not )?(?:fixed|addressed|resolved|mended|done)(?: (?:issues?|findings?))?"
    "|un(?:fixed|addressed|resolved)|skipped|deferred|postponed|rejected|disputed|won t fix|wont fix|wontfix"
    "|false positives?|not reproduced|cannot reproduce"
)
_WHICH = frozenset(
    {*("issue", "issue id", "id", "finding", "finding id", "number", "index", "no", "title", "name", "problem", "ref")}
)
_WORDED = pattern(
    r"(?:#|\b(?:issue|finding|problem|point)s?\s{0,2}(?:#|no\.?\s{0,2}|number\s{0,2})?)(\d{1,3})\b", re.IGNORECASE
)
_NUMBER = pattern(r"\s*(?:#|[a-z]{1,8}[ _#-]{0,2})?(\d{1,3})\s*[.)]?\s*", re.IGNORECASE)


def with_replies(known: list[Finding], extra: dict[str, Any], by: str) -> list[Finding]:
    """The findings with what whoever made the work says of each; whether it is mended, whoever checks says."""
    if not known or not extra:
        return known
    said: dict[int, list[str]] = {}
    for which, words in _replies(extra):
        at = _meant(which, known)
        if at is not None and words:
            said.setdefault(at, []).append(f"{by}: {words}")
    return [
        replace(one, wordings=list(dict.fromkeys([*one.wordings, *said[at]]))) if at in said else one
        for at, one in enumerate(known)
    ]


def recalled(found: list[Finding], known: Sequence[Finding]) -> list[Finding]:
    """Findings that name those of the look before by their numbers have the words of those beside them."""
    before = [one for one in known if not one.remark]
    return [_with_words(one, before) for one in found] if before else found


def _with_words(finding: Finding, before: list[Finding]) -> Finding:
    numbers = dict.fromkeys(int(number) for number in _WORDED.findall(finding.issue[:WORDS_MAX]))
    meant = [(number, before[number - 1].issue) for number in numbers if 0 < number <= len(before)]
    words = [f"{number} was: {issue}" for number, issue in meant if issue not in finding.issue]
    return replace(finding, wordings=list(dict.fromkeys([*finding.wordings, *words]))) if words else finding


def _replies(extra: dict[str, Any]) -> Iterator[tuple[Any, str]]:
    """Which finding is meant, and what is said of it."""
    for name, value in extra.items():
        field = plain(str(name))
        own = _ALL_ARE.fullmatch(field) is not None
        if not own and field not in _OF_EACH:
            continue
        if isinstance(value, dict):
            yield from ((which, _words(told, field if own else "")) for which, told in [*value.items()][:REPLIES_MAX])
        for one in value[:REPLIES_MAX] if isinstance(value, list) else ():
            if isinstance(one, dict):
                which = next((told for key, told in one.items() if plain(str(key)) in _WHICH), None)
                rest = {key: told for key, told in one.items() if plain(str(key)) not in _WHICH}
                yield which, _words(rest, field if own else "")
            elif own:
                yield one, _words(one if isinstance(one, str) else "", field)


def _words(told: Any, field: str) -> str:
    parts = [f"{key}: {one}" for key, one in told.items() if one not in (None, "")] if isinstance(told, dict) else []
    words = "; ".join(parts) if isinstance(told, dict) else str(told) if isinstance(told, str | int | float) else ""
    return ": ".join(part for part in (field, words.strip()) if part)[:WORDS_MAX]


def _meant(which: Any, known: list[Finding]) -> int | None:
    """The finding by its number in the brief, or by its words; None where that is nobody's, or several'."""
    if isinstance(which, bool) or not isinstance(which, str | int):
        return None
    numbered = [at for at, one in enumerate(known) if not one.remark]
    number = _NUMBER.fullmatch(str(which)[:WORDS_MAX])
    if number is not None:
        at = int(number.group(1))
        return numbered[at - 1] if 0 < at <= len(numbered) else None
    words = plain(str(which))
    same = [at for at in numbered if plain(known[at].issue) == words]
    part = [at for at in numbered if len(words) >= _PART_MIN and _is_part(words, plain(known[at].issue))]
    return same[0] if same else part[0] if len(part) == 1 else None


def _is_part(words: str, issue: str) -> bool:
    return words in issue or (len(issue) >= _PART_MIN and issue in words)
