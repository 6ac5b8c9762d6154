"""The situations in which nobody tries again and a person is asked at once, in the words of agents (E-05).

The escalation document lists five: six failed attempts, three experts who could not help, a circular dependency, a
security concern, ambiguous acceptance criteria. Whoever states one of them means it, whatever cause stands beside it.
"""

import re
from collections.abc import Iterable

from folkmoot.core.vocabulary.words import Meaning, plain

FATAL, REQUIREMENT, SECURITY = Meaning(cause="fatal"), Meaning(cause="requirement"), Meaning(reason="security")
TEXT_MAX = 20_000
SENTENCE_MAX = 200
_CRITERIA = "acceptance criteri(?:a|on)"
_UNCLEAR = "(?:ambiguous|unclear|not clear|contradictory|conflicting|vague|undefined|not defined|missing)"
_RISK = "(?:issue|risk|problem|vulnerability|hole|breach)"
_SAID = (
    ("(?:6|six)(?: total| distinct)?(?: failed attempts| attempts(?: have| all)* failed)", FATAL),
    (
        "(?:3|three|all|all three)(?: of the)? experts?(?: were| have| are| was| has| all)* (?:unsuccessful|failed)",
        FATAL,
    ),
    (r"(?:circular|cyclic|cyclical)(?: \w+)? dependenc(?:y|ies)|dependency (?:cycle|circle|loop)s?", FATAL),
    ("(?:circular|cyclic) imports? detected|depend on each other in a circle", FATAL),
    ("exhausted all options|(?:requires|needs) human judge?ment", FATAL),
    (f"{_UNCLEAR} {_CRITERIA}|{_CRITERIA} can be read in (?:two|several|different|many) ways", REQUIREMENT),
    (f"{_CRITERIA}(?: is| are| was| were| remain| seem)?(?: too| very| still)? {_UNCLEAR}", REQUIREMENT),
    # The document's own word anywhere; others where a sentence begins with them: work may be about a security issue.
    (f"security concerns?|(?<!.)(?:a |possible |potential |serious |critical )*security {_RISK}", SECURITY),
)
_FOUND = [(re.compile(rf"\b(?:{words})\b"), meaning) for words, meaning in _SAID]
_OVER = {"fixed", "resolved", "solved", "removed", "broken", "gone", "avoided", "mended"}
# Words of the same sentence, before the phrase, that say that it is not so.
_DENIED = {
    "no",
    "not",
    "without",
    "never",
    "none",
    "isn",
    "wasn",
    "weren",
    "didn",
    "aren",
    "any",
    "if",
    "avoid",
} | _OVER
_YET = {"not", "cannot", "be", "t", "to"}  # "cannot be resolved"
_SENTENCES = re.compile(r"[.;:!?\n()–—]|\s-\s")


def trigger_in(texts: Iterable[str | None]) -> Meaning | None:
    """What the first stated trigger means, or None. Who says that there is none, or no longer, states none."""
    for text in texts:
        for sentence in _SENTENCES.split((text or "")[:TEXT_MAX]):
            meaning = _stated(plain(sentence)) if len(sentence) <= SENTENCE_MAX else None
            if meaning is not None:
                return meaning
    return None


def _stated(words: str) -> Meaning | None:
    for phrase, meaning in _FOUND:
        found = phrase.search(words)
        if found is None:
            continue
        before, behind = set(words[: found.start()].split()), set(words[found.end() :].split())
        if not _DENIED & before and (not _OVER & behind or _YET & behind):
            return meaning
    return None
