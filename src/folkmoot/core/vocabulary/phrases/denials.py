"""Does a sentence say that something is so, or that it is not, or no longer? Plain words around a phrase."""

import re

from folkmoot.core.vocabulary.patterns import pattern


def _one_of(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_OUT = r"(?:rul(?:e|ed|ing)(?: it| this| that)? out|exclud(?:e|ed|ing)|dismiss(?:ed)?|disproved?|disproven)"
_OVER = (
    "(?:"
    + _one_of("fixed resolved solved removed broken gone avoided mended cleared closed over addressed handled settled")
    + "|dealt with|taken care of)"
)
_IS = _one_of("is was are were be been got now already all s has have since")
# What was not ruled out, or has yet to be, is still there.
_OPEN = pattern(
    rf"\b(?:not|cannot|never|nobody|nothing|can t|couldn t|unable to|hard to|yet to|must|should|has to|have to"
    r"|needs? to|until|unless|still|to)(?: (?:yet|be|been|it|is|are|was|were|can|could|has|have|first))*"
    rf" (?:{_OUT}|{_OVER})\b"
)
# Words before the phrase, in the same part of the sentence.
_NOT = pattern(
    rf"\b(?:no|not|without|never|none|neither|nor|isn|wasn|weren|didn|aren|any|if|avoid|{_OVER}|{_OUT}|denied|denies)\b"
)
# Behind these something else is said: "no progress because of a security concern".
_PARTS = pattern(r"\b(?:because|since|due|but|owing|although|though|however|therefore|hence|so)\b")
_GROUNDS = pattern(r"\b(?:because|since|due|owing)\b")
_THING = _one_of("cause reason issue problem concern case one")
_NOT_SO = pattern(
    rf"(?:{_IS} )*(?:{_OUT}|{_OVER})\b"  # right behind it
    rf"|.*\b{_IS} (?:{_IS} )*(?:{_OUT}|{_OVER})\b"
    rf"|.*\b(?:{_OUT}|{_OVER})$"
    rf"|.*\b(?:unfounded|false alarm|no longer|not (?:the |an? )?{_THING}"
    r"|not (?:confirmed|found|present|real|true|reached|hit|met)|(?:do|does|did|has) not (?:hold|apply|happen|occur)"
    r"|harmless|none)\b"
    rf"|(?:wasn|isn|weren|aren) t (?:the |an? )?(?:{_THING}|reached|hit|met)\b|(?:didn|hasn) t (?:happen|occur)\b"
)
_NOTHING = pattern(
    rf"(?:none|no|nothing|nil|n a|na|not applicable|false|not found|no {_THING}s?|not (?:an? |the )?{_THING}|0|zero"
    r"|not (?:reached|met|hit|triggered|present|needed|required|necessary|detected)|(?:do|does|did) not apply"
    r"|none (?:of (?:them|these|those) )?appl(?:y|ies)"
    rf"|(?:{_IS} )*(?:{_OUT}|{_OVER}|unfounded|denied)(?: .*)?|no longer.*)"
    r"(?: (?:found|seen|known|here|at all|so far))?"
)
# Behind a name these say that it is not so.
_NO = pattern(
    r"(?:no|nope|n|none|false|0|n a|na|tbd|not (?:needed|required|necessary|applicable|yet)|does not apply)"
    r"(?: (?:yet|here|now|at all|so far))?"
)
_CROSSES = ("❌", "✗", "✘", "✖")
_WORD = pattern(r"[^\W_]+")
_CLAUSE = pattern(r"[,;:.!(–—\n]|\s-\s")
# A box that nobody ticked says no: before its words, up to the next of several on a line, or alone behind their colon.
_EMPTY_BOX = r"(?:\[\s{0,3}\]|\(\s{1,3}\)|[☐□◻⬜▢])"
_BOXES = frozenset("[(☐□◻⬜▢")
_UNTICKED = pattern(
    rf"(?:^[^\S\n]*(?:(?:[-*+•>]|\d{{1,3}}[.)])[^\S\n]*)*|[^\S\n]/[^\S\n]){_EMPTY_BOX}(?:(?![^\S\n]/[^\S\n]).)*"
    rf"|^[^\n\[\]]{{0,200}}[:|][^\S\n]*{_EMPTY_BOX}[ \t|]*$",
    re.MULTILINE,
)


def without_unticked(text: str) -> str:
    """The text without what stands beside a box that nobody ticked."""
    return text if _BOXES.isdisjoint(text) else _UNTICKED.sub("", text)


def is_denied(before: str, behind: str) -> bool:
    """Do the plain words before or behind a phrase say that it is not so, or no longer?"""
    before = _PARTS.split(_OPEN.sub(" ", before))[-1]
    if _NOT.search(before):
        return True
    return _NOT_SO.match(_OPEN.sub(" ", _GROUNDS.split(behind)[0]).strip()) is not None


def says_nothing(clause: str) -> bool:
    """Is it all that a clause says that there is none: `Security concern: none`?"""
    return _NOTHING.fullmatch(clause) is not None


def behind_no(words: str) -> str | None:
    """What is said behind a plain no, which is a clause of its own; None if the words do not begin with one."""
    head, *rest = _CLAUSE.split(words.strip(), maxsplit=1)
    if head.startswith(_CROSSES):
        return words  # a cross may also mark what is so
    return "".join(rest).strip() if _NO.fullmatch(" ".join(_WORD.findall(head.casefold()))) else None
