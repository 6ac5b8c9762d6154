"""How many tests ran, and how they ended: in words, in a list of labels, in an object, or in one object per suite.

What nobody told stays unknown: of `2 tests failed` nobody knows how many there are. Who tells all but one of the three
has told the third.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from folkmoot.core.report import Tests
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.words import plain

NUMERALS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_WORDED = pattern(rf"\b(?:{'|'.join(NUMERALS)}|none(?= of ))\b")
_SHARE = r"\b(\d{1,7})\s{0,3}(?:/|of|out of)\s{0,3}(?:the )?(\d{1,7})"
_ONLY_SHARE = pattern(rf"\s{{0,3}}{_SHARE}\s{{0,3}}")
_OF = _SHARE + r"(?: \w{1,20})?(?: tests?| cases?)?(?: have| were| are)?(?: still)?"
_ALL_BUT = pattern(r"\ball (?:but|except(?: for)?) (\d{1,7}) of (?:the )?(\d{1,7})")
_COLOURS = pattern(r"(?<=\d )(?:green|red)\b")
_SKIPPED = pattern(r"\b(\d{1,7})(?: tests?)?(?: (?:was|were|are))? (?:skipped|ignored|disabled)\b")
# Of another time, or of another case.
_ELSEWHERE = pattern(r"\b(?:before|previously|earlier|first|fixed|without|old|was|were|had)\b")
_ENDED = pattern(r"\b(?:pass|fail|succe|ok(?:ay)?\b|green\b|red\b)")
_COUNT = pattern(_OF + r" (pass|fail|succe|ok(?:ay)?\b)")
_PASSED_FAILED = pattern(
    r"\b(\d{1,7})(?: tests?)? pass\w{0,3}[,;/]?(?: and| but)? {0,2}(\d{1,7})(?: tests?)?"
    r" (?:fail|errors?\b(?! handling))"
)
_FAILED_PASSED = pattern(r"\b(\d{1,7})(?: tests?)? fail\w{0,3}[,;/]?(?: and| but)? {0,2}(\d{1,7})(?: tests?)? pass")
_ONLY_FAILED = pattern(r"\s{0,3}(\d{1,7})(?: tests?)? fail(?:ed|ures?|ing)?[.!]?\s{0,3}")
# `Failed: 2`, `| Passed | 8 |`, `Tests run: 10`: a label at the start of a line, of a cell or behind a sign.
_LABELLED = pattern(
    r"(?:\A|[\n|,;(•]|[-+]\s)[ \t]{0,8}(?:all |the )?(?:tests? )?(total|run|passed|passing|failed|failing|failures"
    r"|skipped)"
    r"(?: tests?)?[ \t]{0,3}[:=|][ \t]{0,3}(\d{1,7})(?![\w/%.]|\s{0,2}(?:of|/)\s)"
)
# What an object calls each of the three.
_NAMES = {
    **dict.fromkeys(("total", "tests", "tests run", "run", "total tests"), "total"),
    **dict.fromkeys(("passed", "pass", "passes", "passing", "succeeded", "tests passed", "passed tests"), "passed"),
    **dict.fromkeys(("failed", "fail", "fails", "failing", "failures", "tests failed", "failed tests"), "failed"),
    **dict.fromkeys(("errors", "errored", "timed out", "timeouts", "crashed", "crashes", "aborted", "hung"), "errors"),
    **dict.fromkeys(("interrupted", "cancelled", "canceled"), "errors"),
    **dict.fromkeys(("skipped", "skip", "ignored", "disabled"), "skipped"),
}
# Of these a bare share says how many passed: `{"unit": "5/5", "api": "3/5"}`. A score or a date is something else.
_SUITES = {
    *("test", "tests", "suite", "suites", "unit", "integration", "acceptance", "smoke", "functional", "system", "e2e"),
    *("api", "ui", "contract", "regression", "passed", "passing"),
}
COUNTED = ("total", "passed", "failed")
LARGEST = 10**9
SUITES_MAX = 200
_DEEP = 3  # objects in objects that are looked into


def counted(words: str) -> Tests | None:
    """What the words count: `8/10 passed`, `two of the ten tests failed`, `8 passed, 2 failed`, or `Failed: 2`. Of the
    same tests the last count holds, since they were run again; others are added."""
    words = _ALL_BUT.sub(_all_but, _WORDED.sub(_digits, words.lower()))
    words = _COLOURS.sub(lambda found: "passed" if found.group() == "green" else "failed", words)
    counts: dict[int, int] = {}
    for found in _COUNT.finditer(words):
        some, total = int(found.group(1)), int(found.group(2))
        counts[total] = total - some if found.group(3) == "fail" else some
    if not counts:
        counts = {int(a) + int(b): int(a) for a, b in _PASSED_FAILED.findall(words)}
    if not counts:
        counts = {int(a) + int(b): int(b) for a, b in _FAILED_PASSED.findall(words)}
    if not counts:
        alone = _ONLY_FAILED.fullmatch(words)
        return Tests(failed=int(alone.group(1))) if alone else _labelled(words)
    if any(not 0 <= passed <= total for total, passed in counts.items()):
        return None
    total, passed = sum(counts), sum(counts.values())
    skipped = sum(map(int, _SKIPPED.findall(words))) if "fail" not in words else 0
    return Tests(total=total, passed=passed, failed=max(total - passed - skipped, 0))


def share_of(words: Any) -> Tests | None:
    """A share and no more, such as `8/10` or `8 of 10`, as tests; None if it is something else."""
    found = _ONLY_SHARE.fullmatch(_WORDED.sub(_digits, words.lower())) if isinstance(words, str) else None
    some, total = map(int, found.groups()) if found else (1, 0)
    return Tests(total=total, passed=some, failed=total - some) if some <= total else None


def may_count(words: str) -> bool:
    """Could these words count tests? Most texts have no word for how one ended."""
    return _ENDED.search(words.lower()) is not None


def number_said(words: object) -> int | None:
    """A whole number in digits or as a word: `3`, `three`."""
    return _whole(_WORDED.sub(_digits, words.strip().lower()) if isinstance(words, str) else words)


def said_fewer(texts: Iterable[str]) -> str | None:
    """The first text that counts a red test now."""
    for text in texts:
        tests = counted(text)
        if tests is not None and tests.failed and not _ELSEWHERE.search(text.lower()):
            return " ".join(text.split())
    return None


def _all_but(found: re.Match[str]) -> str:
    few, total = int(found.group(1)), int(found.group(2))
    return f"{max(total - few, 0)} of {total}"


def _digits(found: re.Match[str]) -> str:
    word = found.group()
    return "0" if word == "none" else str(NUMERALS.index(word))


def _labelled(words: str) -> Tests | None:
    """`- Total: 10`, `- Passed: 8`, `- Failed: 2`; of several suites all together."""
    told: dict[str, int] = {}
    for label, number in _LABELLED.findall(words.replace("*", "").replace("`", "").replace("_", " ")):
        name = _NAMES[label]
        told[name] = told.get(name, 0) + int(number)
    return _tests(told) if "failed" in told or told.keys() >= {"total", "passed"} else None


def tally(value: Any, deep: int = 0) -> Tests | None:
    """What an object counts, or the objects in it or in a list, one per suite, together; None if it counts nothing."""
    if isinstance(value, list) and deep < _DEEP:
        suites = [tally(part, deep + 1) for part in value[:SUITES_MAX] if isinstance(part, Mapping)]
        return together([one for one in suites if one is not None and (one.failed or one.passed is not None)])
    if not isinstance(value, Mapping):
        return None
    told: dict[str, int] = {}
    for name, number in value.items():
        known = _NAMES.get(plain(str(name)))
        listed = isinstance(number, list) and known == "failed"
        count = len(number) if listed else _whole(number) if known else None
        if known and count is not None:
            told[known] = told.get(known, 0) + count if known == "errors" else told.get(known, count)
    if told.keys() - {"errors", "skipped"}:
        return _tests(told)
    inner = (
        [_of_suite(str(name), part, deep) for name, part in list(value.items())[:SUITES_MAX]] if deep < _DEEP else []
    )
    return together([one for one in inner if one is not None])


def _of_suite(name: str, value: Any, deep: int) -> Tests | None:
    """What one suite counts, in an object or in words."""
    if not isinstance(value, str):
        return tally(value, deep + 1) if isinstance(value, Mapping) else None
    if _ELSEWHERE.search(plain(name)):
        return None
    return counted(value) or (share_of(value) if _SUITES & set(plain(name).split()) else None)


def told_under(data: Mapping[str, Any]) -> Tests | None:
    """What an object counts under a name of its own for tests (`testResults`, `integrationTests`), of all such names
    together; else under one that may hold them."""
    named = [value for name, value in data.items() if {"test", "tests", "suites"} & set(plain(str(name)).split())]
    counts = [one for one in map(tally, named) if one is not None and (one.failed or one.passed is not None)]
    return together(counts) or tally(data.get("summary")) or tally(data.get("results"))


def together(counts: list[Tests]) -> Tests | None:
    """Several suites as one; what one of them does not tell is not known of the whole."""
    if not counts:
        return None
    totals, passed = [one.total for one in counts], [one.passed for one in counts]
    return Tests(
        total=sum(one for one in totals if one is not None) if None not in totals else None,
        passed=sum(one for one in passed if one is not None) if None not in passed else None,
        failed=sum(one.failed for one in counts),
    )


def _tests(told: dict[str, int]) -> Tests:
    return Tests(**{name: count for name, count in completed(told).items() if name in COUNTED})


def completed(told: dict[str, Any]) -> dict[str, Any]:
    """Who tells of all tests and of those that passed has told how many did not; and who tells of both kinds, how many
    there are. A test that ended in an error has not passed, whether it is counted as failed or apart; one that was
    skipped has not failed."""
    ended = {name: count for name, count in told.items() if _NAMES.get(plain(str(name))) == "errors"}
    errors = sum(count for count in ended.values() if type(count) is int)
    told = {name: count for name, count in told.items() if type(ended.get(name)) is not int}
    told = {**told, "failed": errors} if errors > 0 and not told.get("failed") else told
    total, passed, failed = (told.get(name) for name in COUNTED)
    if failed is None and "failed" not in told and type(total) is int and type(passed) is int and total > passed:
        skipped = told.get("skipped")
        return {**told, "failed": max(total - passed - (skipped if type(skipped) is int else 0), 0)}
    if total is None and type(passed) is int and type(failed) is int:
        return {**told, "total": passed + failed}
    return told


def told_tests(total: int | None, passed: int | None, failed: int) -> str:
    """As much as is known, in words: `8/10 passed`, `2 of 10 failed`, `2 failed`. Those that neither passed nor failed
    are named: beside `7/10 passed` alone three would seem to be red."""
    if total is not None and passed is not None:
        rest = total - passed - failed
        return f"{passed}/{total} passed" + (f", {rest} neither passed nor failed" if rest > 0 else "")
    if failed:
        return f"{failed} of {total} failed" if total is not None else f"{failed} failed"
    return f"{passed} passed" if passed is not None else f"{total} in all" if total is not None else ""


def red_tests(tests: Tests) -> str:
    """How many failed, of how many if that is known."""
    if tests.total is not None and tests.total >= tests.failed:
        return f"{tests.failed} of {tests.total} tests failed"
    return f"{tests.failed} test{'s' if tests.failed > 1 else ''} failed"


def unaccounted(tests: Tests | None) -> int:
    """How many tests have neither passed nor failed, where all three numbers were told."""
    if tests is None or tests.total is None or tests.passed is None:
        return 0
    return max(tests.total - tests.passed - tests.failed, 0)


def _whole(value: Any) -> int | None:
    digits = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and int(digits[:12]) < LARGEST else None
