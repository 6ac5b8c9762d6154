"""A failure that lies in the task and not in the try, in everyday words: in the split, in its size, in what is shared.

The documents' own words for these are causes by themselves. Everyday words may also be about the work (a text that is
to be split, a response that contradicts): whoever writes them is asked which cause holds.
"""

import re
from collections.abc import Iterable

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.denials import is_denied
from folkmoot.core.vocabulary.words import plain

TEXT_MAX = 20_000
SENTENCE_MAX = 200  # as many letters as `plain` looks at
NAMES_MAX = 50
_SENTENCES = pattern(r"[.;!?](?=\s|\Z)|\n")
_WORK = r"(?:quest|task|work|item)s?"
_DIVIDED = r"(?:split|decomposed|divided|broken (?:up|down))"
_SHALL = r"(?:should|must|has to|have to|needs to|need to|ought to)"
_FOUND = pattern(
    rf"\b(?:how|the way) (?:the |this |it |our )?(?:{_WORK} )?(?:was|is|were|are) {_DIVIDED}\b"
    rf"|\b{_WORK} (?:was|were|is|are) (?:badly|wrongly|poorly) {_DIVIDED}\b"
    rf"|\b(?:it|this|that|{_WORK}) {_SHALL} (?:\w+ )?be (?:\w+ )?{_DIVIDED}(?:\Z| (?:up|again|into|in|first|further)\b)"
    r"|\bboth tasks (?:define|declare|change|own|write|create|touch|modify|need)\b"
    r"|\b(?:more|bigger|larger) than (?:one|a single) (?:agent|codeweaver|run|effort|context|session)\b"
    rf"|\b{_WORK} (?:is|was|turned out|proved|seems)(?: to be)? (?:\w+ )?"
    r"(?:(?:bigger|larger) than|too (?:big|broad|much)\b)"
    r"|\btoo (?:big|large|much|broad) for (?:one|a single) (?:agent|codeweaver|run|effort|context|session)\b"
)
_WELL = pattern(r"\b(?:fine|right|good|sound|correct|ok(?:ay)?)\b")
_CLASHES = r"(?:contradicts?|conflicts? with|disagrees? with|(?:is|are) (?:incompatible|inconsistent) with)"


def of_the_task(texts: Iterable[str], contracts: Iterable[str] = ()) -> str | None:
    """The first sentence that says so; `contracts` are the names of what tasks share."""
    names = "|".join(re.escape(plain(name)) for name in list(contracts)[:NAMES_MAX] if plain(name))
    shared = rf"(?:contracts?{'|' + names if names else ''})"
    clash = re.compile(rf"\b{shared}(?: \w+){{0,3}} {_CLASHES}|\b{_CLASHES} (?:\w+ ){{0,3}}{shared}\b")
    for text in texts:
        for sentence in _SENTENCES.split(text[:TEXT_MAX]):
            told = plain(sentence) if len(sentence) <= SENTENCE_MAX else ""
            found = (_FOUND.search(told) or clash.search(told)) if told else None
            behind = told[found.end() :] if found is not None else ""
            if found is not None and not (_WELL.search(behind) or is_denied(told[: found.start()], behind)):
                return sentence.strip()
    return None
