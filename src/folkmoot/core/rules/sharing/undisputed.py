"""Of the changes that a look has asked for, those that nobody speaks of while others of them are disputed."""

from folkmoot.core.report import Finding
from folkmoot.core.rules.breaker import thread_of
from folkmoot.core.rules.sharing.findings import identity, to_change
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.patterns import pattern

# With one of these they may be spoken of together.
_ALL = pattern(r"\b(?:both|(?<!at )(?<!after )all|neither|none|either|the others?|the rest|findings|issues)\b")
_WORD = pattern(r"[^\W_]+")
WORD_MIN = 4  # shorter words stand in every concern
TEXT_MAX = 20_000


def undisputed(case: Case, threads: list[str], said: str = "") -> list[Finding]:
    """Each finding to be changed of which neither these threads nor what is `said` beside them speaks. None where
    there are as many threads, or where all may be meant."""
    asked = to_change(case.item.findings)
    if not threads or len(threads) >= len(asked):
        return []
    mine = [one for one in case.comments.values() if thread_of(case, one.id) in threads]
    text = "\n".join([*(f"{one.target or ''} {one.content}" for one in mine), said])[:TEXT_MAX]
    words = _words(text)
    return [] if _ALL.search(" ".join(words)) else [one for one in asked if not _is_named(one, text, set(words))]


def left_of(case: Case, thread: str, said: list[Finding] | None) -> list[Finding]:
    """What an item keeps of its findings when a thread ends by which changes are not needed: those that the report has
    `said` itself, or where a person ends it, those that nobody speaks of."""
    left = {identity(one) for one in (undisputed(case, [thread]) if said is None else said)}
    return [one for one in case.item.findings if identity(one) in left]


def _is_named(finding: Finding, text: str, words: set[str]) -> bool:
    """Do the words speak of it: by its line, or with half of its own words?"""
    if finding.line and f":{finding.line}" in text:
        return True
    own = {word for word in _words((finding.issue or finding.category or "")[:TEXT_MAX]) if len(word) >= WORD_MIN}
    return 2 * len(own & words) >= len(own)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
