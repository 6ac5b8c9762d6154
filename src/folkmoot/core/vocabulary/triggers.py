"""The situations in which nobody tries again and a person is asked at once, in the words of agents (E-05).

The escalation document lists five: six failed attempts, three experts who could not help, a circular dependency, a
security concern, ambiguous acceptance criteria. Whoever states one of them means it, whatever cause stands beside it.
"""

import re
from collections.abc import Iterable

from folkmoot.core.vocabulary.denials import is_denied, says_nothing
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
_SENTENCES = re.compile(r"\.(?=\s|$)|[;:!?\n()–—]|\s-\s")


def trigger_in(texts: Iterable[str | None]) -> Meaning | None:
    """What the first stated trigger means, or None. Who says that there is none, or no longer, states none."""
    for text in texts:
        sentences = _SENTENCES.split((text or "")[:TEXT_MAX])
        for sentence, following in zip(sentences, [*sentences[1:], ""], strict=True):
            meaning = _stated(plain(sentence)) if len(sentence) <= SENTENCE_MAX else None
            if meaning is not None and not says_nothing(plain(following)):
                return meaning
    return None


def _stated(words: str) -> Meaning | None:
    for phrase, meaning in _FOUND:
        found = phrase.search(words)
        if found is not None and not is_denied(words[: found.start()], words[found.end() :]):
            return meaning
    return None
