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
# What is disputed is left as it is, and no change is told of.
_STAYS = pattern(
    r"(?:so )?(?:the |this |my |our )?(?:tests?|story|stories|design|architecture|arch|work|code|finding|it)"
    r" (?:stays?|remains?|stands?)(?: (?:as (?:it |they )?(?:is|are|specified|written)|unchanged))?"
)
_YOU_ARE_RIGHT = pattern(
    r"(?:accepted|agreed|fair enough|(?:good|fair|valid) (?:catch|point|concern))"
    r"|(?:yes )?(?:(?:i|we) (?:fully |completely )?agree|agreed)(?: (?:with|that) .*)?"
    r"|(?:yes )?(?:you are|you re|that is|that s|this is)(?: \w+ly| quite)? (?:right|correct|true)(?: .*)?"
)
_HOLDS_BACK = pattern(
    r"\b(?:but|however|although|though|still|yet|only|except|unless|not|no|nor|never|partly|partially|instead|disagree\w*"
    r"|wrong|stays?|remains?|keep|stands?|n t|don t|doesn t|isn t|won t|can t|cannot|why|than|while|whereas)\b"
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
    """Does the first that is said disagree, or is the work left as it is, and nothing else that is said agrees?"""
    told = words[:TEXT_MAX]
    clauses = [clause for clause in map(plain, _CLAUSE.split(told)) if clause]
    against = bool(clauses) and (_DISAGREES.fullmatch(clauses[0]) or any(map(_STAYS.fullmatch, clauses)))
    return bool(against) and _AGREES.search(plain(told)) is None


def agrees(words: str) -> bool:
    """Does the first that is said agree, and nothing behind it hold that back?"""
    told = words[:TEXT_MAX]
    first = next((clause for clause in map(plain, _CLAUSE.split(told)) if clause), "")
    return _YOU_ARE_RIGHT.fullmatch(first) is not None and _HOLDS_BACK.search(plain(told)) is None and "?" not in told


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
