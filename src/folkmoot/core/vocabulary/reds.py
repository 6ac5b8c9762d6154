"""What the words of a check say about its colour: "lint is red", "tests are failing" (R-21, R-22)."""

import re
from collections.abc import Iterable

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
    r"|(?:do|does|did|will|can)(?: ?not|n t) (?:pass|compile|build|run))"
)
_ALONE = re.compile(rf"(?:still |all )?{_RED}")
_NUMBER = re.compile(r"\b([1-9]\d{0,6}) (?:\w+ ){0,2}(?:errors?|failures?|failing|failed|broken)\b")
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
_SENTENCES = re.compile(r"[.;!?\n()–—,]|\s-\s|\bbut\b|\band\b")


def said_red(texts: Iterable[str | None], gate: str = "") -> str | None:
    """The first words that say that a check is red; None if none do, or if they say that it was, and is no more."""
    own = f"{re.escape(plain(gate))}|" if plain(gate) else ""
    of_check = re.compile(rf"\b(?:{own}{_CHECKS}){_LINKS} {_RED}\b")
    for text in texts:
        parts = [part for part in _SENTENCES.split((text or "")[:TEXT_MAX]) if part.strip()]
        for place, part in enumerate(parts):
            behind = " ".join(parts[place + 1 : place + 2])
            if len(part) <= SENTENCE_MAX and _is_red(plain(part), plain(behind), of_check):
                return " ".join(part.split())
    return None


def _is_red(words: str, behind: str, of_check: re.Pattern[str]) -> bool:
    found = of_check.search(words) or _NUMBER.search(words) or _ALONE.fullmatch(words)
    if found is None:
        return False
    before, rest = set(words[: found.start()].split()), set(words[found.end() :].split())
    if _DENIED & before or _OVER & rest:
        return False
    was = {"was", "were", "had", "been"} & set(found.group().split())
    return not (was and _OVER & set(behind.split()))
