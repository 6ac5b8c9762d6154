"""Words that say that nothing had to change: the work was there already, or none was asked for."""

import re
from collections.abc import Iterable

from folkmoot.core.vocabulary.patterns import pattern

_SAID = pattern(
    r"\bnothing (?:\w{1,12} )?(?:needs?|needed|has|had|is|was|remains|left) (?:\w{1,12} )?to (?:be )?\w{2,14}"
    r"|\bnothing (?:more )?to (?:change|do|fix|add|implement|write|commit)\b"
    r"|\bno (?:\w{1,12} ){0,3}(?:changes?|edits?|work|fix|action)(?: (?:is|are|was|were|has|have|had|to|be|been)){0,3} "
    r"(?:needed|necessary|required|made because)\b"
    r"|\b(?:does|did|do|is|are|was|were) not (?:need|require|needed|required)(?: any| a)? changes?\b"
    r"|\b(?:already|previously) (?:\w{1,12} )?(?:done|there|exists?|implemented|in place|present|fixed|works?|working|"
    r"made|satisfied|covered|correct|complete|completed|added|passes|handled|written|merged|met|supported)\b",
    re.IGNORECASE,
)


def said_unchanged(words: Iterable[str | None]) -> bool:
    """Does any of these texts say plainly that nothing had to change?"""
    return any(_SAID.search(text) for text in words if text)
