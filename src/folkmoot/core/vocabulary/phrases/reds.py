"""What the words of a check say about its colour: "lint is red", "TestX failed", "a critical hole" (R-21, R-22)."""

import re
from collections.abc import Callable, Iterable

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.denials import is_denied
from folkmoot.core.vocabulary.words import plain

TEXT_MAX = 20_000
SENTENCE_MAX = 200
_CHECKS = (
    r"lint\w*|tests?|suites?|builds?|checks?|types?|typecheck\w*|type checks?|compilation|ci|gates?|eslint|ruff|tsc"
    r"|mypy|pytest|jest|formatting|format|validation|coverage|pipelines?|one|some|everything|all|it"
)
_LINKS = "(?: (?:is|are|was|were|still|now|also|currently|remains?|stays?|has|have|been|run|status|result|all|here))*"
_RED = (
    r"(?:red|failing|fails|fail|failed|broken|not green|not passing"
    r"|(?:do|does|did|will|can|could)(?: ?not|n t) (?:be )?(?:pass|compile|build|built|run|executed))"
)
_ALONE = pattern(rf"(?:still |all )?{_RED}")
_NUMBER = pattern(r"\b([1-9]\d{0,6}) (?:\w+ ){0,2}(?:errors?|failures?|failing|failed|broken)\b")
# Before the words: it is not so, or it is not about now.
_DENIED = {
    *(
        "no",
        "not",
        "none",
        "never",
        "without",
        "zero",
        "0",
        "if",
        "when",
        "would",
        "could",
        "should",
        "unless",
        "until",
    ),
    *("fixed", "fixes", "mended", "longer", "expected", "before", "previously", "earlier", "neither", "nothing"),
}
# Behind them: it was so, and is not any more.
_OVER = {"fixed", "resolved", "mended", "green", "passes", "passing", "before", "previously", "earlier", "now"}
_MENDED = {"fixed", "mended", "healed", "resolved", "repaired"}
# Of tests this says what they need: "fails without the fix", "fail when the check is taken out".
ONLY_IF = {"without", "if", "when", "unless", "until", "old", "pass", "passed"}
# How a test is called: `TestFeatureAPI`, `test_login`, `api_test`, `LoginSpec`.
_TEST = r"(?:[Tt]ests?[A-Z_]\w{0,80}|\w{1,80}(?:[Tt]est|Spec)|\w{0,80}_tests?_\w{1,80})"
_NAMED = pattern(
    rf"(?<![\w/])[`'\"]?((?:[\w./-]{{1,120}}::)?{_TEST}(?:\[\S{{1,80}}\])?)[`'\"]?(?:\(\))?"
    r"(?:\s{0,2}[:=–—-]{1,2}\s{0,3}|\s{1,3})(?:(?:is|has|still|now|also|which) ){0,3}"
    r"(?:FAIL(?:ED|S|URE)?\b|fail(?:s|ed|ing)\b|(?:(?<=is )|(?<=still ))(?:red|broken)\b"
    r"|(?:does|did)(?: not|n't) pass\b)"
)
# A file of tests by its path: `tests/integration/auth.test.ts fails`. Its dots end no sentence.
_TEST_FILE = (
    r"(?:[\w@.-]{1,80}/){0,12}(?:[\w-]{1,80}(?:\.[\w-]{1,40})?[._-](?:tests?|spec)|tests?_[\w-]{1,80})\.[a-z]{1,4}"
)
_FILE_FAILS = pattern(
    rf"(?<![\w/.-])[`'\"]?{_TEST_FILE}[`'\"]?(?:\s{{0,2}}[,:=–—-]{{1,2}}\s{{0,3}}|\s{{1,3}})"
    r"(?:(?:it|is|has|still|now|also|which),? ){0,3}"
    r"(?:FAIL(?:ED|S|URE)?\b|fail(?:s|ed|ing)\b|(?:(?<=is )|(?<=still ))(?:red|broken)\b"
    r"|(?:does|did)(?: not|n't) pass\b)"
)
_NAMED_HINT = pattern(r"fail|\bred\b|broken|pass", re.IGNORECASE)
# All of them, and then not: `all pass except TestB`, `all but one of the tests pass`.
_ALL_BUT = pattern(
    r"\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b\W{0,3}(?:except|apart from|other than|save for|but not)\b"
    r"|\ball (?:but|except)\b[^.;!?\n]{1,60}?\b(?:pass|green|succeed)(?:es|ed|ing|s)?\b",
    re.IGNORECASE,
)
# Of tests that are named before it, in a clause of its own: `written, not run`, `but they could not be run`.
_UNRUN = pattern(
    r"(?:(?:they|i|we|it|which|these|those|have|has|was|were|are|is|still|also|only|the|tests?|suite|integration) )*"
    r"(?:(?:could )?not|never|couldn t|can t|cannot|weren t|wasn t|haven t|unable to)"
    r"(?: (?:been|be|yet|actually|able|to|even))*"
    r" (?:run|executed?)(?: (?:them|it|the|any|of|those|these|tests?|suite|here|yet|locally|at|all))*"
)
_ANY_TESTS = pattern(r"\b(?:tests?|suites?|specs?)\b", re.IGNORECASE)
_CLAUSES = pattern(r"[.:;!?\n()–—,]|\s-\s|\b(?:but|and|because|since|as|so|due|for)\b", re.IGNORECASE)
_SKIPPED = {"skipped", "skip", "skips", "ignored", "disabled"}
# As test runners print it, in capitals: `FAIL: TestX`, `--- FAIL: TestX`, `2 FAILED`.
_PRINTED = pattern(rf"\bFAIL(?:ED|URE)?\b(?:\s{{0,3}}[:–—-]?\s{{0,3}}({_TEST}))?")
# As assertions say it: `expected 200, got 500`.
_UNMET = pattern(r"\bexpected\b(?! (?:to|by|that)\b).{1,120}?\b(?:got|received|but was)\b", re.IGNORECASE)
_OF_TESTS = "tests?|test cases?|suites?|specs?|builds?|ci|pytest|jest"
_TESTS_RED = pattern(rf"\b(?:{_OF_TESTS}){_LINKS} {_RED}\b")
_TESTS_NUMBER = pattern(rf"\b[1-9]\d{{0,6}} (?:\w+ )?(?:failing|failed|broken) (?:{_OF_TESTS})\b")
_HINT = pattern(r"fail|red|broken|not|n't|n’t|never|unable", re.IGNORECASE)
_NONE = ("0", "none", "no", "zero")
_SENTENCES = pattern(r"[.;!?\n()–—,]|\s-\s|\bbut\b|\band\b")


# Something grave that was found: `a critical auth bypass`, `CRITICAL: sql injection`.
_GRAVE_HINT = pattern(r"critical|severe|high|cvss|block|serious|stopper", re.IGNORECASE)
_GRAVE = (
    r"(?:critical|severe|serious|(?<!non )blocking|high (?:severity|risk|priority)"
    r"|severity (?:is )?(?:critical|high))"
)
_PROBLEM = (
    r"(?:issue|bug|vulnerabilit|hole|flaw|inject|bypass|leak|exploit|finding|problem|defect|data loss|loss|corrupt|race"
    r"|overflow|xss|csrf|ssrf|rce|deadlock|crash|regression|backdoor|traversal|disclosure)\w*"
)
_GRAVE_TOLD = pattern(
    rf"\b{_GRAVE}(?: \w+){{0,3}}? {_PROBLEM}|\b{_PROBLEM}(?: \w+){{0,3}} (?:is|are) (?:\w+ )?{_GRAVE}\b"
    r"|\b(?:is|are|a|one|[1-9]) (?:(?:real|hard|clear|release|merge) )?(?:blocker|show ?stopper)s?\b"
    r"|\bcvss (?:v?\d \d )?(?:base )?(?:score )?(?:is |of )?(?:[789]|10)\b"
)
# A label: `CRITICAL: …`, `SECURITY: CRITICAL …`, `[High] …`. In small letters it needs a sign around it.
_GRAVE_LABEL = pattern(
    r"(?:\A|\n)\s{0,8}(?:[-*+•#]{1,6}\s{0,3})?(?:(?i:security)\s{0,3}[:–—-]\s{0,3})?"
    r"(?:CRITICAL\b|[*_]{0,3}(?:\[(?i:critical|high)\]|(?i:critical|high)[*_]{0,3}\s{0,2}:))[*_:\s]{0,6}([^\n]{0,200})"
)
# Whoever says what it looked for has not said that it found it.
_LOOKS = {
    *(
        "look",
        "looked",
        "looking",
        "search",
        "searched",
        "check",
        "checked",
        "checks",
        "hunted",
        "tested",
        "for",
        "any",
    ),
    *(
        "potential",
        "possible",
        "previous",
        "previously",
        "earlier",
        "fixed",
        "fixes",
        "resolved",
        "0",
        "zero",
        "avoid",
        "prevents",
        "solves",
        "handles",
    ),
}
_NOTHING = pattern(r"\W{0,4}(?:none|no|nothing|n/?a|0|zero|path|section)\b", re.IGNORECASE)
_GRAVE_SENTENCES = pattern(r"[.;!?\n]\s|[.;!?\n]\Z|\n|\bbut\b|\band\b|,")


def said_red(texts: Iterable[str | None], gate: str = "") -> str | None:
    """The first words that say that a check is red; None if none do, or if they say that it was, and is no more."""
    own = f"{re.escape(plain(gate))}|" if plain(gate) else ""
    of_check = re.compile(rf"\b(?:{own}{_CHECKS}){_LINKS} {_RED}\b")
    return _first(texts, lambda part, behind: _is_red(plain(part), plain(behind), of_check) or _prints_red(part))


def said_failed(texts: Iterable[str | None]) -> str | None:
    """The first words that say that a test failed; not those that say when it would, or that it did once."""
    texts = list(texts)
    ways = (_told_file, _told_but, _told_unrun)
    return _first(texts, _tells_failed) or next((told for way in ways for told in map(way, texts) if told), None)


def said_unrun(name: str, words: str) -> bool:
    """Does it stand under a name for tests, and say that they have not been run: `tests: could not be run`?"""
    if len(words) > SENTENCE_MAX or _ANY_TESTS.search(plain(name)) is None:
        return False
    clauses = (plain(clause) for clause in _CLAUSES.split(words))
    return _UNRUN.fullmatch(next(filter(None, clauses), "")) is not None or _told_unrun(words) is not None


def _told_unrun(text: str | None) -> str | None:
    """The clause that says that the tests which were named before it have not been run."""
    told = (text or "")[:TEXT_MAX]
    named = _ANY_TESTS.search(told)
    clauses = _CLAUSES.split(told) if named is not None and _HINT.search(told) else []
    found = (clause for clause in clauses if len(clause) <= SENTENCE_MAX and _UNRUN.fullmatch(plain(clause)))
    return next((" ".join(clause.split()) for clause in found), None)


def _told_file(text: str | None) -> str | None:
    """The sentence that says that a file of tests fails; not that it once did, or would."""
    told = (text or "")[:TEXT_MAX]
    if not _NAMED_HINT.search(told):
        return None
    sentences = re.split(r"[.;!?](?=\s|\Z)|\n", told)
    for place, sentence in enumerate(sentences):
        found = _FILE_FAILS.search(sentence) if len(sentence) <= SENTENCE_MAX else None
        after = plain(" ".join(sentences[place + 1 : place + 2])).split()
        if found is not None and _holds(sentence, found) and not _MENDED & set(after):
            return " ".join(sentence.split())
    return None


def _told_but(text: str | None) -> str | None:
    """The sentence that says of all tests that they pass, and then of some that they do not."""
    for sentence in re.split(r"[.;!?](?=\s|\Z)|\n", (text or "")[:TEXT_MAX]):
        found = _ALL_BUT.search(sentence) if len(sentence) <= SENTENCE_MAX else None
        if found is not None and _holds(sentence, found) and not _SKIPPED & set(plain(sentence).split()):
            return " ".join(sentence.split())
    return None


def failed_test_named(words: str) -> str | None:
    """The name of the test that these words say has failed."""
    if not _NAMED_HINT.search(words[:SENTENCE_MAX]):
        return None  # most lines: the patterns need not be tried
    for found in (_NAMED.search(words[:SENTENCE_MAX]), _PRINTED.search(words[:SENTENCE_MAX])):
        if found is not None and found.group(1) and _holds(words, found):
            return found.group(1)
    return None


def is_over_now(words: str) -> bool:
    """Do the words behind a failure say that it is no more?"""
    return bool((_OVER | {"pass", "passed"}) & set(plain(words).split()))


def _first(texts: Iterable[str | None], tells: Callable[[str, str], bool]) -> str | None:
    for text in texts:
        parts = [part for part in _SENTENCES.split((text or "")[:TEXT_MAX]) if part.strip()]
        for place, part in enumerate(parts):
            behind = " ".join(parts[place + 1 : place + 2])
            if len(part) <= SENTENCE_MAX and tells(part, behind):
                return " ".join(part.split())
    return None


def _tells_failed(part: str, behind: str) -> bool:
    if _prints_red(part) or failed_test_named(part) is not None or _is_unmet(part, behind):
        return True
    words = plain(part) if _HINT.search(part) else ""
    found = _TESTS_RED.search(words) or _TESTS_NUMBER.search(words)
    if found is None or ONLY_IF & set(words[found.end() :].split()):
        return False
    return _is_red(words, plain(behind), _TESTS_RED)


def _is_unmet(part: str, behind: str) -> bool:
    words = f"{part} {behind}"
    found = _UNMET.search(words) if "expected" in part.lower() else None
    return found is not None and _holds(words, found)


def _prints_red(part: str) -> bool:
    found = _PRINTED.search(part)
    return found is not None and _holds(part, found) and not plain(part[found.end() :]).startswith(_NONE)


def _holds(words: str, found: re.Match[str]) -> bool:
    """Is it so now, and not only once, or in some case?"""
    before, behind = plain(words[: found.start()]).split(), plain(words[found.end() :]).split()
    return not (_DENIED & set(before) or (_OVER | ONLY_IF) & set(behind[:6]))


def _is_red(words: str, behind: str, of_check: re.Pattern[str]) -> bool:
    found = of_check.search(words) or _NUMBER.search(words) or _ALONE.fullmatch(words)
    if found is None:
        return False
    before, rest = set(words[: found.start()].split()), set(words[found.end() :].split())
    if _DENIED & before or _OVER & rest:
        return False
    was = {"was", "were", "had", "been"} & set(found.group().split())
    return not (was and _OVER & set(behind.split()))


def said_grave(texts: Iterable[str | None]) -> str | None:
    """The first words that say so; not those that deny it, or only say what was looked for."""
    for text in texts:
        told = (text or "")[:TEXT_MAX]
        for found in _GRAVE_LABEL.finditer(told):
            if found.group(1).strip() and not _NOTHING.match(found.group(1)):
                return " ".join(found.group().split())
        for part in _GRAVE_SENTENCES.split(told):
            hints = len(part) <= SENTENCE_MAX and _GRAVE_HINT.search(part)
            if hints and _tells_grave(plain(part)):
                return " ".join(part.split())
    return None


def _tells_grave(words: str) -> bool:
    found = _GRAVE_TOLD.search(words)
    if found is None:
        return False
    before, behind = words[: found.start()], words[found.end() :]
    if behind.split()[:1] in (["0"], ["zero"]):
        return False  # it is counted, and there is none
    return not (_LOOKS & set(before.split()) or is_denied(before, behind))
