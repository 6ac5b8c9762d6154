"""Do plain words agree, or not: with the other side of a dispute, or with the work that was looked at?"""

import re

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.words import approves, plain

TEXT_MAX = 20_000
_CLAUSE = pattern(r"[,.;:!?\n()–—]|\s-\s")
_DISAGREES = pattern(
    r"no|nope|wrong|rejected|not agreed|(?:(?:i|we) )?(?:still |strongly )?disagree(?: .*)?"
    r"|(?:i|we) (?:still )?(?:do not|don t|cannot|can t) agree(?: .*)?"
    r"|(?:that|this|it) is (?:wrong|not (?:right|so|true))"
)
_AGREES = pattern(
    r"\b(?:you (?:are|were|re) right|agreed|(?:i|we)(?: do)? agree|fixed|updated|changed|mended|corrected)\b"
)
_NO_CHANGES = pattern(
    r"(?:there are )?(?:no|nothing)(?: (?:further|more|other))*(?: changes?)?(?: (?:is|are))?"
    r" (?:needed|necessary|required|requested|to (?:change|fix|do))|no (?:issues?|findings|problems)(?: found)?"
    r"|(?:it |all |this )?(?:looks? |is )?(?:good|fine|great|ok|okay|lgtm)(?: to me| to go| as it is)?"
)
_PRAISE = r"(?:good|fine|ok|okay|lgtm|consistent|correct|clean|well|great|solid|approved?|works|in order)"
_PRAISED_BUT = pattern(
    rf"\b{_PRAISE}\b[\s,;:(–—-]{{1,4}}(?:except(?: for| that)?|apart from|aside from|other than|save for)\b"
    r"((?:[^.;!?\n]|\.(?=\S)){1,200})",
    re.IGNORECASE,
)
# Of no weight, or mended by whoever tells of it.
_SLIGHT = pattern(
    r"\b(?:nit\w*|minor|small|tiny|cosmetic|style|stylistic|typos?|optional|trivial|taste|wording|low|naming"
    r"|fixed|mended|repaired|corrected|changed|resolved|addressed|renamed|removed|none|nothing)\b",
    re.IGNORECASE,
)


def disagrees(words: str) -> bool:
    """Does the first that is said disagree, and nothing behind it agree after all?"""
    told = words[:TEXT_MAX]
    first = next((clause for clause in map(plain, _CLAUSE.split(told)) if clause), "")
    return _DISAGREES.fullmatch(first) is not None and _AGREES.search(plain(told)) is None


def only_approves(words: str) -> bool:
    """Is it all that these words say that the work is good, and nothing need change?"""
    clauses = [clause for clause in map(plain, _CLAUSE.split(words[:TEXT_MAX])) if clause]
    return bool(clauses) and all(approves(clause) or _NO_CHANGES.fullmatch(clause) for clause in clauses)


def praised_but(words: str) -> str | None:
    """What is left out of a praise, unless it is slight or mended: `all good, apart from the race in cancel()`."""
    for found in _PRAISED_BUT.finditer(words[:TEXT_MAX]):
        if not _SLIGHT.search(found.group(1)):
            return " ".join(found.group().split())
    return None
