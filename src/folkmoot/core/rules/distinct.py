"""Is an attempt a new approach, or the same again? Facts speak before words (R-06)."""

import re

from msgspec import Struct

from folkmoot.core.records import Attempt

# Fitted on rephrased and truly different approaches (docs/decisions/0006): above it words alone say "the same".
SIMILARITY = 0.68
OPPOSITES = (
    ("raise", "lower"),
    ("increase", "decrease"),
    ("add", "remove"),
    ("enable", "disable"),
    ("inside", "outside"),
    ("before", "after"),
    ("sync", "async"),
    ("lock", "unlock"),
    ("grow", "shrink"),
    ("more", "less"),
    ("with", "without"),
    ("synchronous", "asynchronous"),
    ("up", "down"),
    ("first", "last"),
)
_WORD = re.compile(r"[^\W_]+")


class Verdict(Struct, frozen=True):
    distinct: bool
    ground: str
    same_as: int | None = None


def judge(
    approach: str | None, outcome: str | None, files: list[str], commit: str | None, earlier: list[Attempt]
) -> Verdict:
    """Compare an attempt with those made since the last guidance."""
    for other in earlier:
        ground = _sameness(approach, outcome, files, commit, other)
        if ground:
            return Verdict(False, f"same as attempt {other.number}: {ground}", other.number)
    return Verdict(True, "a new approach" if approach else "no approach named, and no earlier change like it")


def _sameness(
    approach: str | None, outcome: str | None, files: list[str], commit: str | None, other: Attempt
) -> str | None:
    """Why both are one approach, or None."""
    if not approach or not other.approach:
        # Without names only the change itself can tell; an unknown change is taken for a new one.
        return "the change is the same commit" if commit and commit == other.commit else None
    words, others = normal(approach), normal(other.approach)
    if words == others:
        return "the approach is the same, word for word"
    alike = similarity(words, others)
    if alike < SIMILARITY or _opposed(words, others):
        return None
    if files and other.files and set(files) != set(other.files):
        return None
    if outcome and other.outcome and similarity(normal(outcome), normal(other.outcome)) < SIMILARITY:
        return None
    return f"the approach reads {alike:.0%} alike, and nothing known speaks against it"


def normal(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def similarity(one: str, two: str) -> float:
    """Jaccard similarity of the texts' runs of three characters."""
    first, second = _trigrams(one), _trigrams(two)
    return len(first & second) / len(first | second) if first and second else 0.0


def _trigrams(text: str) -> set[str]:
    padded = f"  {text} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)} if text else set()


def _opposed(one: str, two: str) -> bool:
    """One text says a word where the other says its opposite: "raise the limit" is not "lower the limit"."""
    first, second = set(one.split()), set(two.split())
    return any(
        (a in first - second and b in second - first) or (b in first - second and a in second - first)
        for a, b in OPPOSITES
    )
