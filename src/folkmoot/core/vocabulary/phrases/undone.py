"""Plain words beside a `done` that say the opposite: "the task is NOT complete", "two tests are red" (R-32).

An agent tells how it went before it says how it ended: "three tests failed, so I mended the parser; all pass now" is
no contradiction. So only what holds at the end counts, and nothing that a later sentence takes back.
"""

import re

from folkmoot.core.vocabulary.phrases.reds import ONLY_IF, said_red
from folkmoot.core.vocabulary.words import plain

TEXT_MAX = 20_000
SENTENCE_MAX = 200
_DONE = r"(?:complete|completed|done|finished|ready)"
_HOW = r"(?: (?:yet|fully|really|quite|all|been|completely|be|entirely))*"
_NOT = (
    rf"(?:not|never|n t|isn t|aren t|cannot be|far from){_HOW} {_DONE}"
    r"|(?:is|are|s|remains?|still|stays?|left)(?: \w+)? (?:incomplete|unfinished|half (?:done|finished))"
)
_UNDONE = re.compile(rf"\b(?:{_NOT})\b")
# What it is about, where it is the work itself; or nothing stands before it.
_WORK = re.compile(
    r"(?:(?:but|however|note|warning|still|yet|so|and|sadly|unfortunately|the|this|that|my|our|whole|it|task|work|quest"
    r"|item|job|feature|implementation|assignment|everything|all|is|s|are|was|remains?|i|am|m|we|re|have|has) ?)*"
)
# It is not about now, or only about a case.
_ELSEWHERE = {
    *(
        "if",
        "when",
        "whether",
        "until",
        "unless",
        "once",
        "before",
        "previously",
        "earlier",
        "would",
        "could",
        "should",
    ),
    *("no", "nothing", "was", "were", "had", "returns", "return", "shows", "show", "says", "message", "error"),
}
_SENTENCES = re.compile(r"\.(?=\s|$)|[;:!?\n()–—,]|\s-\s|\b(?:but|and|so)\b", re.IGNORECASE)
_GREEN = re.compile(
    r"\b(?:pass(?:es|ing|ed)?|green|succeeds?|fixed|mended|resolved|works?|working)\b(?!.*\b(?:not|no|except)\b)"
)
# What it says of a check holds for the red one too: it is of the same, or of all of them.
_OF_ALL = {"all", "everything", "now", "it", "they", "them", "both", "fixed", "mended", "resolved"}
_OF_NONE = {"is", "are", "red", "the", "still", "a", "one", "some"}
_PAST = re.compile(r"\b(?:failed|was|were|had|been|broken)\b")
_NOW = re.compile(r"\b(?:still|remains?|is|are|stays?|currently|now)\b")


def said_undone(text: str, *, plainly: bool = False) -> str | None:
    """The first words that say that the work is not done; `plainly`: only of the work itself, and not of a part."""
    for sentence in _sentences(text):
        words = plain(sentence)
        found = _UNDONE.search(words)
        if found is None:
            continue
        before = words[: found.start()].strip()
        if _ELSEWHERE & set(before.split()) or (plainly and not _WORK.fullmatch(before)):
            continue
        if plainly and words[found.end() :].strip() and not before:
            continue  # "not ready for IPv6" is about something else
        return " ".join(sentence.split())
    return None


def still_red(text: str) -> str | None:
    """The first words that say that a check is red now, if nothing behind them says that it is green again."""
    sentences = _sentences(text)
    for place, sentence in enumerate(sentences):
        told = said_red([sentence])
        if told is None:
            continue
        words = plain(sentence)
        if ONLY_IF & set(words.split()) or (_PAST.search(words) and not _NOW.search(words)):
            continue
        about = set(words.split()) - _OF_NONE | _OF_ALL
        later = (plain(one) for one in sentences[place + 1 :])
        if not any(_GREEN.search(one) and about & set(one.split()) for one in later):
            return told
    return None


def _sentences(text: str) -> list[str]:
    parts = _SENTENCES.split(text[-TEXT_MAX:]) if text else []
    return [part for part in parts if part.strip() and len(part) <= SENTENCE_MAX]
