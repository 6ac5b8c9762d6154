"""What the scope of a delegation says: to look, or to make something. A sub-agent may only look (Q-09, R-25)."""

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.words import plain

# Said of work, wherever it stands; and what says it only where it is all there is, since a look may be about it.
_MAKES = pattern(r"\b(?:implement\w*|coding|refactor\w*|development)\b")
_MAKES_ALONE = pattern(r"(?:read )?(?:write|edit|modify|fix|build|code|make|change|develop)")
_LOOKS = pattern(
    r"\b(?:discover\w*|analys\w*|analyz\w*|research|review|investigat\w*|identify|read|explor\w*|existing|study|map"
    r"|understand|survey)\b"
)
_DENIES = pattern(r"\b(?:no|not|without|never|before)\b")
_JOINS = pattern(r"\b(?:and|plus|then|with|or|also)\b")


def makes_something(scope: str | None) -> bool:
    """Does a scope say that something is to be made? "analysis of the implementation" and "no coding" do not."""
    words = plain(scope or "")
    found = _MAKES.search(words)
    if found is None:
        return _MAKES_ALONE.fullmatch(words) is not None
    before = words[: found.start()]
    if _DENIES.search(before):
        return False
    return _LOOKS.search(words) is None or _JOINS.search(before) is not None
