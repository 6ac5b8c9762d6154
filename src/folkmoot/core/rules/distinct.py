"""Is an attempt a new approach, or the same again? Facts speak before words (R-06)."""

from msgspec import Struct

from folkmoot.core.records import Attempt
from folkmoot.core.report import WORDS_BESIDE, Report
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.tries import (
    claims_success,
    denies_difference,
    is_same_again,
    is_titled_success,
    is_typo_fix,
    unended,
    without_again,
    worked,
)

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
PREFIXES = ("a", "un", "non", "in", "im", "dis", "anti")  # symmetric and asymmetric are opposites too
TOLD_MAX = 100  # attempts of one report: each is compared with all before it, while nobody else can write
COMPARED_MAX = 2_000  # characters of one
TYPO_LETTERS_MIN = 5  # one letter more or less makes another word of a shorter one
_WORD = pattern(r"[^\W_]+")


class Verdict(Struct, frozen=True):
    distinct: bool
    ground: str
    same_as: int | None = None


def judge(
    approach: str | None,
    outcome: str | None,
    files: list[str],
    commit: str | None,
    earlier: list[Attempt],
    why_different: str | None = None,
) -> Verdict:
    """Compare an attempt with those made since the last guidance. Whoever says that it is the same is believed."""
    if is_typo_fix(approach):
        return Verdict(False, "mending a typo is no new approach")
    tried = [attempt for attempt in earlier if not (worked(attempt.outcome) or unended(attempt.outcome))]
    if tried and is_same_again(approach):
        return Verdict(False, f"same as attempt {tried[-1].number}: its approach says so", tried[-1].number)
    alike = ((other, _sameness(approach, outcome, files, commit, other)) for other in tried)
    same, ground = next(((other, why) for other, why in alike if why), (None, None))
    if tried and approach and why_different and denies_difference(why_different):
        number = (same or tried[-1]).number
        said = f"why it is different says {why_different.strip()!r}"
        return Verdict(False, f"same as attempt {number}: {said}", number)
    if same is not None:
        return Verdict(False, f"same as attempt {same.number}: {ground}", same.number)
    return Verdict(True, "a new approach" if approach else "no approach named, and no earlier change like it")


def fault_of_attempts(said: Report) -> str | None:
    """An attempt that succeeded, or has not ended, is no failure: whoever reports both is asked which is meant. No run
    tries hundreds of approaches."""
    if len(said.attempts) > TOLD_MAX:
        return f"{len(said.attempts)} attempts in one report are too many: tell of the last {TOLD_MAX} at most"
    if said.outcome != "failed" or not said.attempts:
        return None
    around = (said.blockers, said.extra.get(WORDS_BESIDE)) if said.implied else ()
    claimed = next((text for text in around if isinstance(text, str) and claims_success(text)), None)
    if claimed is not None:
        words = " ".join(claimed.split())[:120]
        return (
            f"its ATTEMPT blocks tell of what failed, and beside them it says {words!r}: which holds? If it is done,"
            " say TASK_COMPLETE or report done behind the blocks; if not, say there what still fails"
        )
    last, number, titles = said.attempts[-1], len(said.attempts), said.extra.get("ATTEMPT")
    told = last.outcome or (str(titles[-1]) if isinstance(titles, list) and titles else "")
    which, words = f"its last attempt ({number} of {number})", told.strip().splitlines()[0][:80] if told.strip() else ""
    if unended(last.outcome):
        return (
            f"{which} has not ended ({words!r}), but it says failed, as blocks alone do: say in that Outcome what came"
            " of it; if it goes on report incomplete, and to have an expert asked delegates"
        )
    if worked(last.outcome) or (not last.outcome and is_titled_success(told)):
        return (
            f"{which} succeeded ({words!r}), but it says failed, as blocks alone do:"
            " report done beside the ATTEMPT blocks, or say in that Outcome what still fails"
        )
    return None


def _sameness(
    approach: str | None, outcome: str | None, files: list[str], commit: str | None, other: Attempt
) -> str | None:
    """Why both are one approach, or None."""
    if not approach or not other.approach:
        # Without names only the change itself can tell; an unknown change is taken for a new one.
        return "the change is the same commit" if commit and commit == other.commit else None
    words, others = (normal(without_again(said[:COMPARED_MAX])) for said in (approach, other.approach))
    if words == others:
        return "the approach is the same, word for word"
    alike = 1.0 if _mistyped(words, others) else similarity(words, others)
    if alike < SIMILARITY or _opposed(words, others):
        return None
    if files and other.files and set(files) != set(other.files):
        return None
    ends = [normal(said[:COMPARED_MAX]) for said in (outcome, other.outcome) if said]
    if len(ends) == 2 and similarity(*ends) < SIMILARITY:
        return None
    if _mistyped(words, others):
        return "the approaches differ by how a word is spelled, and nothing known speaks against it"
    return f"the approach reads {alike:.0%} alike, and nothing known speaks against it"


def normal(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def similarity(one: str, two: str) -> float:
    """Jaccard similarity of the texts' runs of three characters."""
    first, second = _trigrams(one), _trigrams(two)
    return len(first & second) / len(first | second) if first and second else 0.0


def _mistyped(one: str, two: str) -> bool:
    """Are both the same words but for one that is a typo of the other? With a prefix it is another: (a)symmetric."""
    first, second = one.split(), two.split()
    pairs = [(a, b) for a, b in zip(first, second, strict=False) if a != b]
    if len(first) != len(second) or len(pairs) != 1:
        return False
    (a, b) = pairs[0]
    long_enough = min(len(a), len(b)) >= TYPO_LETTERS_MIN and a.isalpha() and b.isalpha()
    return long_enough and not a.endswith(b) and not b.endswith(a) and _one_slip(a, b)


def _one_slip(a: str, b: str) -> bool:
    """One letter more, less or another, or two that changed places."""
    if len(a) > len(b):
        a, b = b, a
    start = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) != len(b):
        return len(b) - len(a) == 1 and a[start:] == b[start + 1 :]
    swapped = a[start + 1 : start + 2] + a[start : start + 1] == b[start : start + 2]
    return a[start + 1 :] == b[start + 1 :] or (swapped and a[start + 2 :] == b[start + 2 :])


def _trigrams(text: str) -> set[str]:
    padded = f"  {text} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)} if text else set()


def _opposed(one: str, two: str) -> bool:
    """One text says a word where the other says its opposite: "raise the limit" is not "lower the limit"."""
    first, second = set(one.split()), set(two.split())
    only_one, only_two = first - second, second - first
    return any((a in only_one and b in only_two) or (b in only_one and a in only_two) for a, b in OPPOSITES) or any(
        prefix + word in there
        for prefix in PREFIXES
        for here, there in ((only_one, only_two), (only_two, only_one))
        for word in here
    )
